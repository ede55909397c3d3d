package ops

import (
	"regexp"
	"strings"
	"sync"
)

// A language is one of those that lines vote for.
type language uint8

const (
	langGo language = iota
	langPython
	langJavaScript
	langTypeScript
	langRust
	langJava
	langC
	langCPlusPlus
	langCSharp
	langRuby
	langSQL
	langShell
	langMarkdown
	languages
)

var languageNames = [languages]string{
	"Go source", "Python source", "JavaScript source", "TypeScript source", "Rust source", "Java source", "C source",
	"C++ source", "C# source", "Ruby source", "SQL", "shell script", "Markdown",
}

const (
	// enoughVotes is how many votes a language needs,
	enoughVotes = 4
	// and voteShare how many for a hundred lines that are no comments.
	voteShare = 25
)

// A ballot is a form of line and the votes it has.
type ballot struct {
	lang  language
	votes int
	need  string // is in all such lines
	line  *regexp.Regexp
}

// ballots are the forms of lines by their first word; those under "" are for
// lines that have something in them. What a language has in common with others is not in here, or has
// few votes.
var ballots = sync.OnceValue(func() map[string][]ballot {
	ballots := map[string][]ballot{}
	add := func(words string, lang language, votes int, line string) {
		for w := range strings.FieldsSeq(words) {
			ballots[w] = append(ballots[w], ballot{lang, votes, "", regexp.MustCompile(line)})
		}
	}
	has := func(need string, lang language, votes int, line string) {
		ballots[""] = append(ballots[""], ballot{lang, votes, need, regexp.MustCompile(line)})
	}
	add("package", langGo, 4, `^package [a-z_]\w*(?: *//.*)?$`)
	add("import", langGo, 4, `^import (?:\(|(?:[\w.]+ )?"[^"]+")$`)
	add("func", langGo, 4, `^func (?:\(\w* ?\*?[\w\[\], ]+\) )?\w+(?:\[.*\])?\(.*[{,(]$|^func (?:\(\w+ \*?\w+\) )?\w+\(.*\) .*\{.*\}$`)
	add("type", langGo, 4, `^type \w+(?:\[.*\])? (?:struct|interface|func)\b.*[{})\w]$`)
	add("var const", langGo, 3, `^(?:var|const) (?:\($|\w+ [\w.*\[\]]+ = .*[^;]$)`)
	add(`"`, langGo, 1, `^\t"[\w./-]+"$`)
	add("if", langGo, 4, `^\s*if .*\berr [!=]= nil\b.*\{$`)
	add("for", langGo, 3, `^\s*for (?:.*:= .*)?range .*\{$`)
	has(" := ", langGo, 1, `^\s*\w+(?:, \w+)* := [^=].*[^;]$`)
	add("defer", langGo, 3, `^\s*defer .*\)$|^\s*defer func\(`)

	add("def async", langPython, 4, `^\s*(?:async )?def \w+\(.*(?:\)(?: *->.+)?:|[,(])(?: *#.*)?$`)
	add("class", langPython, 4, `^\s*class \w+(?:\(.*\))?:$`)
	add("import", langPython, 2, `^\s*import [A-Za-z_][\w.]*(?: as \w+)?(?:, *[\w.]+)*$`)
	add("from", langPython, 4, `^\s*from \.*[\w.]* ?import (?:\(|\*|\w+(?: as \w+)?(?:, *\w+)*(?:, \\)?)$`)
	add("if elif for while with except", langPython, 2, `^\s*(?:if|elif|for|while|with|except)\b.*:(?: *#.*)?$`)
	add("try else finally", langPython, 2, `^\s*(?:try|else|finally):$`)
	add("if", langPython, 4, `^if __name__ == ["']__main__["']:$`)
	add("print", langPython, 1, `^\s*print\(.*\)$`)
	add("self", langPython, 2, `^\s*self\.\w+.*[^;]$`)
	add("return", langPython, 1, `^\s*return (?:self\.|None$|True$|False$|not )`)

	add("function async export", langJavaScript, 4, `^\s*(?:export (?:default )?)?(?:async )?function\*? ?\w*\([^:]*\) *\{.*$`)
	add("const let var", langJavaScript, 3, `^\s*(?:const|let|var) (?:\w+|\{.*\}|\[.*\]) = .*(?:[;{(\[]|=>)$`)
	add("const let var", langJavaScript, 2, `^\s*(?:const|let|var) (?:\w+|\{.*\}|\[.*\]) = .*[^;{(\[>]$`)
	add("const var let", langJavaScript, 3, `= (?:await )?(?:require|import)\(`)
	add("import", langJavaScript, 4, `^import (?:[\w*{].* from )?["'][^"']+["'];?$`)
	add("export", langJavaScript, 4, `^export (?:default|const|let|class|\{|\*)`)
	add("module", langJavaScript, 4, `^module\.exports\b.*=`)
	add("console", langJavaScript, 3, `^\s*console\.(?:log|error|warn)\(.*\);?$`)
	add("class", langJavaScript, 3, `^class \w+(?: extends [\w.]+)? \{$`)
	has("=> ", langJavaScript, 1, `=> [\{(]`)
	has("===", langJavaScript, 1, `[^=]=== .*[;{]`)
	has("!==", langJavaScript, 1, `!==`)
	has("});", langJavaScript, 2, `^\s*\}\);$`)
	has("})();", langJavaScript, 2, `^\s*\}\)\(\);$`)
	has("use strict", langJavaScript, 4, `^["']use strict["'];?$`)

	add("interface export declare", langTypeScript, 5, `^\s*(?:export )?(?:declare )?(?:interface \w+(?:<.*>)?(?: extends .*)? \{|(?:const )?enum \w+ \{|namespace \w+ \{|abstract class )`)
	add("type export", langTypeScript, 5, `^\s*(?:export )?type \w+(?:<.*>)? = .*`)
	add("import", langTypeScript, 5, `^import type `)
	has(": ", langTypeScript, 4, `^[^"'#]*[\w)\]]\??: (?:readonly )?(?:string|number|boolean|void|any|unknown|never|Promise<.*>|Record<.*>|Array<.*>|Map<.*>)(?:\[\])*(?: \| \w+)*(?:[;,]?$| = |\)| \{|, | =>)`)
	add("private public readonly protected", langTypeScript, 4, `^\s*(?:(?:private|public|protected|readonly|static) )+\w+\??: `)

	add("fn pub async unsafe", langRust, 4, `^\s*(?:pub(?:\(\w+\))? )?(?:const )?(?:async )?(?:unsafe )?fn \w+(?:<.*>)?\(.*(?:[{(,;]|\})$`)
	add("pub", langRust, 4, `^\s*pub(?:\(\w+\))? (?:struct|enum|trait|mod|use|type|static|const) \w+.*[{;(},]$`)
	add("use", langRust, 4, `^\s*use (?:crate|super|self|std|\w+)::.*[;{]$`)
	add("impl", langRust, 4, `^\s*impl(?:<.*>)? .*\{\}?$`)
	add("let", langRust, 3, `^\s*let (?:mut \w+|\w+: &?[A-Z\[(]).*[;{(]$`)
	add("match", langRust, 2, `^\s*match .*\{$`)
	add("mod struct enum trait", langRust, 2, `^(?:mod \w+(?:;| \{)|(?:struct|enum|trait) \w+(?:<.*>)? ?[{(;])`)
	add("println eprintln assert_eq vec format", langRust, 3, `^\s*\w+!\(.*`)
	add("#", langRust, 4, `^\s*#!?\[(?:derive|cfg|test|allow|warn|deny|inline|tokio)\b.*\]`)

	add("package", langJava, 4, `^package [a-z][\w.]*;$`)
	add("import", langJava, 4, `^import (?:static )?[a-z]\w*(?:\.\w+)+(?:\.\*)?;$`)
	add("public final abstract class private protected", langJava, 4, `^\s*(?:(?:public|private|protected|final|abstract|static|sealed) )+(?:class|interface|enum|record) \w+.*[{)]$`)
	add("public private protected static", langJava, 2, `^\s*(?:(?:public|private|protected|static|final|synchronized) )+[\w<>\[\], ?.]+(?: \w+)?\(.*\)(?: throws [\w., ]+)? *[{;]$`)
	add("public private protected static final", langJava, 2, `^\s*(?:(?:public|private|protected|static|final) )+[\w<>\[\], ?.]+ \w+(?: = .*)?;$`)
	add("System", langJava, 4, `^\s*System\.(?:out|err)\.print`)
	add("@", langJava, 3, `^\s*@(?:Override|Test|Autowired|Deprecated|SuppressWarnings|Nullable|Service|Entity|Inject)\b`)

	add("#", langC, 4, `^\s*# *include *(?:<[\w/.-]+\.h>|"[^"]+")`)
	add("#", langC, 3, `^\s*# *(?:define [A-Za-z_]|ifdef \w|ifndef \w|if defined|pragma \w|endif)`)
	add("int void", langC, 4, `^int main\(.*\)`)
	add("static int void char unsigned long double float size_t bool struct const extern", langC, 3, `^(?:(?:static|inline|const|extern|unsigned|long|struct) )*\w+ \**\w+\([^)]*(?:\)(?: *[{;])?|,)$`)
	add("typedef", langC, 4, `^typedef .*[{;]$`)
	add("struct enum union", langC, 3, `^(?:struct|enum|union) \w+ ?\{?$`)
	add("printf fprintf free memcpy", langC, 3, `^\s*\w+\(.*\);$`)
	has("->", langC, 1, `\w->\w.*[;{]$`)
	add("int char unsigned long double float size_t", langC, 2, `^\s+(?:unsigned |const )*\w+ \**\w+(?:\[\w*\])?(?: = .*|, .*)?;$`)

	add("#", langCPlusPlus, 6, `^\s*# *include *<(?:[a-z_]+|[\w/]+\.hpp)>`)
	has("std::", langCPlusPlus, 3, `\bstd::\w`)
	has("static_cast<", langCPlusPlus, 3, `\bstatic_cast<`)
	has("nullptr", langCPlusPlus, 3, `\bnullptr\b`)
	add("using", langCPlusPlus, 5, `^using namespace \w+;$`)
	add("namespace", langCPlusPlus, 4, `^namespace(?: [\w:]+)? \{$`)
	add("template", langCPlusPlus, 4, `^\s*template ?<`)
	add("class", langCPlusPlus, 3, `^class \w+(?: final)?(?: : public \w+)? ?\{?;?$`)
	add("public private protected", langCPlusPlus, 4, `^\s*(?:public|private|protected):$`)

	add("using", langCSharp, 5, `^using (?:static )?[A-Z]\w*(?:\.\w+)*;$`)
	add("namespace", langCSharp, 5, `^namespace [A-Z][\w.]*;?$|^namespace [A-Z]\w*\.[\w.]+ *\{$`)
	add("public private internal", langCSharp, 4, `\{ get;|^\s*(?:public|internal|private) (?:async Task|string |override |(?:sealed |static |partial )class)`)

	add("require require_relative", langRuby, 4, `^(?:require|require_relative) ["'][^"']+["']$`)
	add("def", langRuby, 3, `^\s*def (?:self\.)?\w+[?!]?(?:\([^:]*\))?$`)
	add("module class", langRuby, 3, `^\s*(?:module|class) [A-Z]\w*(?: < [A-Z][\w:]*)?$`)
	add("end", langRuby, 2, `^\s*end$`)
	add("attr_accessor attr_reader puts", langRuby, 3, `^\s*\w+ [:"'\w]`)

	add("select with", langSQL, 2, `^(?i:select|with) .*[^.:!?]$|^SELECT$`)
	add("SELECT WITH", langSQL, 3, `^\s*(?:SELECT|WITH)(?: .*[^.!?])?$`)
	add("SELECT select", langSQL, 3, `^(?i)\s*select .+ from [\w."]+.*;?$`)
	add("INSERT insert", langSQL, 4, `^\s*(?:INSERT INTO [\w.\x60"]+|insert into [\w.\x60"]+ ?(?:\(|values|select))`)
	add("CREATE create ALTER alter DROP drop", langSQL, 5, `^(?i)\s*(?:create (?:or replace |unique |temp |temporary )?(?:table|index|view|function|trigger|database|schema|type|extension|aggregate|operator|role)|alter (?:table|function|extension|type|role|database)|drop (?:table|index|view|function)) (?:(?:if not exists|if exists) )?[\w.\x60"]+(?:$| ?\(|;| (?i:as|on|add|drop|alter|using|rename|cascade|set|update|owner)\b)`)
	add("UPDATE DELETE update delete", langSQL, 4, `^(?i)\s*(?:update [\w.\x60"]+ set \w+ *=|delete from [\w.\x60"]+(?:;| where|$))`)
	add("FROM WHERE JOIN LEFT INNER GROUP ORDER HAVING LIMIT VALUES UNION", langSQL, 2, `^\s*(?:FROM|WHERE|JOIN|LEFT JOIN|LEFT OUTER JOIN|INNER JOIN|GROUP BY|ORDER BY|HAVING|LIMIT|VALUES|UNION)\b`)
	add("BEGIN COMMIT begin commit", langSQL, 2, `^(?i)(?:begin(?: transaction)?|commit);$`)
	add("id", langSQL, 2, `(?i)^\s*id (?:serial|integer|bigint|int|uuid)\b.*,$`)

	add("#", langShell, 9, `^#! *\S*(?:/| )(?:ba|z|k|da|)sh\b`)
	add("#", langPython, 9, `^#! *\S*(?:/| )python[\d.]*\b`)
	add("#", langJavaScript, 9, `^#! *\S*(?:/| )(?:node|deno|bun)\b`)
	add("#", langRuby, 9, `^#! *\S*(?:/| )ruby\b`)
	add("if while until elif", langShell, 4, `^\s*(?:if|while|until|elif) (?:! )?(?:\[\[? .*\]|command -v|test |grep )`)
	add("if for while", langShell, 4, `^\s*(?:if|for|while) .*; *(?:then|do)\b`)
	add("fi esac done", langShell, 3, `^\s*(?:fi|esac|done)(?: *[<|>&].*)?;?$`)
	add("then do", langShell, 2, `^\s*(?:then|do)$`)
	add("case", langShell, 4, `^\s*case .* in$`)
	add("set", langShell, 4, `^\s*set [-+](?:[eux]+|o pipefail|[eux]*o pipefail)\b`)
	add("export", langShell, 3, `^\s*export [A-Z_]\w*=`)
	add("local", langShell, 3, `^\s*local \w+(?:=|$)`)
	add("echo", langShell, 2, `^\s*echo (?:-[en] )?["'$]`)
	has("() {", langShell, 2, `^\s*\w+ ?\(\) \{$`)
	has("(){", langShell, 2, `^\s*\w+\(\)\{$`)
	has("=", langShell, 2, `^[A-Z_][A-Z0-9_]*=(?:["'$]|\S*$)`)
	has(`"$`, langShell, 2, `"\$[@{\w(]`)
	add("source trap exit mkdir cd", langShell, 2, `^\s*(?:source \S+$|trap .* [A-Z]+$|exit \d+$|mkdir -p |cd "?\$)`)

	add("#", langMarkdown, 2, `^#{1,6} \S`)
	add("`", langMarkdown, 3, "^\\s*```[\\w+-]*$")
	has("---", langMarkdown, 3, `^\|?(?: *:?-{3,}:? *\|)+(?: *:?-{3,}:?)? *$`)
	has("](", langMarkdown, 3, `\[[^\]]+\]\((?:https?://|\.{0,2}/|#|mailto:)[^)]*\)`)
	has("]: http", langMarkdown, 3, `^\[[^\]]+\]: https?://`)
	has("**", langMarkdown, 1, `\*\*[^* ][^*]*\*\*`)
	add("- * +", langMarkdown, 1, `^(?:\s{2,})?[-*+] (?:\[[ xX]\] )?\S`)
	add("=", langMarkdown, 3, `^={3,}$`)
	return ballots
})

