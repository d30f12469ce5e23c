import Flare
import Lamps
import Testing
import Things

/// Lamps whose topics the user configures.
struct DescribedLampTests {
    @Test(arguments: [
        (JSONLamp.ColourModel.rgb, #"{"b":0,"g":128,"r":255}"#), (.hs, #"{"h":30.118,"s":100}"#),
        (.xy, #"{"x":0.6132,"y":0.3733}"#),
    ])
    func `a JSON light receives colours in its model`(model: JSONLamp.ColourModel, colour: String) {
        let lamp = JSONLamp(stateTopic: "s", commandTopic: "c", scale: 100, model: model)
        let wanted = LampState(isOn: true, level: 0.5, colour: RGBColour(hex: 0xFF8000))
        #expect(
            lamp.order(wanted, from: LampState(), over: 3) == [
                LampMessage("c", #"{"brightness":50,"color":\#(colour),"state":"ON","transition":3}"#)
            ]
        )
    }

    @Test func `a JSON light's reports are parsed with its scale and availability`() {
        let availability = LampAvailability(topic: "a", online: "yes", offline: "no")
        let lamp = JSONLamp(stateTopic: "s", commandTopic: "c", availability: availability, scale: 100)
        #expect(lamp.topics == ["s", "a"])
        #expect(lamp.state("s", #"{"state":"ON","brightness":50}"#) == LampState(isOn: true, level: 0.5))
        #expect(lamp.reading("a", "YES") == .success(.available(true)))
        #expect(lamp.reading("a", "no") == .success(.available(false)))
        #expect(throws: LampMessageError.self) { try lamp.reading("a", "online").get() }
        #expect(lamp.reading("a", "") == .success(.available(nil)))
    }

    @Test(arguments: [(false, "370"), (true, "2700")])
    func `a JSON light's colour temperature is in mired or kelvin`(isKelvin: Bool, number: String) {
        let lamp = JSONLamp(stateTopic: "s", commandTopic: "c", isKelvin: isKelvin)
        let wanted = LampState(isOn: true, temperature: ColourTemperature(kelvin: 2700))
        #expect(
            lamp.order(wanted, from: LampState(), over: nil).map(\.payload)
                == [#"{"color_temp":\#(number),"state":"ON"}"#]
        )
        let shown = lamp.state("s", #"{"state":"ON","color_mode":"color_temp","color_temp":\#(number)}"#)
        #expect(wanted.isShown(by: shown ?? LampState(isOn: false)))
        #expect(shown?.temperature?.mired == 370)
    }

    private func template(
        _ command: String,
        _ change: (inout TemplateLamp.Settings) -> Void = { _ in }
    ) throws -> TemplateLamp {
        var settings = TemplateLamp.Settings(commandTopic: "c", command: try CommandTemplate(command))
        settings.stateTopic = "s"
        change(&settings)
        return TemplateLamp(settings)
    }

    @Test(arguments: [
        ("{state}", "ON"), ("{\"on\": \"{state}\", \"x\": {}}", "{\"on\": \"ON\", \"x\": {}}"),
        ("{brightness}/{level}/{percent}", "128/0.5/50"), ("{r},{g},{b} #{hex}", "255,128,0 #ff8000"),
        ("{h}|{s}", "30.1|100"), ("{x} {y}", "0.6132 0.3733"), ("{transition}s", "1.5s"),
        ("{ state } {state", "{ state } {state"), ("", ""), ("{{state}}", "{ON}"),
    ])
    func `names in braces are replaced and other text is literal`(command: String, text: String) throws {
        let wanted = LampState(isOn: true, level: 0.5, colour: RGBColour(hex: 0xFF8000))
        #expect(
            try template(command).order(wanted, from: LampState(), over: 1.5) == [LampMessage("c", text)]
        )
    }

    @Test func `a template lamp supports colour temperatures`() throws {
        let lamp = try template("{kelvin} {mired} {hex}") { $0.temperaturePath = "ct" }
        let wanted = LampState(isOn: true, temperature: ColourTemperature(kelvin: 2700))
        #expect(lamp.order(wanted, from: LampState(), over: nil).map(\.payload) == ["2700 370 ffa657"])
        #expect(lamp.state("s", #"{"ct":250}"#) == LampState(temperature: ColourTemperature(kelvin: 4000)))
    }

    @Test func `an unknown name is refused with the nearest one`() {
        #expect {
            try CommandTemplate("dim {brightnes}")
        } throws: {
            "\($0)".hasPrefix("unknown name {brightnes}; did you mean \"brightness\"?")
        }
    }

    @Test func `off is a separate command or a brightness of 0`() throws {
        let off = LampState(isOn: false)
        #expect(
            try template("{state} {percent}").order(off, from: LampState(level: 0.5), over: nil)
                .map(\.payload) == ["OFF 0"]
        )
        let lamp = try template("on {percent}") { $0.offCommand = try? CommandTemplate("dark") }
        #expect(lamp.order(off, from: LampState(), over: nil).map(\.payload) == ["dark"])
        // Unchanged values are repeated.
        let wanted = LampState(isOn: true)
        #expect(lamp.order(wanted, from: LampState(level: 0.3), over: nil).map(\.payload) == ["on 30"])
    }

