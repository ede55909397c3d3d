package ops

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"jlop/stream"
)

// drawResult draws a value of any shape, and a rate limit now and then.
func drawResult(t *rapid.T) (value string, limited bool) {
	switch rapid.IntRange(0, 4).Draw(t, "result") {
	case 0:
		name := rapid.SampledFrom([]string{"status", "statusCode"}).Draw(t, "status")
		return fmt.Sprintf(`{"headers":{"retry-after":%d},%q: 429,"message":%s,"data":%s}`,
			rapid.IntRange(-1, 1000).Draw(t, "retry"), name, stream.AppendQuoted(nil, []byte(drawText(t, 40))), drawValue(t, 2)), true
	case 1:
		var items []string
		for range rapid.IntRange(0, 40).Draw(t, "items") {
			items = append(items, drawValue(t, 1))
		}
		return "[" + strings.Join(items, ", ") + "]", false
	}
	return drawValue(t, 4), false
}

// Values of every shape: hard, valid, verbatim when they fit, the same again,
// and what fits passes when it comes back.
func TestFitLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var input strings.Builder
		var values []string
		var limits []bool
		for range rapid.IntRange(1, 4).Draw(t, "values") {
			v, limited := drawResult(t)
			values, limits = append(values, v), append(limits, limited)
			input.WriteString(v + "\n")
		}
		b, options := drawBudget(t, 6, 300)
		size := rapid.IntRange(1, 20).Draw(t, "page size")
		options = append(options, "page-size", strconv.Itoa(size),
			"keep-shape", strconv.FormatBool(rapid.Bool().Draw(t, "keep shape")),
			"tool", rapid.SampledFrom([]string{"", "my_api"}).Draw(t, "tool"))
		out, errs, status := ran(t, Fit.New(), input.String(), options...)
		if status != 0 && status != 4 {
			t.Fatalf("status %d: %s", status, errs)
		}
		checkRecords(t, b, out, status, values, func(i int, got string) bool {
			if limits[i] && exceeds(b, `{"type":"rate_limited"}`) == "" && !strings.HasPrefix(got, `{"type":"rate_limited"`) {
				t.Fatalf("%s came out as %s", values[i], got)
			}
			var items []json.RawMessage
			long := json.Unmarshal([]byte(values[i]), &items) == nil && len(items) > size
			return !limits[i] && !long
		})
		if again, _, _ := ran(t, Fit.New(), input.String(), options...); again != out {
			t.Fatal(cmp.Diff(out, again))
		}
		if status != 0 {
			return
		}
		if twice, errs, _ := ran(t, Fit.New(), out, options...); twice != out {
			t.Fatal(errs, cmp.Diff(out, twice))
		}
	})
}

// What does not fit comes out as the command that goes with its type gives it.
func TestFitAsOthers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v, limited := drawResult(t)
		b, options := drawBudget(t, 60, 300)
		if limited {
			return
		}
		size := strconv.Itoa(rapid.IntRange(1, 30).Draw(t, "page size"))
		own := append(options[:len(options):len(options)], "page-size", size)
		other, others := Truncate, options
		var items []json.RawMessage
		switch {
		case v[0] == '{' && rapid.Bool().Draw(t, "keep shape"):
			own = append(own, "keep-shape", "true")
		case v[0] == '{':
			other = Summarize
		case v[0] == '[':
			if err := json.Unmarshal([]byte(v), &items); err != nil {
				t.Fatal(err)
			}
			if n, _ := strconv.Atoi(size); len(items) > n || exceeds(b, v) != "" {
				other, others = Page, append(options[:len(options):len(options)], "page-size", size)
			}
		}
		want, wantErrs, wantStatus := ran(t, other.New(), v, others...)
		got, errs, status := ran(t, Fit.New(), v, own...)
		if diff := cmp.Diff(want+wantErrs, got+errs); diff != "" || status != wantStatus {
			t.Fatalf("status %d, of %s %d\n%s", status, other.Name, wantStatus, diff)
		}
	})
}

