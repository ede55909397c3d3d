package ops

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"jlop/stream"
)

func TestExitCode(t *testing.T) {
	syntax := &stream.SyntaxError{Name: "a.json", Line: 1, Col: 2, Msg: "bad"}
	tests := []struct {
		name string
		err  error
		want int
	}{
		{"nil", nil, 0},
		{"found", ErrFound, 1},
		{"usage", Usagef("no"), 2},
		{"wrapped usage", fmt.Errorf("x: %w", Usagef("no")), 2},
		{"budget", fmt.Errorf("record 3: %w", ErrBudget), 4},
		{"syntax", syntax, 5},
		{"wrapped syntax", fmt.Errorf("x: %w", syntax), 5},
		{"system", fs.ErrNotExist, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := ExitCode(tt.err); got != tt.want {
				t.Errorf("want %d, got %d", tt.want, got)
			}
		})
	}
}

func TestSessionMessages(t *testing.T) {
	hint := Usagef("--at and --lines exclude each other")
	hint.Hint = "leave one out"
	tests := []struct {
		name    string
		session Session
		do      func(s *Session)
		want    string // on standard error
		status  int
	}{
		{"nothing", Session{}, func(s *Session) {}, "", 0},
		{"warning", Session{}, func(s *Session) { s.Warnf("%d odd", 3) }, "jlop: warning: 3 odd\n", 0},
		{"warning, quiet", Session{Quiet: true}, func(s *Session) { s.Warnf("odd") }, "", 0},
		{"hint", Session{}, func(s *Session) { s.Hintf("try %s", "this") }, "jlop: hint: try this\n", 0},
		{"hint, quiet", Session{Quiet: true}, func(s *Session) { s.Hintf("try") }, "", 0},
		{"no error", Session{}, func(s *Session) { s.Errorf(nil) }, "", 0},
		{"found is silent", Session{}, func(s *Session) { s.Errorf(ErrFound) }, "", 1},
		{"error, quiet", Session{Quiet: true}, func(s *Session) { s.Errorf(errors.New("no")) }, "jlop: no\n", 2},
		{"usage with hint", Session{}, func(s *Session) { s.Errorf(hint) },
			"jlop: --at and --lines exclude each other\njlop: hint: leave one out\n", 2},
		{"usage with hint, quiet", Session{Quiet: true}, func(s *Session) { s.Errorf(hint) },
			"jlop: --at and --lines exclude each other\n", 2},
		{"missing file", Session{}, func(s *Session) {
			s.Errorf(&fs.PathError{Op: "open", Path: "a.json", Err: syscall.ENOENT})
		}, "jlop: a.json: no such file or directory\n", 2},
		{"wrapped file error", Session{}, func(s *Session) {
			s.Errorf(fmt.Errorf("--report: %w", &fs.PathError{Op: "open", Path: "r", Err: syscall.EACCES}))
		}, "jlop: --report: r: permission denied\n", 2},
		{"standard output", Session{}, func(s *Session) {
			s.Errorf(&fs.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.ENOSPC})
		}, "jlop: <stdout>: no space left on device\n", 2},
		{"a name cannot break the line", Session{}, func(s *Session) { s.Errorf(errors.New("a\nb\r\tc: no")) },
			`jlop: a\nb\x0d\tc: no` + "\n", 2},
		{"nor reach the terminal", Session{}, func(s *Session) { s.Errorf(errors.New("\x1b[2J\u009b2J\x7f")) },
			`jlop: \x1b[2J\u009b2J\x7f` + "\n", 2},
		{"nor hide", Session{}, func(s *Session) { s.Errorf(errors.New("a\u202eb\u200bc\u2028d\U000e0041e\u00a0f")) },
			`jlop: a\u202eb\u200bc\u2028d\U000e0041e\u00a0f` + "\n", 2},
		{"bytes that are no text", Session{}, func(s *Session) { s.Errorf(errors.New("a\xffb\ufffd")) },
			`jlop: a\xffb` + "\ufffd\n", 2},
		{"text stays", Session{}, func(s *Session) { s.Errorf(errors.New(`é 中 🙂 "q" \n`)) },
			`jlop: é 中 🙂 "q" \n` + "\n", 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var stderr strings.Builder
			s := tt.session
			s.Stderr = &stderr
			tt.do(&s)
			s.Close()
			if diff := cmp.Diff(tt.want, stderr.String()); diff != "" {
				t.Errorf("stderr (-want +got):\n%s", diff)
			}
			if s.Status() != tt.status {
				t.Errorf("want status %d, got %d", tt.status, s.Status())
			}
		})
	}
}