// firstWord is the word a line begins with: a name, or one sign.
func firstWord(l string) string {
	l = strings.TrimLeft(l, " \t")
	i := 0
	for i < len(l) && (l[i] == '_' || l[i] >= '0' && l[i] <= '9' || l[i]|0x20 >= 'a' && l[i]|0x20 <= 'z') {
		i++
	}
	if i == 0 && l != "" {
		i = 1
	}
	return l[:i]
}

// longestLine is how much of a line is looked at.
const longestLine = 400

// firstVotes is how many times the votes of the first line that is no comment
// count if they are enough by themselves. The rest may then be anything.
const firstVotes = 3

// isSource knows source code, shell scripts, SQL and Markdown.
func isSource(s *sample) string {
	var votes [languages]int
	forms, lines := ballots(), 0
	sure := false
	quote := "" // what ends the part that has no vote
	for i, l := range s.lines {
		l = l[:min(len(l), longestLine)]
		t := strings.TrimLeft(l, " \t")
		if quote != "" {
			if strings.Contains(t, quote) {
				quote = ""
			}
			continue
		}
		quote = unended(t)
		times := 1
		if !isComment(t) {
			if lines++; lines == 1 {
				times = firstVotes
			}
		}
		if i == 0 && strings.HasPrefix(l, "#!") {
			times *= firstVotes
		}
		for _, word := range [...]string{firstWord(l), ""} {
			for _, b := range forms[word] {
				switch {
				case !strings.Contains(l, b.need), !b.line.MatchString(l), b.lang == langMarkdown && s.isRemark(i):
				case b.votes >= enoughVotes:
					votes[b.lang] += times * b.votes
					sure = sure || times > 1
				default:
					votes[b.lang] += b.votes
				}
			}
		}
	}
	s.settle(&votes)
	best := langGo
	for l := range languages {
		if votes[l] > votes[best] {
			best = l
		}
	}
	if votes[best] < enoughVotes || !sure && votes[best]*100 < voteShare*lines {
		return ""
	}
	return languageNames[best]
}

