package tokenize

// charsPerToken is what a token of chars/4 holds.
const charsPerToken = 4

// charsBy4 is the rule of thumb that four characters are a token: the code points divided by four, rounded up.
var charsBy4 = Encoding{name: "chars/4", pattern: charsPattern}

func charTokens(chars int) int { return (chars + charsPerToken - 1) / charsPerToken }
