import Flare
import Lamps
import SeededRandom
import Testing
import Things

/// No message of a lamp traps.
struct LampFuzzTests {
    private static let dialects: [any LampDialect] = {
        guard let command = try? CommandTemplate("{state}") else { return [] }
        var settings = TemplateLamp.Settings(commandTopic: "c", command: command)
        settings.stateTopic = "s"
        var paths = settings
        paths.statePath = "state"
        paths.brightnessPath = "seg.0.bri"
        paths.colourPath = "color"
        return [
            ZigbeeLamp(topic: "z/l"), TasmotaLamp(topic: "t"), WLEDLamp(topic: "w"),
            JSONLamp(stateTopic: "s", commandTopic: "c"), TemplateLamp(settings), TemplateLamp(paths),
        ]
    }()

    private static let samples = [
        #"{"state":"ON","brightness":127,"color":{"x":0.3,"y":0.3,"hue":30,"saturation":50},"color_mode":"xy"}"#,
        #"{"POWER":"ON","Dimmer":80,"Color":"326598CC","HSBColor":"210,67,60","Channel":[20,40,60,80]}"#,
        "<?xml version=\"1.0\" ?><vs><ac>128</ac><cl>255</cl><cl>160</cl><cl>0</cl></vs>", "#FF8000", "ON",
        "255",
        #"{"state":"online"}"#, "Online", #"{"color":[1,2,3],"seg":[{"bri":1e999}]}"#,
    ].map { Array($0.utf8) }

    @Test(arguments: 0..<4) func `arbitrary bytes give a report or an error`(seed: Int) {
        var generator = SplitMix64(seed: UInt64(seed))
        var reports = 0
        for _ in 0..<1000 {
            var bytes = Self.samples.randomElement(using: &generator) ?? []
            for _ in 0..<Int.random(in: 0...6, using: &generator) where !bytes.isEmpty {
                let place = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: bytes[place] = .random(in: 0...255, using: &generator)
                case 1: bytes.remove(at: place)
                case 2: bytes.insert(contentsOf: bytes[place...].prefix(12), at: place)
                default:
                    bytes[place] = Array("0123456789-eE.\"{}[],#".utf8).randomElement(using: &generator) ?? 0
                }
            }
            for dialect in Self.dialects {
                for topic in dialect.topics {
                    guard let report = try? dialect.report(on: topic, bytes) else { continue }
                    reports += 1
                    guard case .state(let state, _) = report else { continue }
                    #expect(state.level.map { $0 > 0 && $0 <= 1 } ?? true)
                    // Every reported state can be sent.
                    #expect(!dialect.order(state, from: state, over: 1).isEmpty)
                }
            }
        }
        #expect(reports > 500)
    }

    @Test func `an overlong message is refused`() {
        let long = [UInt8](repeating: UInt8(ascii: " "), count: 20_000)
        for dialect in Self.dialects {
            for topic in dialect.topics {
                #expect(throws: LampMessageError.self) { try dialect.report(on: topic, long) }
            }
        }
    }

    @Test func `arbitrary text gives a template or a refusal`() {
        var generator = SplitMix64(seed: 9)
        let pieces = ["{", "}", "state", "{r}", "é", "\u{0}", "{state}", "{hex", " ", "{{", "}}", "{é}"]
        for _ in 0..<3000 {
            let count = Int.random(in: 0...8, using: &generator)
            let text = (0..<count).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
            guard let template = try? CommandTemplate(text) else { continue }
            #expect(template.text == text)
        }
    }
}
