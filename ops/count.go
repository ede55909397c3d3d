package ops

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"jlop/stream"
	"jlop/tokenize"
)

// Count counts the records, tokens, characters and bytes of its inputs.
var Count = Op{
	Name:  "count",
	Doc:   "tokens, bytes, chars and records, like wc; a budget gate with --check",
	Args:  "[FILE...]",
	Scope: ScopeRecord,
	New: func() Run {
		c := &countRun{}
		c.Common.init()
		return c
	},
}

// countRun holds the options of count.
type countRun struct {
	Common
	Records, Tokens, Chars, Bytes bool
	JSON, Each                    bool
}

const groupColumns = "Columns"

func (c *countRun) Flags() []Flag {
	own := []Flag{
		{Name: "records", Short: "n", Doc: "show the number of records", Value: BoolValue(&c.Records), Group: groupColumns},
		{Name: "tokens", Short: "t", Doc: "show the number of tokens", Value: BoolValue(&c.Tokens), Group: groupColumns},
		{Name: "chars", Short: "m", Doc: "show the number of Unicode code points", Value: BoolValue(&c.Chars), Group: groupColumns},
		{Name: "bytes", Short: "c", Doc: "show the number of bytes", Value: BoolValue(&c.Bytes), Group: groupColumns},
		{Name: "each", Doc: "a line per record instead of one per file", Value: BoolValue(&c.Each), Group: groupColumns},
		{Name: "json", Doc: "lines of JSON instead of columns", Value: BoolValue(&c.JSON), Group: groupColumns},
	}
	input := slices.DeleteFunc(c.inputFlags(), func(f Flag) bool { return f.Name == "at" })
	output := slices.DeleteFunc(c.outputFlags(), func(f Flag) bool { return f.Name != "output" })
	run := slices.DeleteFunc(c.runFlags(), func(f Flag) bool { return f.Name == "exit-code" })
	return slices.Concat(own, input, c.budgetFlags(), output, append(run, c.jobsFlag()))
}

// sizes are the totals over some texts.
type sizes struct {
	records, tokens, chars, bytes int64
}

func (s *sizes) add(t sizes) {
	s.records += t.records
	s.tokens += t.tokens
	s.chars += t.chars
	s.bytes += t.bytes
}

// in is the total in a unit.
func (s sizes) in(u Unit) int64 {
	switch u {
	case Tokens:
		return s.tokens
	case Chars:
		return s.chars
	}
	return s.bytes
}

// A countRow is a line of the answer.
type countRow struct {
	name string
	line int64 // of the record, with --each
	sizes
}

// counter is one run of count.
type counter struct {
	*countRun
	*job
	pool  *countPool
	meter *tokenize.Meter // of texts too long for the pool
	rows  []countRow      // not written yet
	total sizes
	files int
	width [4]int // of the columns
}

func (c *countRun) Run(ctx context.Context, s *Session) error {
	b, err := c.budget()
	if err != nil {
		return err
	}
	if c.Check && !b.Bounded() {
		return Usagef("--check needs a budget: --max-tokens, --max-bytes or --max-chars")
	}
	if !c.Check && b.Bounded() {
		// JLOP_MAX_TOKENS may be set for the other commands.
		b.Tokens, b.Bytes, b.Chars = 0, 0, 0
	}
	if !c.Records && !c.Tokens && !c.Chars && !c.Bytes {
		c.Records, c.Tokens, c.Chars, c.Bytes = true, true, true, true
	}
	names := s.Args
	if len(names) == 0 {
		names = []string{"-"}
	}
	j, err := c.open(s, newGauge(b))
	if err != nil {
		return err
	}
	k := &counter{countRun: c, job: j}
	k.pool = newCountPool(int(c.Jobs), k.g, k.needTokens())
	defer k.pool.close()
	for i := range k.width {
		k.width[i] = 1
		if c.Each {
			k.width[i] = 7
		}
	}
	for _, name := range names {
		if err = k.file(name); err != nil {
			break
		}
	}
	if err == nil {
		err = k.end()
	}
	return j.close(err)
}

// needTokens reports whether tokens have to be counted.
func (k *counter) needTokens() bool {
	if k.Check {
		return k.g.Tokens > 0
	}
	return k.Tokens || k.JSON
}

// file counts one input.
func (k *counter) file(name string) error {
	r := k.reader([]string{name})
	k.r = r
	defer r.Close()
	before := r.Errors()
	sum := countRow{name: name}
	if name == "-" {
		sum.name = stream.StdinName
	}
	done := func(b *countBatch) error {
		for i, rec := range b.records {
			sum.add(rec)
			if k.Each {
				if err := k.row(countRow{name: sum.name, line: b.lines[i], sizes: rec}); err != nil {
					return err
				}
			}
		}
		return nil
	}
	var err error
	if k.RawInput {
		err = k.text(r, done)
	} else {
		err = k.values(r, done)
	}
	if err != nil {
		return err
	}
	if r.Errors() > before && sum.records == 0 {
		return nil // there was no such file
	}
	k.files++
	k.total.add(sum.sizes)
	if k.Each {
		return nil
	}
	return k.row(sum)
}

