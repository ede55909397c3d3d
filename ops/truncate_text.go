package ops

import (
	"fmt"
	"io"
	"math"
	"regexp"
	"strings"

	"jlop/stream"
)

// str cuts the text that src gives. It is the body of a JSON string or, with
// -R, plain text.
func (t *truncater) str(src textSource, at *site) error {
	before := at.cursor // of the first byte of the text
	_, plain := src.(*plainText)
	fit := &t.fit
	fit.g = t.g
	fit.reset()
	t.raw = t.raw[:0]
	if !t.RawOutput && !plain {
		fit.more([]byte{'"'})
	}
	var raw []byte
	var done, over bool
	for !done && (!over || len(t.raw) < t.exact()) {
		var err error
		if raw, done, err = src.Chunk(); err != nil {
			return err
		}
		t.raw = append(t.raw, raw...)
		over = over || !fit.more(t.written(src, raw, plain))
	}
	if done && !over {
		if !t.RawOutput && !plain {
			fit.more([]byte{'"'})
		}
		if fit.fits() {
			return t.verbatim(src, plain)
		}
	}
	held, over, err := holdText(t.g, src, t.raw, done, !t.RawOutput, -1)
	if err != nil {
		return err
	}
	if !over {
		return t.output(held.head)
	}
	size := t.textSizes(at, src, held, plain)
	if t.Check {
		return t.changed(at, size, nil, noUnit)
	}
	text, stop, ok := t.cutText(held, before)
	if !ok {
		t.Errorf(at.wrap(fmt.Errorf("the string of %d chars cannot be cut to %s: %w", held.chars, t.g.Budget, ErrBudget)))
	}
	if t.RawOutput {
		if _, err := t.w.Write(text); err != nil {
			return err
		}
		if len(text) > 0 && text[len(text)-1] != '\n' {
			t.w.Write([]byte{'\n'})
		}
		t.Hintf("%s", t.hint)
	} else if _, err := t.w.Value().Write(text); err != nil {
		return err
	}
	return t.changed(at, size, text, stop)
}

// textSizes notes the size of the text at a site as it would have been written,
// which is what the budget bounds. What t.raw does not have is extrapolated.
func (t *truncater) textSizes(at *site, src textSource, held *heldText, plain bool) (bytes int64) {
	if t.exact() == 0 {
		return held.bytes
	}
	text := t.written(src, t.raw, plain)
	all := func(n int) int64 {
		return int64(math.Ceil(float64(n) * float64(held.bytes) / float64(max(1, len(t.raw)))))
	}
	bytes, at.chars = all(len(text)), all(int(countChars(text)))
	if !t.RawOutput {
		text = append(append([]byte{'"'}, text...), '"')
		bytes, at.chars = bytes+2, at.chars+2
	}
	at.before = t.g.estimate(text, bytes)
	return bytes
}

// written is raw as it will be written if the text fits.
func (t *truncater) written(src textSource, raw []byte, plain bool) []byte {
	if !t.RawOutput && !plain {
		return raw
	}
	t.scratch = src.decode(t.scratch[:0], raw)
	if t.RawOutput {
		return t.scratch
	}
	t.escaped = stream.AppendEscaped(t.escaped[:0], t.scratch)
	return t.escaped
}

// verbatim writes a text that fits, all of which is in t.raw.
func (t *truncater) verbatim(src textSource, plain bool) error {
	switch {
	case plain || t.RawOutput:
		return t.output(src.decode(nil, t.raw))
	}
	w := t.w.Value()
	w.Write([]byte{'"'})
	w.Write(t.raw)
	_, err := w.Write([]byte{'"'})
	return err
}

// output writes a text that fits.
func (t *truncater) output(text []byte) error {
	if !t.RawOutput {
		_, err := t.w.Value().Write(stream.AppendQuoted(nil, text))
		return err
	}
	_, err := t.w.Write(text)
	return err
}

// A textShape is how much is said about a text that was cut. Shapes are tried
// from the fullest on until one has room for some of the text.
type textShape uint8

const (
	shapeFull textShape = iota
	shapeNoNote
	shapeNoCursor
	shapeCount // the count alone
	shapeMark  // not even that
	shapeStub  // an empty string: the budget cannot be met
)

