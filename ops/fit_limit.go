package ops

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"jlop/stream"
)

// defaultRetry is how many seconds to wait where it is not said.
const defaultRetry = 30

// defaultLimitMessage is what a rate limit says that has no message.
const defaultLimitMessage = "Rate limit exceeded"

// A rateLimit is what the error of an HTTP client says of a status 429: the
// error itself, or the object "error" in it, which may have the answer in
// "response". Values are as found; nil are those that are not there.
type rateLimit struct {
	s             *stream.Scanner
	limited       bool
	foreign       bool // what was cut of another value, which was none
	retry, date   []byte
	retryAfter    []byte
	message       []byte
	inner, simple []byte // the message in "error", and "error" itself
}

// members calls f for each member of a value that is valid JSON, if it is an
// object.
func (l *rateLimit) members(object []byte, f func(name string, k stream.Kind, value []byte)) {
	if len(object) == 0 || object[0] != '{' {
		return
	}
	s := l.s
	s.Reset(bytes.NewReader(object), stream.Options{})
	if _, err := s.Next(); err != nil {
		return
	}
	for {
		if ok, err := s.More(); !ok || err != nil {
			return
		}
		name, k, err := memberName(s)
		if err != nil {
			return
		}
		from := s.InputOffset()
		if s.Skip() != nil {
			return
		}
		f(name, k, object[from:s.InputOffset()])
	}
}

// read reads the root of a value.
func (l *rateLimit) read(root []byte) {
	*l = rateLimit{s: l.s}
	var failure, headers, innerHeaders, answer, innerAfter []byte
	l.members(root, func(name string, k stream.Kind, v []byte) {
		switch name {
		case "_summarized", "_truncated", "_truncatedKeys":
			l.foreign = true
		case "status", "statusCode":
			l.limited = l.limited || isTooMany(k, v)
		case "headers":
			headers = v
		case "retryAfter":
			l.retryAfter = v
		case "message":
			l.message = v
		case "error":
			failure = v
		}
	})
	if len(failure) > 0 && failure[0] == '"' {
		l.simple = failure
	}
	l.members(failure, func(name string, k stream.Kind, v []byte) {
		switch name {
		case "status", "statusCode":
			l.limited = l.limited || isTooMany(k, v)
		case "headers":
			innerHeaders = v
		case "response":
			answer = v
		case "retryAfter":
			innerAfter = v
		case "message":
			l.inner = v
		}
	})
	if !l.limited {
		return
	}
	if !given(l.retryAfter) {
		l.retryAfter = innerAfter
	}
	var answerHeaders []byte
	l.members(answer, func(name string, _ stream.Kind, v []byte) {
		if name == "headers" {
			answerHeaders = v
		}
	})
	for _, h := range [...][]byte{headers, innerHeaders, answerHeaders} {
		var retry, date []byte
		l.members(h, func(name string, _ stream.Kind, v []byte) {
			switch {
			case strings.EqualFold(name, "retry-after"):
				retry = v
			case strings.EqualFold(name, "date"):
				date = v
			}
		})
		if given(retry) {
			l.retry, l.date = retry, date
			return
		}
	}
}

// given reports whether a value is there and not null.
func given(value []byte) bool { return len(value) > 0 && value[0] != 'n' }

// isTooMany reports whether a value is the number 429.
func isTooMany(k stream.Kind, value []byte) bool {
	if k != stream.Number {
		return false
	}
	n, err := strconv.ParseFloat(string(value), 64)
	return err == nil && n == 429
}

// textOf is the text of a JSON string, and empty for anything else.
func textOf(value []byte) []byte {
	if len(value) < 2 || value[0] != '"' {
		return nil
	}
	return bytes.ToValidUTF8(stream.AppendText(nil, value[1:len(value)-1]), []byte("\uFFFD"))
}

// says is the message.
func (l *rateLimit) says() []byte {
	for _, m := range [...][]byte{l.message, l.inner, l.simple} {
		if text := textOf(m); len(text) > 0 {
			return text
		}
	}
	return []byte(defaultLimitMessage)
}

// seconds is how long to wait.
func (l *rateLimit) seconds(now func() time.Time) int64 {
	v := l.retryAfter
	if l.retry != nil {
		v = l.retry
	}
	if !given(v) {
		return defaultRetry
	}
	text := string(v)
	if v[0] == '"' {
		text = strings.TrimSpace(string(textOf(v)))
	}
	n, ok := delay(text)
	if !ok {
		until, err := parseHTTPDate(text)
		if err != nil {
			return defaultRetry
		}
		from, err := parseHTTPDate(strings.TrimSpace(string(textOf(l.date))))
		if err != nil {
			from = now()
		}
		n = until.Sub(from).Seconds()
	}
	if n < 0 || n > 1<<53 {
		return defaultRetry
	}
	return int64(math.Ceil(n))
}

// delay reads seconds in decimal notation.
func delay(text string) (float64, bool) {
	if text == "" || strings.Trim(text, "0123456789.eE+-") != "" {
		return 0, false
	}
	n, err := strconv.ParseFloat(text, 64)
	return n, err == nil
}

// parseHTTPDate reads a date in one of the three forms of RFC 9110, section
// 5.6.7.
func parseHTTPDate(text string) (t time.Time, err error) {
	for _, form := range [...]string{"Mon, 02 Jan 2006 15:04:05 GMT", "Monday, 02-Jan-06 15:04:05 GMT", time.ANSIC} {
		if t, err = time.Parse(form, text); err == nil {
			return t, nil
		}
	}
	return t, err
}

// rateLimited writes what is said of a rate limit if the value that f.hold has
// is one. Where the budget has not even room for the type the value is none.
func (f *resultFitter) rateLimited(at *site) (bool, error) {
	raw := f.hold.raw
	if !bytes.Contains(raw, []byte("429")) {
		return false, nil
	}
	l := &f.limited
	l.read(raw)
	if !l.limited || l.foreign {
		return false, nil
	}
	wait := l.seconds(f.run.now)
	doc, ok := f.limitDoc(wait, l.says())
	if !ok {
		return false, nil
	}
	f.cut = true
	if f.Check {
		return true, f.Find(at.place(), fmt.Sprintf("an upstream rate limit, retry after %d seconds", wait))
	}
	if _, err := f.w.Value().Write(doc); err != nil {
		return true, err
	}
	return true, f.note(at, change{
		Rule: "rate_limited", Unit: Bytes.String(), Before: int64(len(raw)), After: int64(len(doc)), Limit: "status 429",
	})
}

// limitDoc lays out a rate limit: all of it, or as much as fits, the message cut
// first. It reports false if nothing does.
func (f *resultFitter) limitDoc(wait int64, message []byte) (doc []byte, ok bool) {
	var final []byte
	try := func(level int, message string) bool {
		o := newObject(doc[:0])
		o.str("type", "rate_limited")
		if level < 3 {
			o.int("retryAfterSeconds", wait)
		}
		if level < 2 {
			o.text("upstream", f.run.Tool)
		}
		if level < 1 {
			o.str("message", message)
		}
		doc = o.end()
		final = f.layout().Append(final[:0], doc)
		return f.g.over(final) == noUnit
	}
	if try(0, string(message)) {
		return doc, true
	}
	short := func(k int) string { return string(message[:graphemeFloor(message, k)]) + "…" }
	if k := search(len(message)-1, 64, func(k int) bool { return try(0, short(k)) }); k > 0 && try(0, short(k)) {
		return doc, true
	}
	for level := 1; level <= 3; level++ {
		if try(level, "") {
			return doc, true
		}
	}
	return nil, false
}
