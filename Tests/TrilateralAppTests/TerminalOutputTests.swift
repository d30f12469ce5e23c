import Daemon
import JSON
import Testing
import Text

struct TerminalOutputTests {
    @Test func `output keeps its lines and tabs, and escapes control characters and direction marks`() {
        let text = "a\tb\u{1B}[2J\u{202E}\n\u{9B}c\u{2028}\r\n"
        #expect(TerminalText.output(text) == "a\tb\\u001b[2J\\u202e\n\\u009bc\\u2028\\u000d\n")
        #expect(TerminalText.output("zwölf → 12\n") == "zwölf → 12\n")
    }

    @Test func `JSON output stays the same value`() throws {
        let value: JSONValue = ["a\u{202E}": "\u{7F}\u{1B}\n\t\u{2066}é"]
        let text = TerminalText.output(value.text + "\n")
        #expect(!text.dropLast().unicodeScalars.contains(where: HarmfulCharacters.contain))
        #expect(try JSONValue(parsing: String(text.dropLast())) == value)
    }
}