// cutText lays out what fits of a text. It reports false if that is a stub.
func (t *truncater) cutText(held *heldText, place cursor) (text []byte, stop Unit, ok bool) {
	if t.RawOutput {
		render := func(dst []byte, p part) []byte { return p.appendMarked(dst) }
		p, ok := cut{Head: t.Head, Tail: t.Tail, Render: render}.fit(t.g, held)
		t.hint = cursorHint("truncate", t.rest(held, place, len(p.head)))
		if !ok {
			return nil, p.stop, false
		}
		return render(nil, p), p.stop, true
	}
	var scratch, marked []byte
	nothing := t.Head == 0 && t.Tail == 0 // of the text is asked for
	for shape := shapeFull; shape < shapeStub; shape++ {
		render := func(dst []byte, p part) []byte {
			o := newObject(scratch[:0])
			o.bool("truncated", true)
			if shape < shapeMark {
				o.int("totalChars", held.chars)
			}
			if shape < shapeCount {
				o.int("estimatedTokens", held.tokens)
				marked = p.appendMarked(marked[:0])
				o.name("preview")
				o.b = stream.AppendQuoted(o.b, marked)
			}
			if shape < shapeNoCursor {
				o.str("cursor", t.rest(held, place, len(p.head)))
			}
			if shape < shapeNoNote {
				o.str("note", t.saying(held, p.stop))
			}
			scratch = o.end()
			return t.c.layout().Append(dst, scratch)
		}
		c := cut{Head: t.Head, Tail: t.Tail, Quoted: true, Render: render}
		if p, ok := c.fit(t.g, held); ok && (p.kept > 0 || nothing || shape >= shapeCount) {
			render(nil, p)
			return append([]byte(nil), scratch...), p.stop, true
		}
	}
	return []byte(`""`), t.g.unit(), false
}

// saying is the note of the shape.
func (t *truncater) saying(held *heldText, stop Unit) string {
	if stop == noUnit {
		stop = t.g.unit()
	}
	note := fmt.Sprintf("String truncated to ~%d %s. Full length: %d chars (~%d tokens).", t.g.limit(stop), stop, held.chars, held.tokens)
	if t.g.Estimate {
		note += " Tokens are estimates."
	}
	return note
}

// rest is the cursor of what follows the first n bytes of a text at place.
func (t *truncater) rest(held *heldText, place cursor, n int) string {
	if t.whole != nil {
		return place.String()
	}
	return held.rest(place, n, held.chars, held.tokens)
}

// text cuts plain text: all inputs are one.
func (t *truncater) text() error {
	if ok, err := t.r.Next(nil); err != nil || !ok {
		return err
	}
	src := &plainText{r: t.r}
	at := &site{name: t.r.Name(), col: 1, cursor: cursor{kind: cursorPlain, line: 1, in: t.r}}
	if err := t.str(src, at); err != nil {
		return err
	}
	if n := t.r.Replaced(); n > 0 {
		t.Warnf("%s: %d bytes are not UTF-8, each became U+FFFD", at.name, n)
	}
	return nil
}

// strings copies the value that comes next, every string in it cut to
// MaxString characters.
func (t *truncater) strings(s *stream.Scanner, out io.Writer) error {
	depth := s.Depth()
	for first := true; first || s.Depth() > depth; first = false {
		s.Tee(out)
		found, err := s.SkipToLong(depth, int(t.MaxString))
		if err != nil {
			return err
		}
		if err := s.StopTee(); err != nil {
			return err
		}
		if !found {
			return nil
		}
		if err := t.long(s, out); err != nil {
			return err
		}
	}
	return nil
}

// capHeld is how many characters of a string are held at its cap to be cut
// there; what comes before them is copied.
const capHeld = 64 << 10

// long writes the string that comes next, cut if it has more characters than
// MaxString. Of one that may have many more than capHeld, the first are copied
// before it is known whether it has.
func (t *truncater) long(s *stream.Scanner, out io.Writer) error {
	at := t.here(s, cursorRest)
	if _, err := s.Next(); err != nil {
		return err
	}
	src := jsonText{s}
	if _, err := out.Write([]byte{'"'}); err != nil {
		return err
	}
	copied := int64(0) // characters written
	t.raw = t.raw[:0]  // held
	for chars := int64(0); ; {
		raw, done, err := src.Chunk()
		if err != nil {
			return err
		}
		n := src.given() - chars
		if free := t.MaxString - capHeld - chars; free >= n && len(t.raw) == 0 {
			copied += n
			if _, err := out.Write(raw); err != nil {
				return err
			}
		} else {
			t.raw = append(t.raw, raw...)
		}
		if chars += n; chars > t.MaxString {
			return t.cutString(src, done, copied, at, out)
		}
		if done {
			_, err := out.Write(append(t.raw, '"'))
			return err
		}
	}
}

