import JSON
import Profiles
import SeededRandom
import Settings
import Testing
import Text

/// Profiles that are written as YAML.
struct ProfileYAMLTests {
    private static func form(_ text: String) throws -> ProfileForm {
        try #require(ProfileForm(ProfileSource(file: "f.json", json: Array(text.utf8)), as: .yaml))
    }

    /// The same text as a value and as a key, also where the line ends.
    private static func form(ofText text: String) throws -> ProfileForm {
        try form(
            JSONValue.object(["strings": ["de": ["k": .string(text)]], "l": [.object([text: 1])]]).text
        )
    }

    /// Whether the program reads the same values in the same order from what it wrote.
    private static func isReadBack(_ form: ProfileForm) throws -> Bool {
        let source = ProfileFile.source(of: Array(try form.yaml.utf8), named: "f.yaml")
        return ProfileForm(source, as: .yaml)?.json == form.json
    }

    @Test func `a file becomes a configuration`() throws {
        let text = """
            {"class": "AylaDevice", "oemModel": "m", // a comment
             "managedProperties": [
               {"name": "on", "x": null, "actions": [{"name": "off", "value": 1.0}]},
               {"name": "a", "config": {"b": {"c": {"d": []}}}}
             ]},
            """
        let form = try Self.form(text)
        #expect(
            try form.yaml == """
                devices:
                - class: AylaDevice
                  oemModel: m
                  managedProperties:
                  - name: "on"
                    x: null
                    actions: [{name: "off", value: 1.0}]
                  - name: a
                    config:
                      b: {c: {d: []}}

                """
        )
        #expect(form.omissions == ["comments are not kept"])
    }

    @Test func `a long key and an empty value keep their forms`() throws {
        let key = String(repeating: "k", count: 600)
        let form = try Self.form(#"{"devices":[{"x":{"\#(key)":[],"l":[[],[{"a":{"b":{"c":{}}}}]]}}]}"#)
        #expect(
            try form.yaml == """
                devices:
                - x:
                    ? \(key)
                    : []
                    l:
                    - []
                    - - a: {b: {c: {}}}

                """
        )
        #expect(try Self.isReadBack(form))
    }

    @Test(arguments: [
        "on", "off", "yes", "no", "y", "true", "True", "null", "~", "", " ", "1", "1.0", "-1", "+1", ".5",
        "1e3", "0x1F", "0o17", "1_000", "12:30", "2026-01-01", "1.2.3", ".inf", "-", "- a", "a: b", "a #b",
        "#a", "&a", "*a", "!a", "|", ">", "%", "@a", "`a", "'a'", "\"a\"", "{a}", "[a]", "a,b", "?", "? a",
        ":", "a:", "=", "<<", "---", "...", " a", "a ", "a\nb", "a\tb", "\u{7F}", "\u{85}", "\u{2028}",
        "a\u{FEFF}", "\u{FFFE}", "{{ x }}", "<b>", "\\", "\u{0}", "a\u{202E}b", "\\U0001F600", "😀",
    ])
    func `a text that YAML could take for something else is in double quotes`(text: String) throws {
        let form = try Self.form(ofText: text)
        let yaml = try form.yaml
        let value = try #require(yaml.firstRange(of: "k: ")).upperBound
        #expect(yaml[value...].hasPrefix("\""), "\(yaml)")
        #expect(try Self.isReadBack(form), "\(yaml)")
    }

    @Test(arguments: ["a", "turn_on", "Steckdose und Lüfter", "°C", "kWh", "a-b.c/d", "A (b)", "μg/m³", "é"])
    func `a plain text has no quotes`(text: String) throws {
        let json = JSONValue.object(["strings": ["de": ["k": .string(text)]]]).text
        #expect(try Self.form(json).yaml == "strings: {de: {k: \(text)}}\n")
    }

    @Test(arguments: ["😀 Küche", "\\😀", "🏳️‍🌈", "\\\\U0001F600 𝒳", "日本"])
    func `letters and emoji are written as they are`(text: String) throws {
        let form = try Self.form(ofText: text)
        let shown = text.replacing("\\", with: "\\\\")
        #expect(try form.yaml.contains(shown))
        #expect(try Self.isReadBack(form))
    }

    @Test func `a long text stays in one line`() throws {
        let text = String(repeating: "word ", count: 100) + "end"
        let form = try Self.form(ofText: text)
        #expect(try form.yaml.contains("k: \(text)\n"))
        #expect(try Self.isReadBack(form))
    }

    @Test(arguments: [("[", "]"), (#"{"a":"#, "}")]) func `a file of the deepest nesting is read back`(
        open: String,
        close: String
    ) throws {
        let depth = ProfileSource.maximumDepth - 1
        let nested =
            String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
        #expect(try Self.isReadBack(Self.form(#"{"x":\#(nested)}"#)))
    }

    @Test func `a copied profile has its texts and needs no other file`() throws {
        let text =
            #"{"devices":[{"class":"AylaDevice","oemModel":"m","deviceControl":"tile","managedProperties":["#
            + #"{"name":"p","control":"knob"}]}],"strings":{"de":{"p":"P","other":"x"}},"#
            + #""userExperience":{"signInScreen":"h","homeScreen":"h","screens":[{"name":"h","class":"Map"}],"#
            + #""controls":[{"name":"knob","class":"Dimmer","extras":{"max":9}},{"name":"tile","class":"Own"}]}}"#
        let source = ProfileSource(file: "f.json", json: Array(text.utf8))
        let library = ProfileReading(of: [source], modules: nil).library
        let profile = try #require(library.profiles.last)
        #expect(
            try ProfileForm(of: [profile], strings: library.strings, as: .yaml).yaml == """
                devices:
                - class: AylaDevice
                  oemModel: m
                  managedProperties: [{name: p, control: dimmer, max: 9}]
                strings: {de: {p: P}}

                """
        )
    }

    @Test func `whatever a file has, it is read back, and nothing in it harms a terminal`() throws {
        let sample = #"""
            {"version": 1.0, "name": "N\u00e4\ud83d\ude00\u0007\u202e", "on": [1e3, -0.5, "1e3", {}, []],
             "devices": [{"oemModel": "a: b #c", "x": {"no": null, "": ["~", "\\U", "line\nline"]}}],
             "strings": {"de": {"t": "Wärme", "2026-01-01": "😀 \"q\" 'q' {x}, [y]"}}}
            """#
        var fuzz = Fuzz(seed: 15, corpus: [sample])
        for _ in 0..<Fuzz.count / 10 {
            let source = ProfileSource(file: "f.json", json: fuzz.next())
            guard let form = ProfileForm(source, as: .yaml) else { continue }
            let yaml = try form.yaml
            #expect(try Self.isReadBack(form), "\(yaml)")
            #expect(!yaml.unicodeScalars.contains { $0 != "\n" && HarmfulCharacters.contain($0) }, "\(yaml)")
        }
    }
}
