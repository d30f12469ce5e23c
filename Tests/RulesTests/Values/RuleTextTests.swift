import Rules
import Testing

struct RuleTextTests {
    @Test(arguments: [
        "", "plain", "{thing} is at {value}", "{thing}{zone}{field}{value}{before}{time}{rule}{why}", "a } b",
        "é{why}ü",
    ])
    func `a text is written as it was read`(text: String) {
        #expect(RuleText(text)?.text == text)
    }

    @Test(arguments: [
        "{", "a{", "{}", "{things}", "{Thing}", "{ thing }", "{thing", "{{thing}}", "{va{thing}lue}",
        "{thing}{",
        "{thing\u{301}}",
    ])
    func `a brace that begins no placeholder is refused`(text: String) {
        #expect(RuleText(text) == nil)
    }

    @Test func `placeholders are filled once`() {
        let text = RuleText("{thing} is at {value}")
        #expect(text?.filled { $0 == .thing ? "{value}" : "30" } == "{value} is at 30")
    }

    @Test func `a value begins no line`() {
        let filled = RuleText("{value}")?.filled { _ in "a\r\nBcc: b@example.org\u{2028}c\u{202E}" }
        #expect(filled == "a  Bcc: b@example.org c ")
    }

    @Test func `a filled text has a limit`() {
        let filled = RuleText("{value}{before}")?.filled { _ in String(repeating: "é", count: 5_000) }
        #expect(filled?.unicodeScalars.count == RuleLimits.text)
    }
}
