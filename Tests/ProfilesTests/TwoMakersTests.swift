import JSON
import Profiles
import Testing

/// The files of two makers, each with screens of its own.
struct TwoMakersTests {
    private static func maker(_ name: String, colour: String, least: Int) -> String {
        ##"""
        {"sdkConfig":{"appId":"\##(name)"},
         "devices":[{"class":"AylaDevice","oemModel":"\##(name)","detailScreen":"\##(name)-detail","deviceControl":"tile",
           "managedProperties":[{"name":"level","control":"knob"},{"name":"on","control":"\##(name)-switch"}]}],
         "userExperience":{"signInScreen":"home","homeScreen":"home","drawerMenu":["home"],
           "defaultConfig":{"fontColor":"ink"},
           "screens":[{"name":"home","class":"DeviceList","title":"\##(name)"},{"name":"\##(name)-detail","class":"DeviceDetails"}],
           "controls":[{"name":"knob","class":"Slider","extras":{"min":\##(least),"max":50,"bgOn":"ink"}},
             {"name":"tile","class":"Generic"},{"name":"\##(name)-switch","class":"Switch"}],
           "colors":[{"name":"ink","value":"\##(colour)"},{"name":"\##(name)-paper","value":"#fff"}]},
         "strings":{"en":{"\##(name)":"By \##(name)"}}}
        """##
    }

    private static let reading = ProfileReading(of: [
        ProfileSource(file: "a", json: Array(maker("a", colour: "#111", least: 10).utf8)),
        ProfileSource(file: "b", json: Array(maker("b", colour: "#222", least: 20).utf8)),
    ])

    @Test func `the second sections are warnings`() {
        #expect(Self.reading.files.map(\.errors) == [0, 0] && !Self.reading.hasErrors)
        #expect(
            Self.reading.sentences == [
                #"warning duplicate: sdkConfig: "sdkConfig" stands again (first in a:1); it is not used"#,
                #"warning duplicate: userExperience: "userExperience" stands again (first in a:4); "#
                    + "its home screen, menu and defaults are not used",
            ]
        )
    }

    @Test func `the first screens win, and those that only the second has can be reached`() throws {
        let experience = try #require(Self.reading.library.experience)
        #expect(experience.screens.map(\.name) == ["home", "a-detail", "b-detail"])
        #expect(experience.screens.first?.title == "a")
        #expect(experience.homeScreen == "home" && experience.drawerMenu == ["home"])
        #expect(Self.reading.own.map(\.detailScreen) == ["a-detail", "b-detail"])
    }

    @Test func `each type has the controls of its own file, in the colours of its own file`() throws {
        let experience = try #require(Self.reading.library.experience)
        let levels = Self.reading.own.compactMap(\.properties.first)
        #expect(levels.map(\.minimum) == [10, 20])
        #expect(levels.map(\.controlName) == ["knob", "knob~2"])
        #expect(Self.reading.own.map(\.deviceControl) == ["tile", "tile"])
        #expect(
            experience.controls.map(\.name) == ["knob", "tile", "a-switch", "knob~2", "b-switch"]
        )
        #expect(experience.controls[0].parameters["bgOn"] == "ink")
        #expect(experience.controls[3].parameters["bgOn"] == "#222")
        #expect(experience.colours.map(\.name) == ["ink", "a-paper", "b-paper"])
        #expect(experience.colours.first?.value == "#111")
    }

    @Test func `the texts of both are there`() {
        #expect(Self.reading.library.strings.text("b", in: "en") == "By b")
        #expect(Self.reading.library.strings.text("a", in: "en") == "By a")
    }
}
