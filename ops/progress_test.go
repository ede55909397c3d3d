package ops

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

func TestProgress(t *testing.T) {
	var out bytes.Buffer
	now := time.Now()
	p := &progress{w: &out, start: now.Add(-4 * time.Second), next: now.Add(time.Hour), records: func() int64 { return 7 }}
	p.read(1e6)
	if out.Len() > 0 {
		t.Errorf("shown before its time: %q", out.String())
	}
	p.next = now
	p.read(3e6)
	p.read(1e6) // too soon after
	p.end()
	p.end()
	if got := out.String(); !strings.HasPrefix(got, "\rjlop: 4.0 MB in 4.") || !strings.HasSuffix(got, "MB/s, 7 records\x1b[K\r\x1b[K") {
		t.Errorf("got %q", got)
	}
	quiet := newProgress(&Session{Stdout: &out, Stderr: &out}, nil)
	if quiet.w != nil {
		t.Error("shown where there is no terminal")
	}
}