func TestSessionWarningsAreCounted(t *testing.T) {
	for _, n := range []int{10, 11, 25} {
		var stderr strings.Builder
		s := Session{Stderr: &stderr}
		for i := range n {
			s.Warnf("number %d", i)
		}
		s.Close()
		lines := strings.Split(strings.TrimSuffix(stderr.String(), "\n"), "\n")
		want := []string{"jlop: warning: number 9"}
		if n > 10 {
			want = append(want, fmt.Sprintf("jlop: warning: %d of %d warnings not shown", n-10, n))
		}
		if diff := cmp.Diff(want, lines[9:]); diff != "" {
			t.Errorf("%d warnings (-want +got):\n%s", n, diff)
		}
	}
}

func TestSessionStatusIsTheGravest(t *testing.T) {
	all := []error{nil, ErrFound, ErrBudget, &stream.SyntaxError{}, Usagef("no")}
	for i, a := range all {
		for j, b := range all {
			s := Session{Stderr: new(strings.Builder)}
			s.Errorf(a)
			s.Errorf(b)
			if want := ExitCode(all[max(i, j)]); s.Status() != want {
				t.Errorf("%v, then %v: want %d, got %d", a, b, want, s.Status())
			}
		}
	}
}

func TestSessionFind(t *testing.T) {
	tests := []struct {
		name string
		at   Place
		want string
	}{
		{"all", Place{File: "a.json", Line: 3, Col: 7, Pointer: "/a/0"}, "a.json:3:7: too long (in /a/0)\n"},
		{"at the root", Place{File: "a.json", Line: 3, Col: 7}, "a.json:3:7: too long\n"},
		{"a line", Place{File: "a.json", Line: 3}, "a.json:3: too long\n"},
		{"a file", Place{File: "a.json"}, "a.json: too long\n"},
		{"controls", Place{File: "a\n", Line: 1, Pointer: "/\x1b"}, `a\n:1: too long (in /\x1b)` + "\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var stdout strings.Builder
			s := Session{Stdout: &stdout}
			if err := s.Find(tt.at, "too long"); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, stdout.String()); diff != "" {
				t.Error(diff)
			}
			if s.Status() != 1 {
				t.Errorf("status %d", s.Status())
			}
		})
	}
}

func TestExcerpt(t *testing.T) {
	tests := []struct {
		name, text string
		caret      int
		want       string
	}{
		{"in the middle", `{"a":x}`, 5, "    {\"a\":x}\n         ^\n"},
		{"at the start", `x`, 0, "    x\n    ^\n"},
		{"at the end", `[1,`, 3, "    [1,\n       ^\n"},
		{"after controls and text", "\té[x", 4, "    \\té[x\n        ^\n"},
		{"cut inside a character", "\xa9\xa9[x", 3, "    [x\n     ^\n"},
		{"the byte itself is no text", "[\xff", 1, "    [\\xff\n     ^\n"},
		{"nothing", "", 0, "    \n    ^\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := &stream.SyntaxError{Excerpt: []byte(tt.text), Caret: tt.caret}
			if diff := cmp.Diff(tt.want, excerpt(e)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A terminal is shown the excerpt, and nothing else is.
func TestExcerptOnlyOnTerminals(t *testing.T) {
	var stderr strings.Builder
	s := Session{Stderr: &stderr}
	s.Errorf(&stream.SyntaxError{Name: "a", Line: 1, Col: 2, Msg: "no", Excerpt: []byte("[x"), Caret: 1})
	if diff := cmp.Diff("jlop: a:1:2: no\n", stderr.String()); diff != "" {
		t.Error(diff)
	}
}
