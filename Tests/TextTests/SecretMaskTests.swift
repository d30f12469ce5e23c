import JSON
import SeededRandom
import Testing
import Text

struct SecretMaskTests {
    private static let token = "tlu_" + session
    private static let session = "Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFyMDE"

    @Test(arguments: [
        ("is \"\(token)\"", "is \"***\""), ("/api/things/\(token)/set?x=1", "/api/things/***/set?x=1"),
        ("x\(token)", "x***"), ("tlu_ab-C_1 tlu_", "*** ***"), ("\(token)\u{202E}", "***\u{202E}"),
        ("tlu_abcdef…", "***…"), ("/kiosk?link=tll_ab&next=x", "/kiosk?link=***&next=x"),
        ("trilateral=\(session); a", "trilateral=***; a"),
        ("#\(session)", "#***"), ("zwölf", "zwölf"), ("", ""),
    ])
    func `tokens, sessions and links are found by their form`(text: String, masked: String) {
        #expect(SecretMask.forms.masked(text) == masked)
    }

    @Test(arguments: [
        "a-thing-with-a-very-long-name-of-43-characters", String(repeating: "a", count: 43), session + "x",
    ])
    func `a text of another form stays`(text: String) {
        #expect(SecretMask.forms.masked(text) == text)
    }

    @Test func `random texts like sessions can be left as they are, tokens cannot`() {
        #expect(SecretMask.tokens.masked(Self.session) == Self.session)
        #expect(SecretMask.tokens.masked(Self.token) == "***")
    }

    @Test(arguments: SecretMask.Prefix.allCases)
    func `each kind of secret is masked, also when its end is cut off`(prefix: SecretMask.Prefix) {
        let secret = prefix.rawValue + Self.session
        for count in prefix.rawValue.count...secret.count {
            let text = "is \"\(secret.prefix(count))…\""
            #expect(SecretMask.tokens.masked(text) == "is \"***…\"")
            #expect(SecretMask.tokens.finds(in: text))
        }
    }

    @Test func `tokens are found in any surroundings`() {
        var random = SplitMix64(seed: 7)
        for _ in 0..<20_000 {
            let text = String(
                (0..<Int.random(in: 0...14, using: &random)).map { _ in
                    "tlu_a ".randomElement(using: &random) ?? "a"
                }
            )
            // The same by an expression.
            let expected = text.replacing(/tl[ulta]_[a-z_]*/, with: "***")
            #expect(SecretMask.tokens.masked(text) == expected, "\(text)")
            #expect(SecretMask.tokens.finds(in: text) == (expected != text), "\(text)")
        }
    }

    @Test func `passwords are found anywhere, simple ones as words, public words and short ones never`() {
        let mask = SecretMask(
            passwords: ["c0rrect\"horse", "orange", "trilateral", "abc"],
            publicWords: ["trilateral"]
        )
        #expect(mask.masked("xc0rrect\"horsex") == "x***x")
        #expect(mask.masked("\(JSONValue.string("c0rrect\"horse"))") == "\"***\"")
        #expect(mask.masked("orange, oranges, orange-2") == "***, oranges, orange-2")
        #expect(mask.masked("trilateral abc") == "trilateral abc")
        // What a message has clipped.
        #expect(mask.masked("is \"c0rrec…\"") == "is \"***…\"")
    }

    @Test func `keys and values of JSON are masked`() {
        let value: JSONValue = ["a": [.string(Self.token), 1], Self.token: ["x": .null]]
        #expect(SecretMask.forms.masked(value) == ["a": ["***", 1], "***": ["x": .null]])
        #expect(SecretMask.tokens.finds(in: value))
        #expect(!SecretMask.tokens.finds(in: ["a": "tlu", "b": "_lu_ tl_"] as JSONValue))
    }

    @Test func `no quotation has a token, also not a part of it`() {
        for count in 0...70 {
            let text = String(repeating: "x", count: count) + Self.token
            #expect(!QuotedValue.of(text).contains("tlu_"))
            #expect(!QuotedValue.of(JSONValue.array([.string(text)])).contains("tlu_"))
            #expect(!QuotedValue.list([text]).contains("tlu_"))
        }
    }
}
