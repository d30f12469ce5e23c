import Flare
import JSON
import Lamps
import SeededRandom
import Testing
import Things

/// Reports are read as far as they can be.
struct PartialReportTests {
    private static let lamp = JSONLamp(stateTopic: "s", commandTopic: "c")
    private static let warm = ColourTemperature(mired: 370)

    /// What an ESPHome light sends in each of its colour modes.
    @Test(arguments: [
        (#"{"color_mode":"onoff","state":"ON","color":{}}"#, LampState(isOn: true)),
        (
            #"{"color_mode":"brightness","state":"ON","brightness":255,"color":{}}"#,
            LampState(isOn: true, level: 1)
        ),
        (
            #"{"color_mode":"white","state":"ON","brightness":255,"color":{"w":255},"white_value":255}"#,
            LampState(isOn: true, level: 1, isWhite: true)
        ),
        (
            #"{"color_mode":"color_temp","state":"ON","brightness":255,"color":{},"color_temp":370}"#,
            LampState(isOn: true, level: 1, temperature: warm)
        ),
        (
            #"{"color_mode":"cwww","state":"ON","brightness":255,"color":{"c":0,"w":255}}"#,
            LampState(isOn: true, level: 1, isWhite: true)
        ),
        (
            #"{"effect":"None","color_mode":"rgb","state":"ON","brightness":255,"color":{"r":0,"g":0,"b":255}}"#,
            LampState(isOn: true, level: 1, colour: Paint.blue)
        ),
        (
            #"{"color_mode":"rgbw","state":"ON","color":{"r":0,"g":0,"b":0,"w":255},"white_value":255}"#,
            LampState(isOn: true, isWhite: true)
        ),
        (
            #"{"color_mode":"rgbw","state":"ON","color":{"r":255,"g":0,"b":0,"w":0},"white_value":0}"#,
            LampState(isOn: true, colour: Paint.red)
        ),
        (
            #"{"color_mode":"rgbct","state":"ON","color":{"r":0,"g":0,"b":0,"w":255},"color_temp":370}"#,
            LampState(isOn: true, temperature: warm)
        ),
        (
            #"{"color_mode":"rgbct","state":"ON","color":{"r":0,"g":255,"b":0,"w":9},"color_temp":370}"#,
            LampState(isOn: true, colour: Paint.green)
        ),
        (
            #"{"color_mode":"rgbww","state":"ON","color":{"r":0,"g":0,"b":0,"c":100,"w":200}}"#,
            LampState(isOn: true, isWhite: true)
        ),
        (#"{"state":"ON","color":{"w":255}}"#, LampState(isOn: true, isWhite: true)),
        (#"{"state":"ON","color":{"r":0,"g":0,"b":0}}"#, LampState(isOn: false)),
        (#"{"state":"ON","color":[0,0,"255"]}"#, LampState(isOn: true, colour: Paint.blue)),
        (#"{"state":"ON","color":"0, 255, 0"}"#, LampState(isOn: true, colour: Paint.green)),
    ])
    func `every colour mode of an ESPHome light is understood`(text: String, expected: LampState) {
        #expect(Self.lamp.state("s", text) == expected)
        #expect(Self.lamp.unusable("s", text).isEmpty)
    }

    @Test func `white light of unknown colour ends a colour and is shown by a colour temperature`() {
        var lamp = LampState(isOn: true, colour: Paint.red)
        let white = LampState(isOn: true, isWhite: true)
        lamp.merge(white)
        #expect(lamp == white)
        #expect(LampState(temperature: Self.warm).isShown(by: lamp))
        #expect(LampState(colour: Paint.white).isShown(by: lamp))
        #expect(!LampState(colour: Paint.red).isShown(by: lamp))
        lamp.merge(LampState(level: 0.5))
        #expect(lamp.isWhite)
        lamp.merge(LampState(colour: Paint.blue))
        #expect(lamp == LampState(isOn: true, level: 0.5, colour: Paint.blue))
    }

    // MARK: Any member broken

    /// Members of a report, and what each says.
    private struct Report {
        let dialect: any LampDialect
        let topic: String
        let members: JSONObject
        let isOn: String
        let level: String
    }

    private static let broken: [JSONValue] = [
        .null, "", "warm", "ON?", -1, true, [], [1], ["a": 1],
        .string(String(repeating: "x", count: 300)),
    ]

    private static let reports = [
        Report(
            dialect: ZigbeeLamp(topic: "z/l"),
            topic: "z/l",
            members: [
                "state": "ON", "brightness": 127, "color": ["x": 0.7006, "y": 0.2993], "color_temp": 370,
                "color_mode": "xy", "linkquality": 80, "effect": "blink",
            ],
            isOn: "state",
            level: "brightness"
        ),
        Report(
            dialect: TasmotaLamp(topic: "t"),
            topic: "stat/t/RESULT",
            members: [
                "POWER": "ON", "Dimmer": 50, "HSBColor": "0,100,50", "Color": "800000",
                "Channel": [50, 0, 0], "Fade": "OFF", "Wifi": ["RSSI": 80],
            ],
            isOn: "POWER",
            level: "Dimmer"
        ),
    ]

    @Test(arguments: 0..<8) func `a broken member never costs a good one`(seed: Int) throws {
        var generator = SplitMix64(seed: UInt64(seed))
        for report in Self.reports {
            for _ in 0..<300 {
                var members = report.members
                var isBroken: Set<String> = []
                for key in members.keys.sorted() where Int.random(in: 0..<3, using: &generator) == 0 {
                    let value = try #require(Self.broken.randomElement(using: &generator))
                    // These are legal values of some members.
                    if value == true || value == "" || value.isNull, report.isOn == key { continue }
                    members[key] = value
                    isBroken.insert(key)
                }
                let text = JSONValue.object(members).text
                let state = report.dialect.state(report.topic, text)
                if !isBroken.contains(report.isOn) { #expect(state?.isOn == true, "\(text)") }
                if !isBroken.contains(report.level) {
                    #expect(state.flatMap(\.level) == 0.5, "\(text)")
                }
                let colours: Set = ["color", "HSBColor", "Color", "Channel"]
                if !colours.intersection(report.members.keys).isSubset(of: isBroken) {
                    let red = LampState(colour: Paint.red)
                    #expect(state?.colour.map { red.isShown(by: LampState(colour: $0)) } == true, "\(text)")
                }
            }
        }
    }

    // MARK: The link

    @Test func `a lamp with an unusable value has answered, and what it no longer tells does not count`() {
        var world = LinkWorld.inAgreement()
        world.isMute = true
        world.setThing(["on": true, "brightness": 1.0, "color": "blue"])
        world.pass(1000)
        world.say(#"{"state":"ON","brightness":"full","color":{"x":9,"y":9}}"#)
        world.settle()
        #expect(world.sets.count == 1, "it is not repeated")
        #expect(world.conditions.isEmpty)
        #expect(world.thing.data["brightness"] == 1 && world.thing.data["color"] == "blue")
        #expect(world.requests.isEmpty)
    }

    @Test func `a report without any usable value is an answer too`() {
        var world = LinkWorld.inAgreement()
        world.isMute = true
        world.setThing(["on": false])
        world.pass(20_000)
        #expect(world.conditions.last?.isSilent == true)
        world.say(#"{"state":"PERHAPS"}"#)
        world.settle()
        #expect(world.conditions.last?.isSilent == false)
        #expect(world.thing.data["on"] == false)
    }

    @Test func `a lamp that is off keeps what it does not tell`() {
        var world = LinkWorld.inAgreement()
        world.say(#"{"state":"OFF","brightness":null,"color":null}"#)
        world.settle()
        #expect(world.thing.data["on"] == false)
        world.forget()
        world.say(#"{"state":"ON"}"#)
        world.settle()
        #expect(world.thing.data["on"] == true && world.thing.data["brightness"] == 0.5)
    }

    @Test func `a thing follows its lamp to white light`() {
        var world = LinkWorld.inAgreement()
        world.say(#"{"state":"ON","color_mode":"cwww","color":{"c":10,"w":255}}"#)
        world.settle()
        #expect(world.thing.data["color"] == "white")
        #expect(world.sets.isEmpty)
    }

    // MARK: Availability

    @Test func `a cleared availability is none`() {
        var world = LinkWorld.inAgreement()
        world.setAvailable(false)
        world.settle()
        #expect(world.conditions.last?.isOnline == false)
        world.clearAvailability()
        world.settle()
        #expect(world.conditions.last?.isOnline == true)
    }

    @Test func `of several bridges that may be the lamp's one that is online is right`() {
        var link = LampLink(ZigbeeLamp(topic: "home/z2m/lamp"))
        _ = link.brokerChanged(isUp: true, at: 0)
        func isOnline(_ topic: String, _ isOnline: Bool?) -> Bool {
            _ = link.lampSaid(.available(isOnline), on: topic, at: 0)
            return !link.isOffline
        }
        #expect(!isOnline("home/bridge/state", false))
        #expect(isOnline("home/z2m/bridge/state", true))
        #expect(!isOnline("home/z2m/bridge/state", false))
        #expect(!isOnline("home/bridge/state", nil))
        #expect(isOnline("home/z2m/bridge/state", true))
        #expect(!isOnline("home/z2m/lamp/availability", false), "the lamp's own counts by itself")
    }
}