// A cursor made by fit goes on in fit as in the command that the value was given
// to, and the pages joined are the array.
func TestFitReadOn(t *testing.T) {
	var items []string
	for i := range 300 {
		items = append(items, fmt.Sprintf(`{"id":%d,"name":"item %d"}`, i, i))
	}
	input := "[" + strings.Join(items, ",") + "]"
	options := []string{"max-tokens", "400"}
	var got []string
	type pageShape struct {
		Items      []json.RawMessage
		NextCursor string
	}
	for at := options; ; {
		out, errs, status := ran(t, Fit.New(), input, at...)
		if status != 0 {
			t.Fatalf("status %d: %s", status, errs)
		}
		var p pageShape
		if err := json.Unmarshal([]byte(out), &p); err != nil {
			t.Fatal(err)
		}
		for _, item := range p.Items {
			got = append(got, string(item))
		}
		if p.NextCursor == "" {
			break
		}
		at = append(options[:2:2], "cursor", p.NextCursor)
		byPage, _, _ := ran(t, Page.New(), input, append(at[:4:4], "page-size", "50")...)
		if byFit, _, _ := ran(t, Fit.New(), input, at...); byFit != byPage {
			t.Fatal(cmp.Diff(byPage, byFit))
		}
	}
	if diff := cmp.Diff(items, got); diff != "" {
		t.Error(diff)
	}
}

