import Profiles
import Testing

struct StringTablesTests {
    private let strings: StringTables = {
        var strings = StringTables()
        strings.add("On", for: "turn_on", in: "en")
        strings.add("Ein", for: "turn_on", in: "de")
        strings.add("Off", for: "turn_off", in: "en")
        return strings
    }()

    @Test(arguments: [("de", "Ein"), ("de-AT", "Ein"), ("fr", "On"), ("en-US", "On")])
    func `a text is that of the language, of its first part, or of English`(language: String, text: String) {
        #expect(strings.text("turn_on", in: language) == text)
    }

    @Test func `a language without a text falls back to English`() {
        #expect(strings.text("turn_off", in: "de") == "Off")
        #expect(strings.text("unknown", in: "de") == nil)
    }
}
