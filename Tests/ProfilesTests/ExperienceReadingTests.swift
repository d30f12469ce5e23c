import JSON
import Profiles
import Testing

/// Screens, controls, menu and colours.
struct ExperienceReadingTests {
    private static func section(_ more: String) -> String {
        #"{"userExperience":{"signInScreen":"home","homeScreen":"home","#
            + ##""screens":[{"name":"home","class":"DeviceList"}],"colors":[{"name":"ink","value":"#abc"}],\##(more)}}"##
    }

    private static func screen(_ more: String) -> String {
        #"{"userExperience":{"signInScreen":"home","homeScreen":"home","#
            + ##""screens":[{"name":"home","class":"DeviceList",\##(more)}],"colors":[{"name":"ink","value":"#abc"}]}}"##
    }

    @Test func `all of it is read`() throws {
        let text = Self.section(
            #""drawerMenu":["home"],"defaultConfig":{"fontColor":"ink","wantsTitleBar":false,"x":[1]},"#
                + #""controls":[{"name":"knob","class":"a.b.Slider","extras":{"max":9,"bgOn":"ink"}}]"#
        )
        let reading = ProfileReading(json: text)
        #expect(reading.problems.isEmpty)
        let experience = try #require(reading.library.experience)
        #expect(experience.screens.map(\.className) == ["DeviceList"])
        #expect(experience.drawerMenu == ["home"])
        #expect(experience.defaults == ["fontColor": "ink", "wantsTitleBar": false, "x": [1]])
        #expect(experience.controls.map(\.className) == ["Slider"])
        #expect(experience.controls.first?.parameters == ["max": 9, "bgOn": "ink"])
        #expect(experience.colours == [Experience.Colour(name: "ink", value: "#abc")])
    }

    @Test(arguments: [
        (
            Self.section(#""drawerMenu":["hom"]"#),
            #"error unknown_screen: userExperience.drawerMenu[0]: no screen "hom"; did you mean "home"?"#
        ),
        (
            Self.section(#""defaultConfig":{"fontColor":"inc"}"#),
            #"error unknown_colour: userExperience.defaultConfig.fontColor: no colour "inc"; did you mean "ink"?"#
        ),
        (
            Self.section(##""defaultConfig":{"windowBackground":"#12345"}"##),
            ##"error unknown_colour: userExperience.defaultConfig.windowBackground: no colour "#12345""##
        ),
        (
            Self.section(#""defaultConfig":{"wantsTitleBar":"no"}"#),
            #"error wrong_type: userExperience.defaultConfig.wantsTitleBar must be true or false (is "no")"#
        ),
        (
            Self.section(#""controls":[{"name":"a","class":"Generic","extras":{"lineColor":"red"}}]"#),
            #"warning unknown_colour: userExperience.controls[0].extras.lineColor: no colour "red""#
        ),
        (
            Self.section(#""controls":[{"name":"a","class":"Slider","extras":{"min":"0"}}]"#),
            #"error wrong_type: userExperience.controls[0].extras.min must be a number (is "0")"#
        ),
        (
            Self.section(#""controls":[{"name":"a","class":"Slider","config":{"min":9,"max":3}}]"#),
            "error out_of_range: userExperience.controls[0].config.min must be less than max, which is 3 (is 9)"
        ),
        (
            Self.section(#""controls":[{"name":"a","class":"Slidr"}]"#),
            #"warning unknown_class: userExperience.controls[0].class: no class "Slidr"; the generic one is used; did you mean "Slider"?"#
        ),
        (
            Self.screen(#""config":{},"extras":{}"#),
            #"error invalid_value: userExperience.screens[0] must have either "config" or "extras" (has both)"#
        ),
        (
            Self.screen(#""config":{"layout":"tiles"}"#),
            #"error invalid_value: userExperience.screens[0].config.layout must be one of list, swipe, grid (is "tiles")"#
        ),
        (
            Self.screen(#""icon":"a/../b""#),
            #"error invalid_value: userExperience.screens[0].icon must be mdi:… or the name of a picture, without a folder above it (is "a/../b")"#
        ),
        (
            Self.screen(#""config":{"fontColor":1}"#),
            "error wrong_type: userExperience.screens[0].config.fontColor must be a colour: a name or #RRGGBB (is 1)"
        ),
    ])
    func `a problem says what is wrong and what is legal`(text: String, sentence: String) {
        #expect(ProfileReading(json: text).sentences == [sentence])
    }

    @Test func `a module makes its class known`() {
        let text = Self.section(#""controls":[{"name":"a","class":"org.example.HeatPump"}]"#)
        #expect(ProfileReading(json: text).places.count == 1)
        #expect(ProfileReading(json: text, modules: ["HeatPump"]).problems.isEmpty)
    }

    @Test func `a property takes what its control says`() throws {
        let text =
            #"{"devices":[{"class":"AylaDevice","oemModel":"m","deviceControl":"heat","managedProperties":["#
            + #"{"name":"timer","control":"knob","max":50},{"name":"x","control":"own","roles":["temperature_setpoint"]}]}],"#
            + #""userExperience":{"signInScreen":"h","homeScreen":"h","screens":[{"name":"h","class":"Map"}],"controls":["#
            + #"{"name":"knob","class":"Slider","extras":{"min":5,"max":240,"step":15,"unit":"min"}},"#
            + #"{"name":"heat","class":"ACDeviceControl"},"#
            + #"{"name":"own","class":"Dial","extras":{"min":"low","max":7}}]}}"#
        let reading = ProfileReading(json: text, modules: ["Dial"])
        #expect(reading.problems.isEmpty)
        let profile = try #require(reading.own.first)
        #expect(profile.deviceControl == "heat")
        #expect(profile.deviceControlClass == "ACDeviceControl")
        let timer = try #require(profile.properties.first)
        #expect(timer.control == .slider)
        #expect(timer.controlName == "knob")
        #expect([timer.minimum, timer.maximum, timer.step] == [5, 50, 15])
        #expect(timer.unit == "min")
        let own = try #require(profile.properties.last)
        #expect(own.control == nil)
        #expect(own.controlName == "own")
        #expect([own.minimum, own.maximum] == [nil, 7])
    }
}