// text counts plain text, which is one record.
func (k *counter) text(r *stream.Reader, done func(*countBatch) error) error {
	ok, err := r.Next(nil)
	if err != nil || !ok {
		return err
	}
	w := k.long(nil)
	for last := false; !last; {
		var piece []byte
		if piece, last, err = r.Text(); err != nil {
			return err
		}
		w.Write(piece)
	}
	return done(&countBatch{records: []sizes{w.sizes()}, lines: []int64{1}})
}

// values counts the values of an input.
func (k *counter) values(r *stream.Reader, done func(*countBatch) error) error {
	b := k.pool.batch()
	for {
		ok, err := r.Next(nil)
		if err != nil {
			k.pool.drain(done)
			return err
		}
		if !ok {
			break
		}
		s := r.Scanner()
		line := int64(0)
		if k.Each {
			line, _ = s.Position(s.InputOffset())
		}
		w := batchWriter{k: k, b: b, from: len(b.text)}
		if err := s.CopyValue(&w); err != nil {
			k.pool.drain(done)
			return err
		}
		b.lines = append(b.lines, line)
		b.ends = append(b.ends, len(b.text))
		if w.long != nil {
			b.long = append(b.long, longRecord{len(b.ends) - 1, w.long.sizes()})
		}
		if len(b.text) >= batchBytes || len(b.ends) >= batchRecords {
			if err := k.pool.send(b, done); err != nil {
				return err
			}
			b = k.pool.batch()
		}
	}
	return k.pool.finish(b, done)
}

const (
	// batchBytes is how much text is given to a worker at a time: enough to make
	// the hand-over cheap, small enough for the cache.
	batchBytes   = 256 << 10
	batchRecords = 4096
	// longBytes is the length from which a record is counted as it is read.
	longBytes = 1 << 20
)

// A batchWriter takes one record: into the batch, or, if it is long, to be
// counted as it is read.
type batchWriter struct {
	k    *counter
	b    *countBatch
	from int
	long *textCounter
}

func (w *batchWriter) Write(p []byte) (int, error) {
	if w.long == nil && len(w.b.text)-w.from+len(p) > longBytes {
		w.long = w.k.long(w.b.text[w.from:])
		w.b.text = w.b.text[:w.from]
	}
	if w.long != nil {
		return w.long.Write(p)
	}
	w.b.text = append(w.b.text, p...)
	return len(p), nil
}

// long begins to count a text of any length, which begins with head.
func (k *counter) long(head []byte) *textCounter {
	t := &textCounter{g: k.g}
	if k.needTokens() {
		if k.meter == nil {
			k.meter = k.g.exact().Meter()
		}
		k.meter.Reset()
		t.meter = k.meter
	}
	t.Write(head)
	return t
}

// A textCounter counts one text as it is read.
type textCounter struct {
	g     *gauge
	meter *tokenize.Meter
	n     sizes
}

func (t *textCounter) Write(p []byte) (int, error) {
	t.n.bytes += int64(len(p))
	t.n.chars += countChars(p)
	if t.meter != nil {
		t.meter.Write(p)
	}
	return len(p), nil
}

func (t *textCounter) sizes() sizes {
	t.n.records = 1
	if t.meter != nil {
		t.n.tokens = t.g.charge(int64(t.meter.Count()))
	}
	return t.n
}

// A countBatch is some records of one input, in order.
type countBatch struct {
	text    []byte
	ends    []int
	lines   []int64
	long    []longRecord
	records []sizes
	done    chan struct{}
}

// A longRecord is a record that was counted as it was read.
type longRecord struct {
	index int
	sizes sizes
}

// A countPool counts batches on several goroutines and gives them back in the
// order in which they were sent. The goroutines start as there is work for them:
// an input of one batch is counted without any.
type countPool struct {
	g       *gauge
	tokens  bool
	jobs    chan *countBatch // nil before the first worker
	sent    []*countBatch
	free    []*countBatch
	workers int               // started
	size    int               // the most workers; one counts without
	own     *tokenize.Counter // without workers
}

func newCountPool(workers int, g *gauge, tokens bool) *countPool {
	if !tokens {
		workers = 1
	}
	return &countPool{g: g, tokens: tokens, size: max(workers, 1)}
}

// start starts a worker.
func (p *countPool) start() {
	if p.jobs == nil {
		p.jobs = make(chan *countBatch, 2*p.size)
	}
	p.workers++
	go func(jobs <-chan *countBatch) {
		c := tokenize.NewCounter(p.g.Encoding)
		for b := range jobs {
			p.count(b, c)
			b.done <- struct{}{}
		}
	}(p.jobs)
}

func (p *countPool) close() {
	if p.jobs != nil {
		close(p.jobs)
	}
}