    @Test func `the published topics are known in advance`() throws {
        #expect(
            TasmotaLamp(topic: "t").publishedTopics == ["cmnd/t/Backlog", "cmnd/t/POWER", "cmnd/t/STATE"]
        )
        #expect(ZigbeeLamp(topic: "z/l").publishedTopics == ["z/l/get", "z/l/set"])
        #expect(WLEDLamp(topic: "w").publishedTopics == ["w/api"])
        #expect(try template("{state}").publishedTopics == ["c"])
    }

    @Test func `only a template with a transition supports transitions`() throws {
        #expect(try template("{state}").longestFade == 0)
        #expect(try template("{state} {transition}").longestFade == 3600)
    }

    @Test(arguments: [
        ("on", LampState(isOn: true)), ("OFF", LampState(isOn: false)),
        ("51", LampState(isOn: true, level: 0.2)),
        ("0", LampState(isOn: false)),
    ])
    func `a plain text state is on, off or a brightness`(text: String, expected: LampState) throws {
        #expect(try template("{state}").state("s", text) == expected)
    }

    @Test(arguments: [
        (
            #"{"a":{"b":"yes","c":[0,50]},"d":"255,0,0"}"#,
            LampState(isOn: true, level: 0.5, colour: Paint.red)
        ),
        (#"{"a":{"b":"no"}}"#, LampState(isOn: false)), (#"{"a":{"b":true}}"#, LampState(isOn: true)),
        (#"{"d":[0,0,255]}"#, LampState(colour: Paint.blue)),
        (##"{"d":"#00ff00"}"##, LampState(colour: Paint.green)),
    ])
    func `values in a JSON state are found by their paths`(text: String, expected: LampState) throws {
        let lamp = try template("{state}") {
            $0.statePath = "a.b"
            $0.brightnessPath = "a.c.1"
            $0.colourPath = "d"
            $0.on = "yes"
            $0.off = "no"
            $0.scale = 100
        }
        #expect(lamp.state("s", text) == expected)
        #expect(lamp.reading("s", #"{"other":1}"#) == .success(.nothing))
        let partly = #"{"a":{"b":"yes","c":[0,"bright"]},"d":"mauve"}"#
        #expect(lamp.state("s", partly) == LampState(isOn: true))
        #expect(
            lamp.unusable("s", partly) == [
                "the brightness must be a number from 0 to 100 (is \"bright\")",
                "unsupported colour (is \"mauve\")",
            ]
        )
        #expect(lamp.unusable("s", #"{"a":{"b":"maybe"}}"#) == ["the state must be yes or no (is \"maybe\")"])
    }
}
