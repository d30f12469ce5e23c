import JSON
import Profiles
import Testing

struct BuiltInProfilesTests {
    private static let names = [
        "light", "dimmer", "color-light", "switch", "socket", "cover", "blind", "curtain", "thermostat",
        "fan",
        "lock", "valve", "humidifier", "sensor-station", "contact", "motion", "display", "exhibit",
        "media-player", "meeting-room",
    ]

    @Test func `there are twenty of them`() {
        #expect(ProfileLibrary.builtIn.profiles.map(\.name) == Self.names)
        #expect(ProfileLibrary.builtIn.profiles.allSatisfy { $0.origin == .builtIn && $0.model == nil })
    }

    @Test func `a blind has its limits, roles and actions`() throws {
        let blind = try #require(ProfileLibrary.builtIn.profiles.first { $0.name == "blind" })
        #expect(blind.deviceControl == "cover")
        let position = try #require(blind.properties.first)
        #expect(position.control == .slider)
        #expect(position.minimum == 0)
        #expect(position.maximum == 100)
        #expect(position.roles == ["cover_position", "blind"])
        #expect(position.actions.map(\.name) == ["open", "close"])
        #expect(blind.properties.map(\.isOptional) == [false, true, true])
    }

    @Test func `the modes of a thermostat are texts`() throws {
        let thermostat = try #require(ProfileLibrary.builtIn.profiles.first { $0.name == "thermostat" })
        let mode = try #require(thermostat.properties.first { $0.name == "mode" })
        #expect(mode.actions.map(\.value) == ["off", "heat", "cool", "auto"])
    }

    @Test func `a type of a file replaces the built-in one of its name`() throws {
        let source = ProfileSource(
            file: "own.json",
            json: Array(#"{"class":"ALDevice","oemModel":"fan"}"#.utf8)
        )
        let library = ProfileReading(of: [source]).library
        #expect(library.profiles.count == 20)
        #expect(library.profiles.last?.origin == .file("own.json", SourcePosition(line: 1, column: 1)))
    }
}
