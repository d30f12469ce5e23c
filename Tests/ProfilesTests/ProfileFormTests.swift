import JSON
import Profiles
import Testing

struct ProfileFormTests {
    private static func source(_ text: String) -> ProfileSource {
        ProfileSource(file: "f.json", json: Array(text.utf8))
    }

    private static func yaml(_ text: String) throws -> String {
        try #require(ProfileForm(source(text), as: .yaml)).text
    }

    @Test func `a file becomes a configuration in YAML`() throws {
        let text = """
            {"class": "AylaDevice", "oemModel": "m", // a comment
             "managedProperties": [
               {"name": "on", "x": null, "actions": [{"name": "off", "value": 1.0}]},
               {"name": "a", "config": {"b": {"c": {"d": []}}}}
             ]},
            """
        let form = try #require(ProfileForm(Self.source(text), as: .yaml))
        #expect(
            form.text == """
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
        let text = #"{"devices":[{"x":{"\#(key)":[],"l":[[],[{"a":{"b":{"c":{}}}}]]}}]}"#
        #expect(
            try Self.yaml(text) == """
                devices:
                  - x:
                      ? "\(key)"
                      : []
                      l:
                        - []
                        -
                          - a: {b: {c: {}}}

                """
        )
    }

    @Test func `the secret is left out wherever it stands, and that is told`() throws {
        let text = #"{"sdkConfig":{"appId":"a","appSecret":"hush"},"x":[{"appSecret":"hush"}]}"#
        let form = try #require(ProfileForm(Self.source(text), as: .json))
        #expect(form.text == "{\n  \"sdkConfig\": {\"appId\": \"a\"},\n  \"x\": [{}]\n}\n")
        #expect(form.omissions.count == 1)
    }

    @Test(arguments: ["appsecret", "AppSecret", "app_secret", "APP-SECRET"])
    func `a misspelt secret is a secret`(key: String) throws {
        let text = #"{"sdkConfig":{"appId":"a","\#(key)":"hush"}}"#
        let form = try #require(ProfileForm(Self.source(text), as: .yaml))
        #expect(form.text == "sdkConfig: {appId: a}\n")
        #expect(form.omissions.count == 1)
    }

    @Test(arguments: ["\u{7F}", "\u{85}", "\u{9B}", "\u{202E}", "\u{200F}"])
    func `JSON has no character that harms a terminal`(text: String) throws {
        let json = JSONValue.object(["strings": ["de": ["k": .string(text)]]])
        let form = try #require(ProfileForm(Self.source(json.text), as: .json))
        #expect(form.text.unicodeScalars.allSatisfy { $0.isASCII && $0.value != 0x7F })
        #expect(try JSONValue(parsing: form.text) == json)
    }

    @Test func `a type without a class gets the generic one in JSON`() throws {
        let text = #"{"devices":[{"oemModel":"m"}]}"#
        let form = try #require(ProfileForm(Self.source(text), as: .json))
        #expect(form.text == "{\n  \"devices\": [{\"class\": \"AylaDevice\", \"oemModel\": \"m\"}]\n}\n")
        #expect(ProfileReading(json: form.text).problems.isEmpty)
    }

    @Test(arguments: [
        "on", "off", "yes", "no", "y", "true", "True", "null", "~", "", " ", "1", "1.0", "-1", "+1", ".5",
        "1e3",
        "0x1F", "0o17", "1_000", "12:30", "2026-01-01", "1.2.3", ".inf", "-", "- a", "a: b", "a #b", "#a",
        "&a",
        "*a", "!a", "|", ">", "%a", "@a", "`a", "'a'", "\"a\"", "{a}", "[a]", "a,b", "?", "? a", ":", "a:",
        "=",
        "<<", "---", "...", " a", "a ", "a\nb", "a\tb", "\u{7F}", "\u{85}", "\u{2028}", "\u{FEFF}", "{{ x }}",
        "<b>", "\\", "\u{0}",
    ])
    func `a text that YAML could take for something else is quoted`(text: String) throws {
        let json = JSONValue.object(["strings": ["de": ["k": .string(text)]]]).text
        let yaml = try Self.yaml(json)
        let value = try #require(yaml.split(separator: ": ", maxSplits: 3).last).dropLast(3)
        #expect(value.first == "\"" && value.last == "\"")
        #expect(try JSONValue(parsing: String(value)) == .string(text))
    }

    @Test(arguments: ["a", "turn_on", "Steckdose und Lüfter", "°C", "kWh", "a-b.c/d", "A (b)", "μg/m³", "é"])
    func `a plain text has no quotes`(text: String) throws {
        let json = JSONValue.object(["strings": ["de": ["k": .string(text)]]]).text
        #expect(try Self.yaml(json) == "strings: {de: {k: \(text)}}\n")
    }

    @Test func `the built-in profiles can be copied`() throws {
        let builtIn = ProfileLibrary.builtIn
        let form = ProfileForm(of: builtIn.profiles, strings: builtIn.strings, as: .json)
        let reading = ProfileReading(json: form.text)
        #expect(reading.problems.isEmpty)
        #expect(reading.own.map(\.properties) == builtIn.profiles.map(\.properties))
        #expect(reading.own.map(\.deviceControl) == builtIn.profiles.map(\.deviceControl))
    }

    @Test func `a copied profile has its texts and needs no other file`() throws {
        let text =
            #"{"devices":[{"class":"AylaDevice","oemModel":"m","deviceControl":"tile","managedProperties":["#
            + #"{"name":"p","control":"knob"}]}],"strings":{"de":{"p":"P","other":"x"}},"#
            + #""userExperience":{"signInScreen":"h","homeScreen":"h","screens":[{"name":"h","class":"Map"}],"#
            + #""controls":[{"name":"knob","class":"Dimmer","extras":{"max":9}},{"name":"tile","class":"Own"}]}}"#
        let library = ProfileReading(json: text).library
        let profile = try #require(library.profiles.last)
        #expect(
            ProfileForm(of: [profile], strings: library.strings, as: .yaml).text == """
                devices:
                  - class: AylaDevice
                    oemModel: m
                    managedProperties: [{name: p, control: dimmer, max: 9}]
                strings: {de: {p: P}}

                """
        )
    }

    // MARK: Unquoted YAML

    @Test(arguments: [
        ("true", JSONValue.bool(true)), ("false", false), ("", .null), ("~", .null), ("null", .null),
        ("on", "on"), ("yes", "yes"), ("True", "True"), ("1", 1), ("-7", -7), ("+5", 5), ("007", 7),
        ("1.50", 1.5),
        (".5", 0.5), ("5.", 5), ("5.e2", 500), ("1e3", 1000), ("0x1F", 31), ("0o17", 15), ("1_000", "1_000"),
        ("12:30", "12:30"), (".", "."), ("-", "-"), ("e5", "e5"), (".inf", ".inf"), ("1e999", "1e999"),
        ("0x", "0x"),
        ("0x-1", "0x-1"), ("1.2.3", "1.2.3"), ("٣", "٣"), ("1.٣", "1.٣"),
    ])
    func `an unquoted scalar has the type of YAML's core schema, with two booleans`(
        text: String,
        value: JSONValue
    ) {
        let position = SourcePosition(line: 1, column: 1)
        #expect(PlacedValue(PlacedValue.Content(plainYAML: text), at: position).json == value)
    }
}
