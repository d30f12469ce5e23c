import JSON
import Profiles
import Testing

struct ProfileFormTests {
    private static func source(_ text: String) -> ProfileSource {
        ProfileSource(file: "f.json", json: Array(text.utf8))
    }

    @Test func `the secret is left out wherever it stands, and that is told`() throws {
        let text = #"{"sdkConfig":{"appId":"a","appSecret":"hush"},"x":[{"appSecret":"hush"}]}"#
        let form = try #require(ProfileForm(Self.source(text), as: .json))
        #expect(form.json == "{\n  \"sdkConfig\": {\"appId\": \"a\"},\n  \"x\": [{}]\n}\n")
        #expect(form.omissions.count == 1)
    }

    @Test(arguments: ["appsecret", "AppSecret", "app_secret", "APP-SECRET"])
    func `a misspelt secret is a secret`(key: String) throws {
        let text = #"{"sdkConfig":{"appId":"a","\#(key)":"hush"}}"#
        let form = try #require(ProfileForm(Self.source(text), as: .json))
        #expect(form.json == "{\n  \"sdkConfig\": {\"appId\": \"a\"}\n}\n")
        #expect(form.omissions.count == 1)
    }

    @Test(arguments: ["\u{7F}", "\u{85}", "\u{9B}", "\u{202E}", "\u{200F}"])
    func `JSON has no character that harms a terminal`(text: String) throws {
        let json = JSONValue.object(["strings": ["de": ["k": .string(text)]]])
        let form = try #require(ProfileForm(Self.source(json.text), as: .json))
        #expect(form.json.unicodeScalars.allSatisfy { $0.isASCII && $0.value != 0x7F })
        #expect(try JSONValue(parsing: form.json) == json)
    }

    @Test func `a type without a class gets the generic one in JSON`() throws {
        let text = #"{"devices":[{"oemModel":"m"}]}"#
        let form = try #require(ProfileForm(Self.source(text), as: .json))
        #expect(form.json == "{\n  \"devices\": [{\"class\": \"AylaDevice\", \"oemModel\": \"m\"}]\n}\n")
        #expect(ProfileReading(json: form.json).problems.isEmpty)
    }

    @Test func `the built-in profiles can be copied`() throws {
        let builtIn = ProfileLibrary.builtIn
        let form = ProfileForm(of: builtIn.profiles, strings: builtIn.strings, as: .json)
        let reading = ProfileReading(json: form.json)
        #expect(reading.problems.isEmpty)
        #expect(reading.own.map(\.properties) == builtIn.profiles.map(\.properties))
        #expect(reading.own.map(\.deviceControl) == builtIn.profiles.map(\.deviceControl))
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