func TestFitRateLimit(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	answer := func(seconds int, message string) string {
		return fmt.Sprintf(`{"type":"rate_limited","retryAfterSeconds":%d,"message":%q}`, seconds, message) + "\n"
	}
	for _, tt := range []struct {
		name, in string
		options  []string
		want     string // empty: as it was
	}{
		{name: "status", in: `{"status":429,"message":"Too Many Requests"}`, want: answer(30, "Too Many Requests")},
		{name: "statusCode", in: `{"statusCode":429}`, want: answer(30, "Rate limit exceeded")},
		{name: "in error", in: `{"error":{"status":429,"message":"slow down"}}`, want: answer(30, "slow down")},
		{name: "statusCode in error", in: `{"error":{"statusCode":429.0}}`, want: answer(30, "Rate limit exceeded")},
		{name: "error is a text", in: `{"status":429,"error":"too fast"}`, want: answer(30, "too fast")},
		{name: "its own message first", in: `{"status":429,"message":"a","error":{"message":"b"}}`, want: answer(30, "a")},
		{name: "message of error", in: `{"status":429,"message":7,"error":{"message":"b"}}`, want: answer(30, "b")},
		{name: "tool", in: `{"status":429}`, options: []string{"tool", "my_api_tool"},
			want: `{"type":"rate_limited","retryAfterSeconds":30,"upstream":"my_api_tool","message":"Rate limit exceeded"}` + "\n"},
		{name: "header", in: `{"status":429,"headers":{"retry-after":"7"}}`, want: answer(7, "Rate limit exceeded")},
		{name: "header in any case", in: `{"status":429,"headers":{"X":1,"Retry-AFTER":"8"}}`, want: answer(8, "Rate limit exceeded")},
		{name: "header as a number", in: `{"status":429,"headers":{"retry-after":9}}`, want: answer(9, "Rate limit exceeded")},
		{name: "zero", in: `{"status":429,"headers":{"retry-after":"0"}}`, want: answer(0, "Rate limit exceeded")},
		{name: "fraction", in: `{"status":429,"headers":{"retry-after":"1.2"}}`, want: answer(2, "Rate limit exceeded")},
		{name: "spaces", in: `{"status":429,"headers":{"retry-after":" 12 "}}`, want: answer(12, "Rate limit exceeded")},
		{name: "negative", in: `{"status":429,"headers":{"retry-after":-5}}`, want: answer(30, "Rate limit exceeded")},
		{name: "unreadable", in: `{"status":429,"headers":{"retry-after":"soon"},"retryAfter":5}`, want: answer(30, "Rate limit exceeded")},
		{name: "infinite", in: `{"status":429,"headers":{"retry-after":"inf"}}`, want: answer(30, "Rate limit exceeded")},
		{name: "too much", in: `{"status":429,"headers":{"retry-after":1e300}}`, want: answer(30, "Rate limit exceeded")},
		{name: "headers in error", in: `{"error":{"status":429,"headers":{"retry-after":3}}}`, want: answer(3, "Rate limit exceeded")},
		{name: "headers in the response", in: `{"error":{"status":429,"response":{"headers":{"retry-after":4}}}}`, want: answer(4, "Rate limit exceeded")},
		{name: "headers at the root first", in: `{"error":{"status":429,"headers":{"retry-after":3}},"headers":{"retry-after":2}}`, want: answer(2, "Rate limit exceeded")},
		{name: "null is not there", in: `{"status":429,"headers":{"retry-after":null},"retryAfter":5}`, want: answer(5, "Rate limit exceeded")},
		{name: "retryAfter", in: `{"status":429,"retryAfter":5}`, want: answer(5, "Rate limit exceeded")},
		{name: "retryAfter in error", in: `{"error":{"status":429,"retryAfter":"6"}}`, want: answer(6, "Rate limit exceeded")},
		{name: "date beside date", in: `{"status":429,"headers":{"Date":"Wed, 21 Oct 2015 07:27:00 GMT","Retry-After":"Wed, 21 Oct 2015 07:28:00 GMT"}}`, want: answer(60, "Rate limit exceeded")},
		{name: "date alone", in: `{"status":429,"headers":{"retry-after":"Sun, 01 Mar 2026 12:00:45 GMT"}}`, want: answer(45, "Rate limit exceeded")},
		{name: "date of RFC 850", in: `{"status":429,"headers":{"retry-after":"Sunday, 01-Mar-26 12:00:46 GMT"}}`, want: answer(46, "Rate limit exceeded")},
		{name: "date of asctime", in: `{"status":429,"headers":{"retry-after":"Sun Mar  1 12:00:47 2026"}}`, want: answer(47, "Rate limit exceeded")},
		{name: "date gone by", in: `{"status":429,"headers":{"retry-after":"Sun, 01 Mar 2026 11:00:00 GMT"}}`, want: answer(30, "Rate limit exceeded")},
		{name: "escaped name", in: `{"st\u0061tus":429,"message":"\ud83d\ude00"}`, want: answer(30, "😀")},
		{name: "inside --at", in: `{"a": {"status":429}, "b":1}`, options: []string{"at", "/a"},
			want: `{"a": ` + strings.TrimSuffix(answer(30, "Rate limit exceeded"), "\n") + `, "b":1}` + "\n"},
		{name: "message cut", in: `{"status":429,"message":"` + strings.Repeat("slow down ", 20) + `"}`, options: []string{"max-bytes", "80"},
			want: `{"type":"rate_limited","retryAfterSeconds":30,"message":"slow down slow dow…"}` + "\n"},
		{name: "no room for the message", in: `{"status":429,"message":"slow down","tool":"x"}`, options: []string{"max-bytes", "60", "tool", "t"},
			want: `{"type":"rate_limited","retryAfterSeconds":30}` + "\n"},
		{name: "type alone", in: `{"status":429}`, options: []string{"max-bytes", "25"}, want: `{"type":"rate_limited"}` + "\n"},
		{name: "not even that", in: `{"status":429}`, options: []string{"max-bytes", "20"}},
		{name: "another status", in: `{"status":428,"x":429}`},
		{name: "a text", in: `{"status":"429"}`},
		{name: "deeper", in: `{"a":{"status":429}}`},
		{name: "in an array", in: `[{"status":429}]`},
		{name: "cut", in: `{"status":429,"_truncated":{"limit":"60 bytes","keys":7}}`},
		{name: "a summary", in: `{"_summarized":true,"_totalKeys":1,"status":429}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			run := Fit.New().(*fitRun)
			run.now = func() time.Time { return now }
			want := tt.want
			if want == "" {
				want = tt.in + "\n"
			}
			out, errs, status := ran(t, run, tt.in, tt.options...)
			if diff := cmp.Diff(want, out); diff != "" || status != 0 {
				t.Errorf("status %d, %s\n%s", status, errs, diff)
			}
		})
	}
}

// What is left of an object too large to be looked into for a rate limit is not
// taken for one either.
func TestFitTwiceLarge(t *testing.T) {
	large := `{"status":429,"data":[` + strings.Repeat(`{"name":"value","more":[1,2]},`, 40000) + `0],"message":"x"}`
	for _, shape := range []string{"true", "false"} {
		for _, size := range []string{"20", "40", "60", "100", "400", "4000"} {
			t.Run(shape+" "+size, func(t *testing.T) {
				options := []string{"max-bytes", size, "keep-shape", shape}
				once, errs, status := ran(t, Fit.New(), large, options...)
				if status != 0 || strings.Contains(once, "rate_limited") {
					t.Fatalf("status %d, %s: %s", status, errs, once)
				}
				twice, _, _ := ran(t, Fit.New(), once, options...)
				if diff := cmp.Diff(once, twice); diff != "" {
					t.Error(diff)
				}
			})
		}
	}
}

func TestFitTable(t *testing.T) {
	many := "[" + strings.Repeat("0,", 50) + "0]"
	for _, tt := range []struct {
		name, in string
		options  []string
		want     string
		status   int
	}{
		{"fits", " {\"a\" : 1.0}\r\n[1 ,2]\n", nil, " {\"a\" : 1.0}\r\n[1 ,2]\n", 0},
		{"items just enough", "[" + strings.Repeat("0,", 49) + "0]", nil, "[" + strings.Repeat("0,", 49) + "0]\n", 0},
		{"commas inside items", `[[1,2,3],{"a":1,"b":2}]`, []string{"page-size", "2"}, `[[1,2,3],{"a":1,"b":2}]` + "\n", 0},
		{"no room for a page, fits", `[1,2,3]`, []string{"max-bytes", "20", "page-size", "2"}, `[1,2,3]` + "\n", 0},
		{"no room for a page", "[" + strings.Repeat("100,", 20) + "2]", []string{"max-bytes", "12"}, `[]` + "\n", 4},
		{"a number", strings.Repeat("1", 100), []string{"max-bytes", "10"}, "0\n", 4},
		{"raw output", `"a\n" ["b"]`, []string{"raw-output", "true", "page-size", "1"}, "a\n[\"b\"]\n", 0},
		{"one item too many", many, []string{"max-bytes", "250"},
			`{"paginated":true,"totalItems":51,"firstItem":1,"returnedItems":18,"hasMore":true,"items":[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0],"nextCursor":"EcWdHIFvN_eFbzf3hUoCJGYAADT_iQ","note":"Items 1-18 of 51, stopped by 250 bytes. Pass cursor for the rest."}` + "\n", 0},
		{"items stay quoted on a page", `["b","c"]`, []string{"raw-output", "true", "page-size", "1", "max-bytes", "150"},
			`{"paginated":true,"totalItems":2,"firstItem":1,"returnedItems":1,"hasMore":true,"items":["b"],"nextCursor":"EcWdHIEFSmlEBUppRAoCAgQAgz8caw"}` + "\n", 0},
		{"page size", `1`, []string{"page-size", "0"}, "", 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out, errs, status := ran(t, Fit.New(), tt.in, tt.options...)
			if diff := cmp.Diff(tt.want, out); diff != "" || status != tt.status {
				t.Errorf("status %d, %s\n%s", status, errs, diff)
			}
		})
	}
}