// cutString writes the rest of the string of which t.raw has been read behind
// the characters that were copied, so that there are MaxString in all.
func (t *truncater) cutString(src textSource, done bool, copied int64, at *site, out io.Writer) error {
	g := &gauge{Budget: Budget{Chars: t.MaxString - copied}}
	held, _, err := holdText(g, src, t.raw, done, false, -1)
	if err != nil {
		return err
	}
	render := func(dst []byte, p part) []byte {
		p.kept += copied
		return p.appendMarked(dst)
	}
	var text []byte
	p, ok := cut{Head: -1, Tail: -1, Render: render}.fit(g, held)
	switch {
	case copied == 0 && held.joined && ownNote(at.pointer, held.head):
		_, err := out.Write(append(stream.AppendEscaped(nil, held.head), '"'))
		return err
	case ok && p.kept > 0:
		text = render(nil, p)
	default:
		text = appendEllipsis(nil, held.head, g.Chars)
	}
	if _, err := out.Write(append(stream.AppendEscaped(nil, text), '"')); err != nil {
		return err
	}
	at.chars = copied + held.chars
	t.cut = true
	return t.note(at, change{
		Rule: "max-string", Unit: Chars.String(), Before: at.chars, After: copied + countChars(text),
		Limit: fmt.Sprintf("%d chars", t.MaxString),
	})
}

// limitPattern is what stands under _truncated/limit.
var limitPattern = regexp.MustCompile(`^[0-9]+ (tokens|bytes|chars)$`)

// ownNote reports whether a string is a cursor or says what an earlier cut left
// out. Cut, it would be good for nothing.
func ownNote(pointer string, text []byte) bool {
	if len(text) > 120 {
		return false
	}
	_, notice := parseItemsNotice(stream.AppendQuoted(nil, text))
	return notice || strings.HasSuffix(pointer, "/_truncated/limit") && limitPattern.Match(text) || isCursor(string(text))
}

// appendEllipsis appends what fits of a text where the marker has no room: its
// first characters and an ellipsis.
func appendEllipsis(dst, text []byte, chars int64) []byte {
	i := 0
	for ; chars > 1 && i < len(text); chars-- {
		i = runeCeil(text, i+1)
	}
	dst = append(dst, text[:graphemeFloor(text, i)]...)
	return append(dst, "\u2026"...)
}

// goOn reads on where a cursor points.
func (t *truncater) goOn() error {
	cur, err := parseCursor(t.Cursor, "truncate")
	if err != nil {
		return err
	}
	if (cur.kind == cursorPlain) != t.RawInput {
		if t.RawInput {
			return Usagef("--cursor: the cursor goes on with a JSON string, not with text (-R)")
		}
		return Usagef("--cursor: the cursor goes on with text: -R is missing")
	}
	if cur.kind == cursorInside {
		p := &pageRun{Common: t.Common, As: "page", Oversize: "shrink", Cursor: t.Cursor}
		p.RawOutput = false // a page is no text
		return (&pager{pageRun: p, job: t.job, bounded: true}).goOn()
	}
	if err := cur.resume(t.r, t.path, t.At != ""); err != nil {
		return err
	}
	var src textSource = &plainText{r: t.r}
	if cur.kind == cursorRest {
		s, err := t.r.Inside(stream.String, cur.offset, cur.line)
		if err == nil {
			_, err = s.Next()
		}
		if err != nil {
			return err
		}
		src = jsonText{s}
	}
	t.w.Begin()
	if err := t.next(src, cur); err != nil {
		return err
	}
	t.w.End()
	return nil
}

// next writes what comes next of a text that begins at cur: all of it as a text
// if it fits, otherwise the shape of a cut text with a preview that goes on
// where the one before ended.
func (t *truncater) next(src textSource, cur cursor) error {
	held, over, err := holdText(t.g, src, nil, false, !t.RawOutput, cur.total-cur.index)
	if err != nil {
		return err
	}
	if !over {
		return t.output(held.head)
	}
	var doc []byte
	render := func(dst []byte, p part) []byte {
		if t.RawOutput {
			return append(dst, p.head...)
		}
		o := newObject(doc[:0])
		o.bool("truncated", true)
		o.int("totalChars", cur.total)
		o.int("estimatedTokens", cur.tokens)
		o.name("preview")
		o.b = stream.AppendQuoted(o.b, p.head)
		o.str("cursor", held.rest(cur, len(p.head), cur.total, cur.tokens))
		o.str("note", fmt.Sprintf("Chars %d-%d of %d. Pass cursor for the rest.", cur.index+1, cur.index+p.kept, cur.total))
		doc = o.end()
		return t.c.layout().Append(dst, doc)
	}
	p, ok := (cut{Head: -1, Tail: 0, Quoted: !t.RawOutput, Render: render}).fit(t.g, held)
	if !ok || p.kept == 0 {
		return fmt.Errorf("--cursor: %s has no room for any of the text: %w", t.g.Budget, ErrBudget)
	}
	text := render(nil, p)
	if t.RawOutput {
		t.Hintf("%s", cursorHint("truncate", held.rest(cur, len(p.head), cur.total, cur.tokens)))
		_, err := t.w.Write(text)
		return err
	}
	_, err = t.w.Value().Write(doc)
	return err
}
