import Flare
import Lamps
import Testing
import Things

struct TasmotaLampTests {
    private let lamp = TasmotaLamp(topic: "bulb")

    @Test func `topics follow the device's full topic`() {
        let results = ["RESULT", "STATE", "DIMMER", "HSBCOLOR", "COLOR", "CT", "WHITE", "CHANNEL"]
        #expect(
            lamp.stateTopics
                == (["POWER", "POWER1"] + results).map { "stat/bulb/\($0)" } + ["tele/bulb/STATE"]
        )
        #expect(lamp.availabilityTopics == ["tele/bulb/LWT"])
        let other = TasmotaLamp(topic: "bulb", fullTopic: "home/%topic%/%prefix%/", relay: 2)
        #expect(
            other.stateTopics
                == (["POWER2"] + results).map { "home/bulb/stat/\($0)" } + ["home/bulb/tele/STATE"]
        )
        #expect(other.commandTopics == ["home/bulb/cmnd/POWER2", "home/bulb/cmnd/Backlog"])
    }

    @Test(arguments: [
        ("stat/bulb/POWER", "ON", LampState(isOn: true)),
        ("stat/bulb/POWER", "OFF", LampState(isOn: false)),
        ("stat/bulb/RESULT", #"{"POWER":"ON"}"#, LampState(isOn: true)),
        ("stat/bulb/RESULT", #"{"POWER1":"OFF"}"#, LampState(isOn: false)),
        (
            "stat/bulb/RESULT",
            #"{"POWER":"ON","Dimmer":80,"Color":"326598CC","HSBColor":"0,100,60","Channel":[20,40,60,80]}"#,
            LampState(isOn: true, level: 0.8, colour: Paint.red)
        ),
        (
            "tele/bulb/STATE",
            #"{"Time":"2020-05-26T23:09:23","POWER":"ON","Dimmer":10,"Fade":"OFF","Wifi":{"AP":1}}"#,
            LampState(isOn: true, level: 0.1)
        ),
        ("stat/bulb/RESULT", #"{"POWER":"ON","Color":"0000FF"}"#, LampState(isOn: true, colour: Paint.blue)),
        (
            "stat/bulb/RESULT", #"{"POWER":"ON","Color":"0,128,0,0"}"#,
            LampState(isOn: true, colour: RGBColour(hex: 0x8000))
        ),
        ("stat/bulb/RESULT", #"{"POWER":"ON","Dimmer":50,"Color":"80"}"#, LampState(isOn: true, level: 0.5)),
        ("stat/bulb/RESULT", #"{"POWER":"ON","Color":"000000FF"}"#, LampState(isOn: true, isWhite: true)),
        (
            "stat/bulb/RESULT", #"{"POWER":"ON","Channel":[100,0,0]}"#,
            LampState(isOn: true, colour: Paint.red)
        ),
    ])
    func `a state is parsed`(topic: String, text: String, expected: LampState) {
        #expect(lamp.state(topic, text) == expected)
    }

    @Test(arguments: [#"{"Command":"Unknown"}"#, #"{"Fade":"ON"}"#, #"{"POWER2":"ON"}"#, "{}"])
    func `answers to other commands are ignored`(text: String) {
        #expect(lamp.reading("stat/bulb/RESULT", text) == .success(.nothing))
    }

    @Test func `the last will is its availability`() {
        #expect(lamp.reading("tele/bulb/LWT", "Online") == .success(.available(true)))
        #expect(lamp.reading("tele/bulb/LWT", "Offline") == .success(.available(false)))
        #expect(lamp.reading("tele/bulb/LWT", "") == .success(.available(nil)))
    }

    @Test(arguments: [
        ("stat/bulb/POWER", "MAYBE"), ("stat/bulb/RESULT", "nonsense"), ("tele/bulb/LWT", "Onlin"),
        ("stat/bulb/POWER", "{"),
    ])
    func `invalid messages are refused`(topic: String, text: String) {
        #expect(throws: LampMessageError.self) { try lamp.reading(topic, text).get() }
    }

    @Test(arguments: [
        (#""Dimmer":"x""#, "Dimmer must be a number from 0 to 100 (is \"x\")"),
        (#""HSBColor":"1,2""#, "HSBColor must be hue, saturation and brightness (is \"1,2\")"),
        (#""HSBColor":"400,2,2""#, "HSBColor must be hue, saturation and brightness (is \"400,2,2\")"),
        (#""HSBColor":5"#, "HSBColor must be hue, saturation and brightness (is 5)"),
        (#""Color":"xyz""#, "unsupported Color (is \"xyz\")"),
        (#""Color":"300,0,0""#, "unsupported Color (is \"300,0,0\")"),
        (#""Channel":[1,"red",2]"#, "unsupported Channel (is [1,\"red\",2])"),
        (#""CT":"warm""#, "CT must be a number of mired (is \"warm\")"),
    ])
    func `an unusable value is left out and named`(member: String, why: String) {
        let text = #"{"POWER":"ON",\#(member)}"#
        #expect(lamp.state("stat/bulb/RESULT", text) == LampState(isOn: true))
        #expect(lamp.unusable("stat/bulb/RESULT", text) == [why])
    }

    @Test(arguments: [
        (#"{"POWER":"ON","Dimmer":300}"#, LampState(isOn: true, level: 1)),
        (#"{"POWER":1,"Dimmer":"50"}"#, LampState(isOn: true, level: 0.5)),
        (#"{"HSBColor":"400,0,0","Color":"0000FF"}"#, LampState(colour: Paint.blue)),
        (#"{"HSBColor":"x","Color":"x","Channel":["0","0","100"]}"#, LampState(colour: Paint.blue)),
        (#"{"HSBColor":"x","CT":250}"#, LampState(temperature: ColourTemperature(kelvin: 4000))),
        (#"{"POWER":"ON","HSBColor":"0,0,0","White":50}"#, LampState(isOn: true, isWhite: true)),
    ])
    func `a value that is clearly meant is used, and another that says the same`(
        text: String,
        expected: LampState
    ) {
        #expect(lamp.state("stat/bulb/RESULT", text) == expected)
    }

    @Test(arguments: [
        ("POWER", #"{"POWER":"ON"}"#, LampState(isOn: true)),
        ("POWER1", #"{"POWER1":"OFF"}"#, LampState(isOn: false)),
        ("POWER1", "ON", LampState(isOn: true)),
        ("DIMMER", #"{"POWER":"ON","Dimmer":30}"#, LampState(isOn: true, level: 0.3)),
        ("HSBCOLOR", #"{"POWER":"ON","HSBColor":"240,100,50"}"#, LampState(isOn: true, colour: Paint.blue)),
        ("STATE", #"{"POWER":"OFF","Dimmer":30}"#, LampState(isOn: false, level: 0.3)),
    ])
    func `answers on the commands' own topics are parsed`(tail: String, text: String, expected: LampState) {
        #expect(lamp.stateTopics.contains("stat/bulb/\(tail)"))
        #expect(lamp.state("stat/bulb/\(tail)", text) == expected)
    }

    @Test func `the first relay may have no number`() {
        let first = TasmotaLamp(topic: "bulb", relay: 1)
        #expect(first.state("stat/bulb/RESULT", #"{"POWER":"ON"}"#) == LampState(isOn: true))
        #expect(first.state("stat/bulb/POWER", "ON") == LampState(isOn: true))
        #expect(first.reading("stat/bulb/RESULT", #"{"POWER2":"ON"}"#) == .success(.nothing))
    }

    @Test(arguments: [
        (#"{"POWER":"ON","Dimmer":50,"Color":"0000","White":50,"CT":250}"#, ColourTemperature(kelvin: 4000)),
        (
            #"{"POWER":"ON","Dimmer":50,"HSBColor":"0,0,0","White":50,"CT":250}"#,
            ColourTemperature(kelvin: 4000)
        ),
        (#"{"POWER":"ON","Dimmer":50,"HSBColor":"120,100,50","White":0,"CT":250}"#, nil),
    ])
    func `white light has a colour temperature`(text: String, expected: ColourTemperature?) {
        #expect(TasmotaLamp(topic: "bulb").state("stat/bulb/RESULT", text)?.temperature == expected)
    }

    @Test(arguments: [(2700, 370), (1000, 500), (12_000, 153)])
    func `a colour temperature is sent in mired, as far as Tasmota goes`(kelvin: Int, mired: Int) {
        let wanted = LampState(isOn: true, level: 0.5, temperature: ColourTemperature(kelvin: Double(kelvin)))
        #expect(
            TasmotaLamp(topic: "bulb").order(wanted, from: LampState(isOn: true), over: nil).map(\.payload)
                == ["NoDelay;CT \(mired);NoDelay;Dimmer 50"]
        )
    }

    @Test func `a change is one command or a backlog of them`() {
        let off = LampState(isOn: false, level: 0.5)
        let on = LampState(isOn: true, level: 0.5, colour: Paint.red)
        func order(_ wanted: LampState, _ from: LampState, _ seconds: Double? = nil) -> [LampMessage] {
            lamp.order(wanted, from: from, over: seconds)
        }
        #expect(order(LampState(isOn: true), off) == [LampMessage("cmnd/bulb/POWER", "ON")])
        #expect(order(LampState(isOn: false), on) == [LampMessage("cmnd/bulb/POWER", "OFF")])
        #expect(
            order(LampState(isOn: true, level: 0.25), on)
                == [LampMessage("cmnd/bulb/Backlog", "NoDelay;Dimmer 25")]
        )
        #expect(
            order(LampState(isOn: true, level: 0.25, colour: Paint.blue), off)
                == [LampMessage("cmnd/bulb/Backlog", "NoDelay;HSBColor 240,100,25;NoDelay;POWER ON")]
        )
        // The full range in 4 seconds is speed 8; half of it takes half as long.
        #expect(
            order(LampState(isOn: true, level: 1), on, 2)
                == [LampMessage("cmnd/bulb/Backlog", "NoDelay;Fade2 1;NoDelay;Speed2 8;NoDelay;Dimmer 100")]
        )
        #expect(
            order(LampState(isOn: false), on, 1).map(\.payload)
                == ["NoDelay;Fade2 1;NoDelay;Speed2 4;NoDelay;POWER OFF"]
        )
    }

    @Test func `the state is requested with the STATE command`() {
        #expect(lamp.stateRequest(for: LampState()) == [LampMessage("cmnd/bulb/STATE", "")])
    }
}
