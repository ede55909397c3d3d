package ops

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// contentSamples are texts and what they are.
var contentSamples = []struct{ name, want, text string }{
	{"empty", "text", ""},
	{"space", "text", " \n\t\n"},
	{"a word", "text", "hello"},
	{"prose", "text", "The package arrived on Monday. I def think the function of it is clear.\nPlease import nothing from there, class is at nine."},
	{"prose with first words of code", "text", "package\nimport duties are high this year\nfrom here to there\nfunction follows form\nclass of 1999\nfor all of you, while it lasts\nif it rains, we stay\n"},
	{"prose with SQL words", "text", "Select a file from the list.\nUpdate your settings and insert the disk.\nCreate table reservations early.\nWith love, from Paris."},

	{"JSON object", "JSON", `{"a": [1, 2, {"b": null}]}`},
	{"JSON array", "JSON", " [1, 2,\n3]\n"},
	{"JSON lines", "JSON", `{"id":1}` + "\n" + `{"id":2}` + "\n"},
	{"JSON cut short", "JSON", `[{"id":1,"name":"x"},{"id":2,"na`},
	{"long JSON", "JSON", "[" + strings.Repeat(`{"id":1,"name":"value"},`, 1000) + "{}]"},
	{"empty object", "JSON", "{}"},
	{"a bracket", "text", "["},
	{"log level in brackets", "text", "[INFO] server started\n[WARN] disk is nearly full\n[ERROR] cannot write\n"},
	{"time in brackets", "text", "[2024-01-02 10:00:00] GET /index.html\n[2024-01-02 10:00:01] GET /\n"},
	{"number in brackets", "text", "[1] Knuth, The Art of Computer Programming\n[2] Wirth, Algorithms"},
	{"template", "text", "{{ .Name }} owes {{ .Sum }}"},
	{"build progress", "text", "[1/3] Building a\n[2/3] Building b\n[3/3] Linking\n"},

	{"Go", "Go source", "package main\n\nimport \"fmt\"\n\nfunc main() {\n\tfmt.Println(\"hello\")\n}\n"},
	{"Go behind a license", "Go source", strings.Repeat("// Licensed under the terms of something or other.\n", 60) + "\npackage stream\n\nimport (\n\t\"io\"\n)\n\ntype Reader struct {\n\tr io.Reader\n}\n"},
	{"Go function", "Go source", "func (s *Scanner) Next() (Kind, error) {\n\tif err := s.fill(); err != nil {\n\t\treturn 0, err\n\t}\n\tc := s.buf[s.pos]\n\treturn kinds[c], nil\n}\n"},
	{"numbered Go", "Go source", "     1→package ops\n     2→\n     3→import (\n     4→\t\"io\"\n     5→)\n     6→\n     7→func f(r io.Reader) error {\n     8→\treturn nil\n     9→}\n"},
	{"Python", "Python source", "import os\nfrom sys import argv\n\ndef main(path: str) -> int:\n    for name in os.listdir(path):\n        print(name)\n    return 0\n\nif __name__ == '__main__':\n    main(argv[1])\n"},
	{"Python class", "Python source", "class Reader(Base):\n    \"\"\"Reads.\"\"\"\n\n    def __init__(self, f):\n        self.f = f\n        self.n = 0\n\n    async def next(self):\n        try:\n            return await self.f.read()\n        except OSError:\n            return None\n"},
	{"Python script", "Python source", "#!/usr/bin/env python3\n# Says hello.\nprint('hello')\n"},
	{"Python with comments like headings", "Python source", "# Copyright\n\n# Imports\nimport re\nimport json as j\n\n# The rest\ndef f(x):\n    return x\n"},
	{"JavaScript", "JavaScript source", "const fs = require('fs');\n\nfunction read(name) {\n  return fs.readFileSync(name);\n}\n\nmodule.exports = { read };\n"},
	{"JavaScript module", "JavaScript source", "import React from 'react';\n\nexport default function App() {\n  const [n, setN] = useState(0);\n  return <b onClick={() => { setN(n + 1); }}>{n}</b>;\n}\n"},
	{"TypeScript", "TypeScript source", "import type { Tool } from './tool';\n\nexport interface Result {\n  id: string;\n  size?: number;\n}\n\nexport async function run(t: Tool): Promise<Result> {\n  const r = await t.call();\n  return r;\n}\n"},
	{"Rust", "Rust source", "use std::io;\n\n#[derive(Debug)]\npub struct Reader {\n    pos: usize,\n}\n\nimpl Reader {\n    pub fn new() -> Self {\n        let mut r = Reader { pos: 0 };\n        r\n    }\n}\n"},
	{"Java", "Java source", "package com.example.shop;\n\nimport java.util.List;\n\npublic class Cart {\n    private final List<Item> items = new ArrayList<>();\n\n    public int size() {\n        return items.size();\n    }\n}\n"},
	{"C", "C source", "#include <stdio.h>\n\nstatic int count(const char *s)\n{\n\tint n = 0;\n\twhile (*s++)\n\t\tn++;\n\treturn n;\n}\n\nint main(void)\n{\n\tprintf(\"%d\\n\", count(\"x\"));\n}\n"},
	{"C header", "C source", "#ifndef LIST_H\n#define LIST_H\n\nstruct list {\n\tstruct list *next;\n};\n\nvoid push(struct list *l);\n\n#endif\n"},
	{"C++", "C++ source", "#include <vector>\n#include <string>\n\nnamespace shop {\nclass Cart {\npublic:\n  void add(std::string s) { items.push_back(s); }\nprivate:\n  std::vector<std::string> items;\n};\n}\n"},
	{"C#", "C# source", "using System;\nusing System.Collections.Generic;\n\nnamespace Shop.Core\n{\n    public class Cart\n    {\n        public int Size { get; set; }\n    }\n}\n"},
	{"Ruby", "Ruby source", "require 'json'\n\nclass Cart < Base\n  def size\n    @items.size\n  end\nend\n"},
	{"JavaScript without semicolons", "JavaScript source", "'use strict'\n\nconst os = require('os')\nconst name = os.hostname()\n\nfor (const a of os.list) {\n  go(a)\n}\n"},
	{"Go of little but a list", "Go source", "// Code generated; DO NOT EDIT.\n\npackage syscall\n\nconst (\n" + strings.Repeat("\tSYS_X = 1\n", 200) + ")\n"},
	{"Python with a ruled title", "Python source", "\"\"\"\n    name\n    ~~~~~~~~~\n\n    What it does.\n\"\"\"\n\nfrom a.b import c, D\n\nclass E(D):\n    x = 1\n"},
	{"shell variables", "shell script", "#\n# Configuration\n#\nXML2_LIBDIR=\"-L/usr/lib\"\nXML2_LIBS=\"-lxml2\"\nVERSION=\"1\"\n"},
	{"shell with C inside", "shell script", "#!/usr/bin/env bash\n\ncat >x.c <<EOF\n#include <a.h>\n#include <b.h>\n#include <c.h>\nint main(void)\nEOF\ncc x.c\n"},
	{"comments alone", "text", "# one\n# two\n#\n# three\n"},
	{"a question to a shell", "text", "if you want to do the following:\n- buy milk\nthen wait\n"},
	{"PHP", "PHP source", "<?php\nfunction f($x) {\n  return $x;\n}\n"},
	{"shell", "shell script", "#!/bin/sh\nset -eu\nfor f in *.json; do\n  echo \"$f\"\ndone\n"},
	{"shell without a first line", "shell script", "export PATH=/opt/bin:$PATH\nif [ -f x ]; then\n  echo \"found\"\nfi\n"},
	{"SQL", "SQL", "CREATE TABLE users (\n  id integer PRIMARY KEY,\n  name text NOT NULL\n);\nINSERT INTO users (id, name) VALUES (1, 'a');\n"},
	{"SQL query", "SQL", "SELECT u.name, count(*)\nFROM users u\nJOIN orders o ON o.user_id = u.id\nWHERE o.total > 10\nGROUP BY u.name\nORDER BY 2 DESC;\n"},
	{"SQL in lower case", "SQL", "select id, name from users where id = 1;\ndelete from users where id = 2;\n"},

	{"Markdown", "Markdown", "# jlop\n\nA filter for **JSON**.\n\n## Use\n\n- read the [manual](https://example.com/man)\n- run it\n"},
	{"Markdown with code", "Markdown", "# Title\n\nSome words.\n\n```go\npackage main\n\nimport \"fmt\"\n\nfunc main() {\n\tfmt.Println()\n}\n```\n\nMore words.\n"},
	{"Markdown table", "Markdown", "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n\nSee [here](./x.md).\n"},
	{"a list", "text", "things to do\n- buy milk\n- buy bread\n"},

	{"git diff", "diff", "diff --git a/x b/x\nindex 1234567..89abcde 100644\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a\n+b\n c\n"},
	{"unified diff", "diff", "--- old.txt\t2024-01-01\n+++ new.txt\t2024-01-02\n@@ -1 +1 @@\n-a\n+b\n"},
	{"diff of Go", "diff", "--- a/main.go\n+++ b/main.go\n@@ -1,4 +1,5 @@ package main\n package main\n+import \"fmt\"\n func main() {\n }\n"},
	{"plain diff", "diff", "1c1\n< a\n---\n> b\n3d2\n< c\n"},
	{"a rule and no diff", "text", "--- begin ---\nsome words\n--- end ---\n"},
	{"a line that starts with diff", "text", "diff between the two is small\nas far as I can see\n"},
	{"git log", "git log", "commit 1234567890abcdef1234567890abcdef12345678 (HEAD -> main)\nAuthor: A <a@example.com>\nDate:   Mon Jan 1 00:00:00 2024 +0000\n\n    A message\n"},
	{"git log with diffs", "git log", "commit 1234567890abcdef1234567890abcdef12345678\nAuthor: A <a@example.com>\nDate:   now\n\n    A message\n\ndiff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"},
	{"git log in lines", "git log", "6e92e79 truncate: the note is measured\n00d3775 ops: shrink shows whole items\nf15ae21 truncate: laws as tests\n"},
	{"a line that starts with commit", "text", "commit your changes before you leave\nAuthor: nobody\n"},
	{"checksums", "text", "d41d8cd98f00b204e9800998ecf8427e  a.txt\n0cc175b9c0f1b6a831c399e269772661  b.txt\n92eb5ffee6ae2fec3ad71c777531578f  c.txt\n"},

	{"Python traceback", "stack trace", "Traceback (most recent call last):\n  File \"a.py\", line 3, in <module>\n    f()\n  File \"a.py\", line 2, in f\n    raise ValueError('x')\nValueError: x\n"},
	{"Java stack trace", "stack trace", "Exception in thread \"main\" java.lang.NullPointerException\n\tat com.example.Cart.size(Cart.java:12)\n\tat com.example.Main.main(Main.java:5)\n"},
	{"Go panic", "stack trace", "panic: runtime error: index out of range [3] with length 3\n\ngoroutine 1 [running]:\nmain.f(...)\n\t/src/main.go:8\nmain.main()\n\t/src/main.go:4 +0x1d\nexit status 2\n"},
	{"Node error", "stack trace", "TypeError: x is not a function\n    at run (/src/a.js:3:5)\n    at Object.<anonymous> (/src/a.js:7:1)\n"},
	{"a log with a traceback", "text", strings.Repeat("10:00:00 INFO all is well here\n", 30) + "Traceback (most recent call last):\n  File \"a.py\", line 3, in <module>\nValueError: x\n"},

	{"YAML", "YAML", "name: build\non:\n  push:\n    branches: [main]\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: actions/checkout@v4\n      - run: |\n          if [ -f x ]; then\n            go test ./...\n          fi\n"},
	{"YAML document", "YAML", "---\napiVersion: v1\nkind: Service\nmetadata:\n  name: web\n"},
	{"flat YAML", "YAML", "name: jlop\nversion: 1.2.3\nlicense: MIT\n"},
	{"mail headers", "text", "Content-Type: text/plain\nContent-Length: 12\nServer: nginx\nDate: Mon, 01 Jan 2024\n"},
	{"a conversation", "text", "User: how do I build this?\nAssistant: run make, then look at the output.\nUser: thanks\n"},
	{"times", "text", "10:00: start\n10:05: it is still going and nothing happens at all here\n10:07: end\n"},
	{"CSS", "text", "body {\n  color: red;\n  margin: 0;\n}\n"},
	{"TOML", "TOML", "[package]\nname = \"jlop\"\nversion = \"0.1.0\"\n\n[dependencies]\nserde = { version = \"1\", features = [\"derive\"] }\n"},
	{"TOML without sections", "TOML", "title = \"x\"\ncount = 3\nlist = [1, 2]\n"},
	{"INI", "text", "[core]\n\teditor = vim\n\tpager = less -R\n"},

	{"CSV", "CSV", "id,name,email\n1,Ann,ann@example.com\n2,Bob,bob@example.com\n"},
	{"quoted CSV", "CSV", "\"id\",\"note\"\n1,\"a, b and c\"\n2,\"d\"\n3,\"e, f\"\n"},
	{"CSV with semicolons", "CSV", "a;b;c\n1;2;3\n4;5;6\n"},
	{"CSV with columns left out", "CSV", "version,name,released,ended\n" + strings.Repeat("1.1,Buzz,1996-06-17\n", 20)},
	{"JavaScript behind a comment with a list", "JavaScript source", "\"use strict\";\n/**\n * Says:\n *   * one\n *   * two\n *   * three\n *   * four\n */\nObject.x = 1\n"},
	{"TSV", "TSV", "id\tname\tsize\n1\tx\t3\n2\ty\t4\n"},
	{"prose with commas", "text", "In May, it rained, mostly.\nIn June, it did not, really.\nIn July, who knows, nobody.\n"},
	{"log with milliseconds", "text", "2024-01-01 10:00:00,123 INFO started\n2024-01-01 10:00:01,456 INFO still running\n2024-01-01 10:00:02,789 WARN slow\n"},

	{"XML", "XML", "<?xml version=\"1.0\"?>\n<feed><entry id=\"1\"/></feed>\n"},
	{"XML without declaration", "XML", "<project>\n  <version>1</version>\n</project>\n"},
	{"HTML", "HTML", "<!DOCTYPE html>\n<html><head><title>x</title></head><body></body></html>\n"},
	{"piece of HTML", "HTML", "<div class=\"a\">\n  <p>Hello</p>\n</div>\n"},
	{"an address in brackets", "text", "<ann@example.com> wrote:\nhello\n"},
	{"a file name in brackets", "text", "<stdin>:1: syntax error\n<stdin>:2: again\n"},
	{"base64", "base64", strings.Repeat("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ", 20) + "=="},
	{"wrapped base64", "base64", strings.Repeat("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGA\n", 4) + "WjR9awAAAABJRU5ErkJggg==\n"},
	{"PEM", "base64", "-----BEGIN CERTIFICATE-----\nMIIBszCCARygAwIBAgIBATANBgkqhkiG9w0BAQsFADAUMRIwEAYDVQQDEwlsb2Nh\nMIIBszCCARygAwIBAgIBATANBgkqhkiG9w0BAQ==\n-----END CERTIFICATE-----\n"},
	{"hexadecimal", "text", strings.Repeat("0123456789abcdef", 20)},
	{"one long word", "text", strings.Repeat("a", 500)},

	{"compiler output", "text", "main.c:3:5: error: expected ';' before '}' token\nmain.c:7:1: warning: control reaches end\nmake: *** [all] Error 1\n"},
	{"ls -l", "text", "total 8\n-rw-r--r-- 1 a a 12 Jan  1 00:00 main.go\n-rw-r--r-- 1 a a 34 Jan  1 00:00 go.mod\n"},
	{"test output", "text", "=== RUN   TestA\n--- PASS: TestA (0.00s)\nPASS\nok  \tjlop/ops\t0.123s\n"},
	{"grep output", "text", "main.go:3:func main() {\nops/op.go:10:type Op struct {\n"},
	{"not UTF-8", "binary", "\xff\xfe\x00binary\x80"},
	{"Latin-1", "text", "Les \xe9l\xe8ves sont arriv\xe9s ce matin par le train de sept heures, comme d'habitude."},
	{"colours of a terminal", "text", "\x1b[32mok\x1b[0m 1\n\x1b[31mfailed\x1b[0m 2\n"},
}

