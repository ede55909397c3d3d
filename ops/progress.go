package ops

import (
	"fmt"
	"io"
	"time"
)

// A progress tells on a terminal how far a run has come, if it takes long. It is
// asked at each read and looks at the clock itself: a run needs no goroutine
// for it, and the libraries that draw bars cost more at start-up than all else.
type progress struct {
	w       io.Writer // nil: nothing is shown
	start   time.Time
	next    time.Time // when something is shown again
	bytes   int64
	records func() int64
	shown   bool
}

const (
	progressAfter = 2 * time.Second
	progressEvery = 250 * time.Millisecond
)

// newProgress makes the progress of a run of s. It is shown only if standard
// error is a terminal and standard output is not.
func newProgress(s *Session, records func() int64) *progress {
	p := &progress{start: time.Now(), records: records}
	p.next = p.start.Add(progressAfter)
	if !s.Quiet && isTerminal(s.Stderr) && !isTerminal(s.Stdout) {
		p.w = s.Stderr
	}
	return p
}

// read notes that n more bytes were read.
func (p *progress) read(n int) {
	p.bytes += int64(n)
	if p.w == nil {
		return
	}
	now := time.Now()
	if now.Before(p.next) {
		return
	}
	p.next = now.Add(progressEvery)
	p.shown = true
	fmt.Fprintf(p.w, "\rjlop: %s, %d records\x1b[K", p.rate(now), p.records())
}

// rate says how much was read and how fast.
func (p *progress) rate(now time.Time) string {
	took := now.Sub(p.start).Seconds()
	return fmt.Sprintf("%.1f MB in %.1f s, %.0f MB/s", float64(p.bytes)/1e6, took, float64(p.bytes)/1e6/max(took, 1e-9))
}

// end removes what was shown.
func (p *progress) end() {
	if p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.shown = false
	}
}
