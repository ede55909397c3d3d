package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"jlop/ops"
)

// TestManPages holds the OPTIONS of each command's page to its flags: the same
// names, arguments and defaults.
func TestManPages(t *testing.T) {
	for _, op := range ops.All() {
		t.Run(op.Name, func(t *testing.T) {
			page, err := os.ReadFile("man/jlop-" + op.Name + ".1")
			if err != nil {
				t.Fatal(err)
			}
			want := map[string]string{}
			for _, f := range append(op.New().Flags(), helpFlag, versionFlag) {
				want["--"+f.Name] = strings.TrimSpace(synopsis(f)) + defaultText(f)
			}
			if diff := cmp.Diff(want, manOptions(t, string(page))); diff != "" {
				t.Errorf("(-flags +page):\n%s", diff)
			}
			for _, must := range []string{
				".Dt JLOP-" + strings.ToUpper(op.Name) + " 1\n",
				".Nm jlop-" + op.Name + "\n",
				"cut " + op.Scope.String(),
				".Sh EXIT STATUS\n", ".Sh EXAMPLES\n", ".Sh SEE ALSO\n",
			} {
				if !strings.Contains(string(page), must) {
					t.Errorf("the page lacks %q", must)
				}
			}
		})
	}
}

// TestManOverview holds jlop(1) to the list of commands.
func TestManOverview(t *testing.T) {
	page, err := os.ReadFile("man/jlop.1")
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, op := range ops.All() {
		want = append(want, fmt.Sprintf(".It Xr jlop-%s 1", op.Name))
	}
	got := regexp.MustCompile(`(?m)^\.It Xr jlop-.*$`).FindAllString(string(page), -1)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-commands +page):\n%s", diff)
	}
	pages, err := filepath.Glob("man/jlop-*.1")
	if err != nil {
		t.Fatal(err)
	}
	if len(pages) != len(want) {
		t.Errorf("%d commands, but the pages are %q", len(want), pages)
	}
}

var (
	manItem    = regexp.MustCompile(`^\.It (?:Fl (\w) , )?Fl Fl ([\w-]+)(?: Ar (\S+))?$`)
	manDefault = regexp.MustCompile(`The default is (.+?)\.(?: |$)`)
)

// manOptions reads the items of the section OPTIONS in the form in which help
// shows them, by name.
func manOptions(t *testing.T, page string) map[string]string {
	_, section, _ := strings.Cut(page, "\n.Sh OPTIONS\n")
	section, _, _ = strings.Cut(section, "\n.Sh ")
	options := map[string]string{}
	for item := range strings.SplitSeq(section, "\n.It ") {
		first, body, _ := strings.Cut(item, "\n")
		m := manItem.FindStringSubmatch(".It " + first)
		if m == nil {
			if strings.HasPrefix(first, "Fl") {
				t.Errorf("cannot read .It %s", first)
			}
			continue
		}
		line := synopsis(ops.Flag{Short: m[1], Name: m[2], Arg: m[3]})
		if d := manDefault.FindStringSubmatch(strings.ReplaceAll(body, "\n", " ")); d != nil {
			if d[1] == "the number of CPUs" {
				d[1] = strconv.Itoa(runtime.GOMAXPROCS(0))
			}
			line += " (default " + d[1] + ")"
		}
		if options["--"+m[2]] != "" {
			t.Errorf("--%s is there twice", m[2])
		}
		options["--"+m[2]] = strings.TrimSpace(line)
	}
	return options
}