// batch returns an empty batch.
func (p *countPool) batch() *countBatch {
	if n := len(p.free); n > 0 {
		b := p.free[n-1]
		p.free = p.free[:n-1]
		b.text, b.ends, b.lines, b.long, b.records = b.text[:0], b.ends[:0], b.lines[:0], b.long[:0], b.records[:0]
		return b
	}
	return &countBatch{done: make(chan struct{}, 1)}
}

// count counts the records of b.
func (p *countPool) count(b *countBatch, c *tokenize.Counter) {
	from, long := 0, b.long
	for i, end := range b.ends {
		if len(long) > 0 && long[0].index == i {
			b.records = append(b.records, long[0].sizes)
			long = long[1:]
			continue
		}
		text := b.text[from:end]
		from = end
		n := sizes{records: 1, bytes: int64(len(text)), chars: countChars(text)}
		if c != nil {
			n.tokens = p.g.charge(int64(c.Count(text)))
		}
		b.records = append(b.records, n)
	}
}

// send has b counted, and gives the oldest batches to done while too many are
// under way.
func (p *countPool) send(b *countBatch, done func(*countBatch) error) error {
	if p.size > 1 && p.workers < min(p.size, len(p.sent)+1) {
		p.start()
	}
	p.queue(b)
	for len(p.sent) >= 2*p.size {
		if err := p.oldest(done); err != nil {
			return err
		}
	}
	return nil
}

// queue gives b to the workers, or counts it if there are none.
func (p *countPool) queue(b *countBatch) {
	if p.jobs == nil {
		if p.tokens && p.own == nil {
			p.own = tokenize.NewCounter(p.g.Encoding)
		}
		p.count(b, p.own)
		b.done <- struct{}{}
	} else {
		p.jobs <- b
	}
	p.sent = append(p.sent, b)
}

// finish has the last batch of an input counted and gives all that are under way
// to done.
func (p *countPool) finish(b *countBatch, done func(*countBatch) error) error {
	if len(p.sent) == 0 {
		p.queue(b)
	} else if err := p.send(b, done); err != nil {
		return err
	}
	return p.drain(done)
}

func (p *countPool) oldest(done func(*countBatch) error) error {
	b := p.sent[0]
	p.sent = append(p.sent[:0], p.sent[1:]...)
	<-b.done
	p.free = append(p.free, b)
	return done(b)
}

// drain gives all batches that are under way to done.
func (p *countPool) drain(done func(*countBatch) error) (err error) {
	for len(p.sent) > 0 {
		if e := p.oldest(done); err == nil {
			err = e
		}
	}
	return err
}

// row takes a line of the answer.
func (k *counter) row(r countRow) error {
	if k.Check {
		return k.check(r)
	}
	if k.JSON {
		return k.writeJSON(r)
	}
	k.rows = append(k.rows, r)
	if k.Each && len(k.rows) >= batchRecords {
		return k.writeRows()
	}
	return nil
}

// check writes a finding if r is over the budget.
func (k *counter) check(r countRow) error {
	for _, u := range units {
		limit, n := k.g.limit(u), r.in(u)
		if limit <= 0 || n <= limit {
			continue
		}
		text := fmt.Sprintf("%d %s, %d over the budget of %d", n, u, n-limit, limit) + k.g.estimated(u.String())
		if err := k.Find(Place{File: r.name, Line: r.line}, text); err != nil {
			return err
		}
	}
	return nil
}

// writeJSON writes r as a line of --json.
func (k *counter) writeJSON(r countRow) error {
	o := newObject(nil)
	o.str("name", r.name)
	if r.line > 0 {
		o.int("line", r.line)
	}
	o.int("records", r.records)
	o.int("tokens", r.tokens)
	o.int("chars", r.chars)
	o.int("bytes", r.bytes)
	if k.g.Estimate {
		o.bool("estimate", true)
	}
	_, err := k.w.Write(append(o.end(), '\n'))
	return err
}

// end writes what is left, with the total of several files.
func (k *counter) end() error {
	if k.files > 1 && !k.Check && !k.JSON {
		k.rows = append(k.rows, countRow{name: "total", sizes: k.total})
	}
	return k.writeRows()
}

// writeRows writes the rows so far in columns.
func (k *counter) writeRows() error {
	show := [...]bool{k.Records, k.Tokens, k.Chars, k.Bytes}
	cells := func(r countRow) [4]string {
		c := [4]string{}
		for i, n := range [...]int64{r.records, r.tokens, r.chars, r.bytes} {
			c[i] = strconv.FormatInt(n, 10)
		}
		if k.g.Estimate {
			c[1] = "~" + c[1]
		}
		return c
	}
	for _, r := range k.rows {
		for i, c := range cells(r) {
			k.width[i] = max(k.width[i], len(c))
		}
	}
	var b []byte
	for _, r := range k.rows {
		for i, c := range cells(r) {
			if show[i] {
				b = fmt.Appendf(b, "%*s ", k.width[i], c)
			}
		}
		b = append(b, r.name...)
		if r.line > 0 {
			b = fmt.Appendf(b, ":%d", r.line)
		}
		b = append(b, '\n')
	}
	k.rows = k.rows[:0]
	_, err := k.w.Write(b)
	return err
}
