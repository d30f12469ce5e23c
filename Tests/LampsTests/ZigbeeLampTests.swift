import Flare
import Lamps
import Testing
import Things

struct ZigbeeLampTests {
    private let lamp = ZigbeeLamp(topic: "zigbee2mqtt/hall/desk")

    @Test func `the topics are those of the device, its availability and the bridge`() {
        #expect(lamp.stateTopics == ["zigbee2mqtt/hall/desk"])
        #expect(
            lamp.availabilityGroups == [
                ["zigbee2mqtt/hall/desk/availability"],
                ["zigbee2mqtt/bridge/state", "zigbee2mqtt/hall/bridge/state"],
            ]
        )
        #expect(ZigbeeLamp(topic: "z/l").availabilityTopics == ["z/l/availability", "z/bridge/state"])
        #expect(lamp.commandTopics == ["zigbee2mqtt/hall/desk/set"])
    }

    @Test(arguments: [
        (#"{"state":"ON","brightness":254}"#, LampState(isOn: true, level: 1)),
        (#"{"state":"ON","brightness":255}"#, LampState(isOn: true, level: 1)),
        (#"{"state":"off","brightness":127,"linkquality":80}"#, LampState(isOn: false, level: 0.5)),
        (#"{"state":"OFF","brightness":0}"#, LampState(isOn: false)),
        (#"{"state":"ON","brightness":0}"#, LampState(isOn: false)),
        (#"{"state":null,"brightness":254}"#, LampState(level: 1)),
        (##"{"color":{"hex":"#0000FF"}}"##, LampState(colour: Paint.blue)),
        (#"{"color":{"hue":120,"saturation":100},"color_mode":"hs"}"#, LampState(colour: Paint.green)),
        (#"{"color":{"h":240,"s":100}}"#, LampState(colour: Paint.blue)),
        (#"{"color":{"r":255,"g":0,"b":0}}"#, LampState(colour: Paint.red)),
        (
            #"{"color":{"x":0.3127,"y":0.329,"hue":120,"saturation":100},"color_mode":"hs"}"#,
            LampState(colour: Paint.green)
        ),
        (
            #"{"state":"ON","color":null,"color_temp":250}"#,
            LampState(isOn: true, temperature: ColourTemperature(kelvin: 4000))
        ),
        (
            #"{"color":{"x":0.38,"y":0.38},"color_temp":250,"color_mode":"color_temp"}"#,
            LampState(temperature: ColourTemperature(kelvin: 4000))
        ),
        (
            #"{"color":{"h":240,"s":100},"color_temp":250,"color_mode":"hs"}"#,
            LampState(colour: Paint.blue)
        ),
        (#"{"state":"ON","color":{}}"#, LampState(isOn: true)),
        (#"{"state":"ON","color_temp":0}"#, LampState(isOn: true)),
        (#"{"state":"ON","color_temp":""}"#, LampState(isOn: true)),
        (
            #"{"state":"ON","color_mode":"color_temp","color_temp":null}"#,
            LampState(isOn: true, isWhite: true)
        ),
        (
            #"{"color":{"h":240,"s":100},"color_temp":"warm","color_mode":"hs"}"#,
            LampState(colour: Paint.blue)
        ),
    ])
    func `a state is parsed`(text: String, expected: LampState) {
        #expect(lamp.state("zigbee2mqtt/hall/desk", text) == expected)
    }

    @Test func `xy takes precedence over hue unless the mode says otherwise`() throws {
        let text = #"{"color":{"x":0.7006,"y":0.2993,"hue":120,"saturation":100},"color_mode":"xy"}"#
        let colour = try #require(lamp.state("zigbee2mqtt/hall/desk", text)?.colour)
        #expect(LampState(colour: colour).isShown(by: LampState(colour: Paint.red)))
    }

    @Test(arguments: [
        ("zigbee2mqtt/hall/desk/availability", #"{"state":"online"}"#, true),
        ("zigbee2mqtt/hall/desk/availability", "offline", false),
        ("zigbee2mqtt/bridge/state", #"{"state":"offline"}"#, false),
        ("zigbee2mqtt/bridge/state", "online", true),
    ])
    func `availability is JSON or plain text`(topic: String, text: String, expected: Bool) {
        #expect(lamp.reading(topic, text) == .success(.available(expected)))
    }

    @Test(arguments: [
        "", "{}", #"{"action":"single"}"#, #"{"linkquality":12,"update":{"state":"idle"}}"#,
        #"{"state":""}"#,
    ])
    func `irrelevant messages are ignored`(text: String) {
        let reading = lamp.reading("zigbee2mqtt/hall/desk", text)
        #expect(reading == .success(.nothing) || reading == .success(.state(LampState())))
    }

    @Test(arguments: [
        ("ON", "the message is not JSON (is \"ON\")"), ("[1]", "the message is not a JSON object (is [1])"),
    ])
    func `an invalid message is refused with the reason`(text: String, complaint: String) {
        guard case .failure(let error) = lamp.reading("zigbee2mqtt/hall/desk", text) else {
            Issue.record("it was taken")
            return
        }
        #expect(error.description == complaint)
    }

    @Test(arguments: [
        (#""state":"PERHAPS""#, "state must be ON or OFF (is \"PERHAPS\")"),
        (#""state":7"#, "state must be ON or OFF (is 7)"),
        (#""brightness":"much""#, "brightness must be a number from 0 to 254 (is \"much\")"),
        (#""brightness":-1"#, "brightness must be a number from 0 to 254 (is -1)"),
        (#""color":{"x":2,"y":0}"#, #"unsupported colour (is {"x":2,"y":0})"#),
        (#""color_temp":"warm""#, #"color_temp must be a number of mired (is "warm")"#),
        (#""color_temp":-1"#, "color_temp must be a number of mired (is -1)"),
        (#""color":7"#, "unsupported colour (is 7)"),
    ])
    func `an unusable value is left out and named`(member: String, why: String) {
        let topic = "zigbee2mqtt/hall/desk"
        #expect(lamp.unusable(topic, "{\(member)}") == [why])
        let text = #"{"state":"ON","brightness":127,\#(member)}"#
        let state = lamp.state(topic, text)
        #expect(state?.isOn == (member.contains("state") ? nil : true))
        #expect(state?.level == (member.contains("brightness") ? nil : 0.5))
    }

    @Test(arguments: [
        (#"{"state":" on ","brightness":"127"}"#, LampState(isOn: true, level: 0.5)),
        (#"{"state":1,"brightness":300}"#, LampState(isOn: true, level: 1)),
        (#"{"state":"ON","brightness":NaN,"linkquality":-inf}"#, LampState(isOn: true)),
        (#"{"state":"ON","brightness":1e999}"#, LampState(isOn: true)),
        (#"{"state":"ON","color":{"r":"255","g":"0","b":"0"}}"#, LampState(isOn: true, colour: Paint.red)),
        (
            #"{"color":{"x":1.2,"y":0.3,"hue":240,"saturation":100},"color_mode":"xy"}"#,
            LampState(colour: Paint.blue)
        ),
        (
            #"{"color_mode":"color_temp","color_temp":"warm","color":{"h":240,"s":100}}"#,
            LampState(colour: Paint.blue)
        ),
        (#"{"color_mode":7,"color":{"h":240,"s":100}}"#, LampState(colour: Paint.blue)),
        (#"{"state":"ON","effect":{"no":"effect"},"update":[[[]]]}"#, LampState(isOn: true)),
    ])
    func `a value that is clearly meant is used, and another that says the same`(
        text: String,
        expected: LampState
    ) {
        #expect(lamp.state("zigbee2mqtt/hall/desk", text) == expected)
    }

    @Test func `a byte that is no text does not cost the report`() throws {
        let bytes = Array(#"{"state":"ON","name":"caf"#.utf8) + [0xE9] + Array(#"","brightness":254}"#.utf8)
        #expect(
            try lamp.report(on: "zigbee2mqtt/hall/desk", bytes) == .state(LampState(isOn: true, level: 1))
        )
    }

    @Test func `a change is one message with xy and the transition`() {
        let all = LampState(isOn: true, level: 0.5, colour: Paint.red)
        #expect(
            lamp.order(all, from: LampState(), over: 2) == [
                LampMessage(
                    "zigbee2mqtt/hall/desk/set",
                    #"{"brightness":127,"color":{"x":0.7006,"y":0.2993},"state":"ON","transition":2}"#
                )
            ]
        )
        let white = LampState(isOn: true, temperature: ColourTemperature(kelvin: 2700))
        #expect(
            lamp.order(white, from: all, over: nil).map(\.payload) == [#"{"color_temp":370,"state":"ON"}"#]
        )
        #expect(lamp.stateRequest(for: white).map(\.payload) == [#"{"color_temp":"","state":""}"#])
        #expect(
            lamp.order(LampState(isOn: false), from: all, over: nil).map(\.payload) == [#"{"state":"OFF"}"#]
        )
        #expect(
            lamp.order(LampState(isOn: true, level: 0.001), from: all, over: nil).map(\.payload)
                == [#"{"brightness":1,"state":"ON"}"#]
        )
    }

    @Test func `a state request contains the thing's attributes`() {
        let all = LampState(isOn: true, level: 1, colour: Paint.red)
        #expect(
            lamp.stateRequest(for: all) == [
                LampMessage(
                    "zigbee2mqtt/hall/desk/get",
                    #"{"brightness":"","color":{"x":"","y":""},"state":""}"#
                )
            ]
        )
        #expect(lamp.stateRequest(for: LampState(isOn: true)).map(\.payload) == [#"{"state":""}"#])
    }
}
