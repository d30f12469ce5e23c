import Lamps
import Testing
import Things

struct WLEDLampTests {
    private let lamp = WLEDLamp(topic: "wled/strip")

    @Test(arguments: [
        ("g", "0", LampState(isOn: false)), ("g", "255", LampState(isOn: true, level: 1)),
        ("g", "51", LampState(isOn: true, level: 0.2)),
        ("c", "#FF0000", LampState(colour: Paint.red)), ("c", "#0000FF", LampState(colour: Paint.blue)),
        ("c", "#1200FF00", LampState(colour: Paint.green)), ("c", "#200FF00", LampState(colour: Paint.green)),
        ("c", "#80000000", LampState(colour: Paint.white)), ("c", "#000000", LampState()),
        (
            "v",
            "<?xml version=\"1.0\" ?><vs><ac>255</ac><cl>0</cl><cl>255</cl><cl>0</cl><cs>1</cs><cs>2</cs></vs>",
            LampState(isOn: true, level: 1, colour: Paint.green)
        ),
        (
            "v", "<vs><ac>0</ac><cl>0</cl><cl>255</cl><cl>0</cl></vs>",
            LampState(isOn: false, colour: Paint.green)
        ),
        ("v", "<vs><ac>51</ac><cl>0</cl><cl>0</cl><cl>0</cl></vs>", LampState(isOn: true, level: 0.2)),
    ])
    func `a state is parsed`(tail: String, text: String, expected: LampState) {
        #expect(lamp.state("wled/strip/\(tail)", text) == expected)
    }

    @Test(arguments: [
        ("g", "bright"), ("g", "-1"), ("g", "256"), ("c", "#12"), ("c", "red"), ("c", "#GG0000"), ("c", "#"),
        ("v", ""), ("v", "<vs></vs>"), ("v", "<vs><ac>300</ac></vs>"), ("status", "perhaps"),
    ])
    func `invalid messages are refused and empty ones ignored`(tail: String, text: String) {
        let reading = lamp.reading("wled/strip/\(tail)", text)
        if text.isEmpty {
            #expect(reading == .success(.nothing))
        } else {
            #expect(throws: LampMessageError.self) { try reading.get() }
        }
    }

    @Test(arguments: [
        ("<vs><ac>300</ac><cl>255</cl><cl>0</cl><cl>0</cl></vs>", LampState(colour: Paint.red)),
        ("<ac>255</ac><cl>1</cl><cl>x</cl><cl>1</cl>", LampState(isOn: true, level: 1)),
    ])
    func `what can be used of the XML is used`(text: String, expected: LampState) {
        #expect(lamp.state("wled/strip/v", text) == expected)
        #expect(lamp.unusable("wled/strip/v", text).count == 1)
    }

    @Test func `status is its availability`() {
        #expect(lamp.reading("wled/strip/status", "online") == .success(.available(true)))
        #expect(lamp.reading("wled/strip/status", "offline") == .success(.available(false)))
    }

    @Test func `white light is sent as a colour and as a colour temperature`() {
        let wanted = LampState(isOn: true, temperature: ColourTemperature(kelvin: 2700))
        #expect(
            WLEDLamp(topic: "wled/shelf").order(wanted, from: LampState(), over: nil).map(\.payload)
                == [#"{"on":true,"seg":{"cct":2700,"col":[[255,166,87]]}}"#]
        )
    }

    @Test func `commands use the JSON API with times in tenths of a second`() {
        let state = LampState(isOn: true, level: 0.5, colour: RGBColour(hex: 0x0A141E))
        #expect(
            lamp.order(state, from: LampState(), over: 1.5) == [
                LampMessage("wled/strip/api", #"{"bri":128,"on":true,"seg":{"col":[[10,20,30]]},"tt":15}"#)
            ]
        )
        #expect(
            lamp.order(LampState(isOn: false), from: state, over: nil).map(\.payload) == [#"{"on":false}"#]
        )
    }
}