// unended is what ends the code in Markdown, the comment, or the string in
// Python that begins with the line t and goes on behind it.
func unended(t string) string {
	for _, q := range [...]struct{ begin, end string }{{"```", "```"}, {"/*", "*/"}, {`"""`, `"""`}, {`r"""`, `"""`}} {
		if rest, ok := strings.CutPrefix(t, q.begin); ok && !strings.Contains(rest, q.end) {
			return q.end
		}
	}
	return ""
}

// isRemark reports whether the line i is one of several with a single "#":
// headings do not follow each other, comments do.
func (s *sample) isRemark(i int) bool {
	is := func(i int) bool {
		return i >= 0 && i < len(s.lines) && (strings.HasPrefix(s.lines[i], "# ") || s.lines[i] == "#")
	}
	return is(i) && (is(i-1) || is(i+1))
}

// settle decides between languages of which one contains the other, and between
// headings and comments.
func (s *sample) settle(votes *[languages]int) {
	join := func(wide, narrow language, least int) {
		if votes[wide] >= least {
			votes[wide] += votes[narrow]
		}
	}
	join(langTypeScript, langJavaScript, 4)
	join(langCPlusPlus, langC, 3)
	if strings.HasPrefix(s.first, "#!") {
		votes[langMarkdown] = 0
	}
	// Comments begin like headings, and lists of options like those of Markdown.
	for l := range langMarkdown {
		if votes[l] >= enoughVotes && votes[l]*2 >= votes[langMarkdown] {
			votes[langMarkdown] = 0
		}
	}
}

// isComment reports whether a line is a comment in one of the languages.
func isComment(t string) bool {
	for _, p := range [...]string{"//", "/*", "*", "# ", "--", `"""`} {
		if strings.HasPrefix(t, p) {
			return true
		}
	}
	return t == "#"
}
