package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"jlop/ops"
)

var update = flag.Bool("update", false, "write what the commands in testdata/script give into the scripts")

// TestScripts runs the command lines in testdata/script/*.txt and compares what
// they give with what is written there. A script is a list of cases:
//
//	# What this shows.
//	$ jlop truncate --max-bytes 10 -
//	< lines of standard input
//	> lines of standard output
//	2> lines of standard error
//	? 2
//
// Only the line with $ must be there; without ? the exit status is 0. A line \
// says that the line before it ends without a line feed. Lines that begin with
// # and empty lines are for readers.
//
// A command line is split at spaces, 'single quotes' keep a word together.
// Several commands can be joined by |, and NAME=value before a command sets a
// variable. Beside jlop there is cat. $TMP is an empty directory, the same one
// for all cases of a script; $CURSOR is the last cursor that was printed.
//
// go test -run TestScripts -update . writes the results into the scripts, to be
// looked at before they are committed.
func TestScripts(t *testing.T) {
	names, err := filepath.Glob("testdata/script/*.txt")
	if err != nil || len(names) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txt"), func(t *testing.T) {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			cases, err := parseScript(string(data))
			if err != nil {
				t.Fatalf("%s:%v", name, err)
			}
			vars := map[string]string{"TMP": t.TempDir()}
			var after strings.Builder
			for _, c := range cases {
				var got scriptCase
				t.Run(strconv.Itoa(c.line), func(t *testing.T) { got = c.run(t, vars) })
				after.WriteString(got.String())
				if *update {
					continue
				}
				if diff := cmp.Diff(c.String(), got.String()); diff != "" {
					t.Errorf("%s:%d: (-want +got):\n%s", name, c.line, diff)
				}
			}
			if *update {
				if err := os.WriteFile(name, []byte(after.String()), 0o666); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// TestScriptsOfAllCommands holds each command to have a script.
func TestScriptsOfAllCommands(t *testing.T) {
	for _, op := range ops.All() {
		data, err := os.ReadFile("testdata/script/" + op.Name + ".txt")
		if err != nil {
			t.Error(err)
		} else if !strings.Contains(string(data), "$ jlop "+op.Name+" ") {
			t.Errorf("testdata/script/%s.txt does not run the command", op.Name)
		}
	}
}

// A scriptCase is one command line of a script and what it gives.
type scriptCase struct {
	line                  int
	before                string // comments and empty lines
	command               string
	stdin, stdout, stderr string
	status                int
}

func parseScript(text string) ([]scriptCase, error) {
	var cases []scriptCase
	var before strings.Builder
	var block *string // of the line before
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSuffix(line, "\n")
		if command, ok := strings.CutPrefix(line, "$ "); ok {
			cases = append(cases, scriptCase{line: n, before: before.String(), command: command})
			before.Reset()
			continue
		}
		if line == "" || line[0] == '#' {
			before.WriteString(line + "\n")
			continue
		}
		if len(cases) == 0 || before.Len() > 0 {
			return nil, fmt.Errorf("%d: not under a command line", n)
		}
		c := &cases[len(cases)-1]
		mark, rest, _ := strings.Cut(line, " ")
		switch mark {
		case "<":
			block = &c.stdin
		case ">":
			block = &c.stdout
		case "2>":
			block = &c.stderr
		case "\\":
			if block == nil {
				return nil, fmt.Errorf("%d: no line before", n)
			}
			*block = strings.TrimSuffix(*block, "\n")
			continue
		case "?":
			var err error
			if c.status, err = strconv.Atoi(rest); err != nil {
				return nil, fmt.Errorf("%d: %v", n, err)
			}
			continue
		default:
			return nil, fmt.Errorf("%d: a line cannot begin with %q", n, mark)
		}
		*block += rest + "\n"
	}
	if before.Len() > 0 {
		return nil, fmt.Errorf("%d: text after the last case", n)
	}
	return cases, nil
}

// String returns the case as it stands in a script.
func (c scriptCase) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s$ %s\n", c.before, c.command)
	for _, block := range []struct{ mark, text string }{{"<", c.stdin}, {">", c.stdout}, {"2>", c.stderr}} {
		for line := range strings.Lines(block.text) {
			full := strings.HasSuffix(line, "\n")
			b.WriteString(block.mark)
			if line = strings.TrimSuffix(line, "\n"); line != "" {
				b.WriteString(" " + line)
			}
			b.WriteString("\n")
			if !full {
				b.WriteString("\\\n")
			}
		}
	}
	if c.status != 0 {
		fmt.Fprintf(&b, "? %d\n", c.status)
	}
	return b.String()
}

var (
	scriptWord   = regexp.MustCompile(`(?:'[^']*'|[^ '])+`)
	scriptAssign = regexp.MustCompile(`^[A-Z_]+=`)
	scriptCursor = regexp.MustCompile(`"(?:nextCursor|cursor)":"([^"]*)"`)
)

// run returns the case with what the command really gives. The exit status is
// that of the first command that fails.
func (c scriptCase) run(t *testing.T, vars map[string]string) scriptCase {
	c.stdout, c.stderr, c.status = c.stdin, "", 0
	for command := range strings.SplitSeq(c.command, " | ") {
		var words []string
		for _, word := range scriptWord.FindAllString(command, -1) {
			for name, value := range vars {
				word = strings.ReplaceAll(word, "$"+name, value)
			}
			word = strings.ReplaceAll(word, "'", "")
			if len(words) == 0 && scriptAssign.MatchString(word) {
				name, value, _ := strings.Cut(word, "=")
				t.Setenv(name, value)
				continue
			}
			words = append(words, word)
		}
		var stdout, stderr strings.Builder
		status := 0
		switch words[0] {
		case "jlop":
			status = run(words[1:], strings.NewReader(c.stdout), &stdout, &stderr)
		case "cat":
			for _, name := range words[1:] {
				data, err := os.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				stdout.Write(data)
			}
		default:
			t.Fatalf("line %d: unknown command %q", c.line, words[0])
		}
		c.stdout = stdout.String()
		c.stderr += stderr.String()
		if c.status == 0 {
			c.status = status
		}
	}
	if all := scriptCursor.FindAllStringSubmatch(c.stdout, -1); all != nil {
		vars["CURSOR"] = all[len(all)-1][1]
	}
	c.stdout = strings.ReplaceAll(c.stdout, vars["TMP"], "$TMP")
	c.stderr = strings.ReplaceAll(c.stderr, vars["TMP"], "$TMP")
	return c
}
