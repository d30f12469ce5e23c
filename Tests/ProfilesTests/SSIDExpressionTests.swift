import Profiles
import SeededRandom
import Testing

struct SSIDExpressionTests {
    @Test(arguments: [
        ("^Plug-[0-9A-F]{6}$", "Plug-0A1B2C"), ("Plug", "My Plug 3"), ("^(a|bc)+$", "abcbca"), ("^$", ""),
        ("^a{2}$", "aa"), ("^a{2,}$", "aaaa"), ("^a{1,2}b$", "aab"), ("^\\w+\\d$", "Lamp_1"),
        ("", "anything"),
        ("^[^-]+-\\d\\d$", "Valve-12"), ("^[\\d-]+$", "1-2"), ("^[]a]+$", "]a"), ("^x?y*z+?$", "yyz"),
        ("\\bfan\\b", "the fan here"), ("^(?:ä|ö)$", "ö"), ("^\\x41\\u00e4$", "Aä"), ("^a.c$", "a*c"),
        ("^(?<room>[a-z]+)_[0-9]$", "hall_1"), ("^a{,2}$", "a{,2}"), ("^[\\W]$", "-"), ("^(|a)b$", "b"),
    ])
    func `an expression is found in a name`(pattern: String, name: String) throws {
        #expect(try SSIDExpression(pattern).matches(name))
    }

    @Test(arguments: [
        ("^Plug-[0-9A-F]{6}$", "Plug-0A1B2"), ("^Plug-[0-9A-F]{6}$", "xPlug-0A1B2C"), ("plug", "Plug"),
        ("^a{2}$", "aaa"), ("^a{1,2}$", ""), ("^[^a-c]$", "b"), ("^\\d+$", "12x"), ("\\bfan\\b", "fans"),
        ("^a.c$", "a\nc"), ("^\\D$", "5"), ("^[\\S]$", " "),
    ])
    func `an expression is not found in another name`(pattern: String, name: String) throws {
        #expect(try !SSIDExpression(pattern).matches(name))
    }

    @Test(arguments: [
        ("^Lamp-(", "the group that begins at 7 is not closed"), ("a)", "the ) at 2 closes no group"),
        ("[a-", "the class that begins at 1 is not closed"), ("[z-a]", "the range before 5 does not rise"),
        ("(?=a)", "look-around, at 1, is not read"), ("(?<!a)b", "look-around, at 1, is not read"),
        ("(a)\\1", "a back reference, at 4, is not read"), ("*a", "the * at 1 has nothing to repeat"),
        ("a**", "the * at 3 repeats a repetition"),
        ("a{3,2}", "the counts in braces at 2 must rise, up to 1000"),
        ("a{9999999999999999999}", "the counts in braces at 2 must rise, up to 1000"),
        ("((a{1,100}){1,100}){1,100}", "its repetitions come to more than 2000 steps"),
        ("a\\", "the \\ at its end stands before nothing"), ("\\q", "\\q, at 1, means nothing here"),
        ("(?i)a", "the group at 1 is of a kind that is not read; write (…) or (?:…)"),
        ("\\xg1", "the escape at 1 needs 2 hexadecimal digits"),
    ])
    func `a pattern that is not read says why`(pattern: String, problem: String) {
        let error = #expect(throws: SSIDExpressionError.self) { try SSIDExpression(pattern) }
        #expect(error?.description == problem)
    }

    @Test func `a pattern of more than 200 bytes is not read`() {
        #expect(throws: SSIDExpressionError.self) { try SSIDExpression(String(repeating: "a", count: 201)) }
    }

    @Test(arguments: ["^(a+)+$", "^(a|a)*$", "^(a|aa)+$", "(a*)*b", "^(.*a){20}$", "(((a?)*)*)*b"])
    func `an evil expression takes no longer than any other`(pattern: String) throws {
        let expression = try SSIDExpression(pattern)
        // It would take centuries with back-tracking.
        #expect(!expression.matches(String(repeating: "a", count: 2000) + "!") || pattern.hasSuffix("{20}$"))
    }

    @Test func `no pattern and no name traps`() {
        var random = SplitMix64(seed: 7)
        let letters = Array("ab1-^$.*+?()[]{}|\\dwsbxu,<>:=!PäK ")
        for _ in 0..<20_000 {
            let pattern = String(
                (0..<Int.random(in: 0...12, using: &random)).compactMap { _ in
                    letters.randomElement(using: &random)
                }
            )
            guard let expression = try? SSIDExpression(pattern) else { continue }
            for name in ["", "ab1", "Plug-1 ä", "\u{0}\n"] { _ = expression.matches(name) }
        }
    }
}
