import Profiles
import Testing

struct ProfileLimitsTests {
    private static func list(_ count: Int, _ entry: (Int) -> String) -> String {
        "[" + (0..<count).map(entry).joined(separator: ",") + "]"
    }

    private static func types(_ count: Int) -> String {
        #"{"devices":\#(list(count) { #"{"class":"AylaDevice","oemModel":"m\#($0)"}"# })}"#
    }

    private static func properties(_ count: Int) -> String {
        deviceType(#""managedProperties":\#(list(count) { #"{"name":"p\#($0)"}"# })"#)
    }

    private static func actions(_ count: Int) -> String {
        property(#""name":"a","actions":\#(list(count) { #"{"name":"a\#($0)","value":\#($0)}"# })"#)
    }

    private static func experience(screens: Int = 1, controls: Int = 0, colours: Int = 0) -> String {
        #"{"userExperience":{"signInScreen":"s0","homeScreen":"s0","#
            + #""screens":\#(list(screens) { #"{"name":"s\#($0)","class":"Map"}"# }),"#
            + #""controls":\#(list(controls) { #"{"name":"c\#($0)","class":"Generic"}"# }),"#
            + ##""colors":\##(list(colours) { ##"{"name":"c\##($0)","value":"#123"}"## })}}"##
    }

    private static func strings(_ count: Int) -> String {
        #"{"strings":{"de":{\#((0..<count).map { #""k\#($0)":"v""# }.joined(separator: ","))}}}"#
    }

    @Test(arguments: [
        types(1000), properties(200), actions(100), experience(screens: 200), experience(controls: 200),
        experience(colours: 500), strings(5000),
    ])
    func `as much as is legal is read`(text: String) {
        #expect(ProfileReading(json: text).problems.isEmpty)
    }

    @Test(arguments: [
        (types(1001), "devices has more than 1000 device types, counted over all files"),
        (properties(201), "managedProperties has 201 entries; at most 200 are legal"),
        (actions(101), "managedProperties[0].actions has 101 entries; at most 100 are legal"),
        (experience(screens: 201), "userExperience.screens has 201 entries; at most 200 are legal"),
        (experience(controls: 201), "userExperience.controls has 201 entries; at most 200 are legal"),
        (experience(colours: 501), "userExperience.colors has 501 entries; at most 500 are legal"),
        (strings(5001), "strings.de has more than 5000 strings, counted over all files"),
    ])
    func `one more is too many`(text: String, message: String) {
        #expect(ProfileReading(json: text).sentences == ["error too_large: \(message)"])
    }

    @Test func `types and strings are counted over all files`() {
        let sources = [
            Self.types(1000), Self.strings(5000), Self.properties(1), #"{"strings":{"en":{"x":"y"}}}"#,
        ]
        .map { ProfileSource(file: "f", json: Array($0.utf8)) }
        #expect(ProfileReading(of: sources).problems.map(\.code) == [.tooLarge, .tooLarge])
    }

    @Test func `of thousands of problems the first thousand are listed`() throws {
        let text = "{" + (0..<5000).map { "\"mistake\($0)\":1" }.joined(separator: ",") + "}"
        let reading = ProfileReading(json: text)
        #expect(reading.problems.count == 1001)
        #expect(reading.problems.first?.code == .tooLarge)
        #expect(reading.hasErrors)
        #expect(try #require(reading.files.first).warnings == 5000)
    }
}