func TestDetectContent(t *testing.T) {
	for _, row := range contentSamples {
		t.Run(row.name, func(t *testing.T) {
			var d textDescriber
			for i := 0; i < len(row.text); i += 700 { // in pieces
				d.Write([]byte(row.text[i:min(len(row.text), i+700)]))
			}
			if diff := cmp.Diff(row.want, d.stats().Type); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestTextStats(t *testing.T) {
	for _, row := range []struct{ name, text, want string }{
		{"nothing", "", "0 lines, 0 chars, text"},
		{"one", "é", "1 line, 1 char, text"},
		{"a full line", "ab\n", "1 line, 3 chars, text"},
		{"a line not ended", "ab\ncd", "2 lines, 5 chars, text"},
		{"below a thousand", strings.Repeat("x", 999), "1 line, 999 chars, text"},
		{"a thousand", strings.Repeat("x", 1000), "1 line, 1K chars, text"},
		{"rounded", strings.Repeat("long line\n", 2850), "3K lines, 29K chars, text"},
		{"nearly a million", strings.Repeat("x", 999_499), "1 line, 999K chars, text"},
		{"a million", strings.Repeat("x", 999_500), "1 line, 1M chars, text"},
		{"millions", strings.Repeat("x", 2_600_000), "1 line, 3M chars, text"},
	} {
		t.Run(row.name, func(t *testing.T) {
			var d textDescriber
			for i := 0; i < len(row.text); i += 5000 {
				d.Write([]byte(row.text[i:min(len(row.text), i+5000)]))
			}
			if diff := cmp.Diff(row.want, d.stats().String()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// The type of a text does not depend on how it was cut into pieces, and any
// bytes have one.
func FuzzDetectContent(f *testing.F) {
	for _, row := range contentSamples {
		f.Add([]byte(row.text), uint(7))
	}
	f.Fuzz(func(t *testing.T, text []byte, size uint) {
		var whole, pieces textDescriber
		whole.Write(text)
		n := int(size%4096) + 1
		for rest := text; len(rest) > 0; rest = rest[min(n, len(rest)):] {
			pieces.Write(rest[:min(n, len(rest))])
		}
		if diff := cmp.Diff(whole.stats(), pieces.stats()); diff != "" {
			t.Fatal(diff)
		}
		if whole.stats().Type == "" {
			t.Fatal("no type")
		}
	})
}

func BenchmarkDetectContent(b *testing.B) {
	for _, row := range contentSamples {
		if len(row.text) < 200 {
			continue
		}
		b.Run(row.name, func(b *testing.B) {
			var d textDescriber
			d.Write([]byte(strings.Repeat(row.text, contentHead/len(row.text)+1)))
			for b.Loop() {
				d.stats()
			}
		})
	}
}
