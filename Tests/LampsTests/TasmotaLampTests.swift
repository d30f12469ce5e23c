import Flare
import Lamps
import Testing
import Things

struct TasmotaLampTests {
    private let lamp = TasmotaLamp(topic: "bulb")

    @Test func `topics follow the device's full topic`() {
        #expect(lamp.stateTopics == ["stat/bulb/RESULT", "stat/bulb/POWER", "tele/bulb/STATE"])
        #expect(lamp.availabilityTopics == ["tele/bulb/LWT"])
        let other = TasmotaLamp(topic: "bulb", fullTopic: "home/%topic%/%prefix%/", relay: 2)
        #expect(
            other.stateTopics == ["home/bulb/stat/RESULT", "home/bulb/stat/POWER2", "home/bulb/tele/STATE"]
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
        ("stat/bulb/RESULT", #"{"POWER":"ON","Color":"000000FF"}"#, LampState(isOn: true)),
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
        #expect(lamp.reading("tele/bulb/LWT", "") == .success(.nothing))
    }

    @Test(arguments: [
        ("stat/bulb/POWER", "MAYBE"), ("stat/bulb/RESULT", "nonsense"),
        ("stat/bulb/RESULT", #"{"POWER":"ON","Dimmer":"x"}"#), ("stat/bulb/RESULT", #"{"Dimmer":300}"#),
        ("stat/bulb/RESULT", #"{"HSBColor":"1,2"}"#), ("stat/bulb/RESULT", #"{"HSBColor":"400,2,2"}"#),
        ("stat/bulb/RESULT", #"{"Color":"xyz"}"#), ("stat/bulb/RESULT", #"{"Color":"300,0,0"}"#),
        ("tele/bulb/LWT", "Onlin"),
    ])
    func `invalid messages are refused`(topic: String, text: String) {
        #expect(throws: LampMessageError.self) { try lamp.reading(topic, text).get() }
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
