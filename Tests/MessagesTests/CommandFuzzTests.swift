import Controller
import Flare
import JSON
import Messages
import Testing
import Things

/// Random and damaged messages: each gets one decision and nothing traps.
struct CommandFuzzTests {
    private static let topics = [
        "nearby/set", "nearby/set/color", "nearby/action", "things/lamp/set", "things/lamp/set/state",
        "things/lamp/action",
        "things/lamp/get", "device/set", "environment/set", "sensors/gps/set", "request/ping",
        "request/loglevel",
    ]
    private static let seeds = [
        #"{"color":{"r":255,"g":136,"b":0},"brightness":200,"state":"ON","transition":2,"partial":true,"tx":"7","if_id":"x"}"#,
        #"{"position":{"x":1.5,"y":-2e3,"z":0},"angle":359.5,"name":"Wand \u00e9"}"#, "255,136,0", "40%",
        "#ff8800", "ON",
        #"{"action":"nextColor","tx":99999999999999999999}"#, #"{"environment":"home"}"#, #"{"level":0.5}"#,
        #"{"color":{"h":180.5,"s":50}}"#, #"{"color":{"x":0.3,"y":0.3}}"#,
    ]

    /// A small generator of its own, so that a failure can be repeated.
    private struct Generator: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var z = state
            z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
            z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
            return z ^ (z >> 31)
        }
    }

    private func damaged(_ text: String, _ random: inout Generator) -> [UInt8] {
        var bytes = Array(text.utf8)
        for _ in 0..<Int.random(in: 0...4, using: &random) where !bytes.isEmpty {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
            case 1: bytes.remove(at: place)
            case 2: bytes.insert(Array("{}[]\",:0-.e".utf8).randomElement(using: &random) ?? 0, at: place)
            case 3: bytes.removeSubrange(place...)
            default: bytes += bytes[place...].prefix(20)
            }
        }
        return bytes
    }

    private var lamp: FlareThing {
        var thing = FlareThing(id: FlareID(high: 0, low: 1))
        thing.data = ["on": true, "brightness": 0.5, "color": "red", "price": 3, "note": "x", "minor": 1]
        return thing
    }

    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func `any message on any command topic is decided and what it asks is settled or refused`(seed: UInt64)
        throws
    {
        var random = Generator(state: seed)
        let decoder = CommandDecoder()
        let lamp = lamp
        var accepted = 0
        for _ in 0..<5000 {
            let tail = Self.topics.randomElement(using: &random) ?? ""
            let payload =
                Int.random(in: 0..<10, using: &random) == 0
                ? (0..<Int.random(in: 0...40, using: &random)).map { _ in
                    UInt8.random(in: 0...255, using: &random)
                }
                : damaged(Self.seeds.randomElement(using: &random) ?? "", &random)
            let topic = try #require(CommandTable.tested.topic(tail[...]))
            let decoded = decoder.decode(topic, payload: payload)
            #expect(decoded.subject == topic.subject)
            var answer = Answer(ticket: 0, tx: decoded.tx, subject: decoded.subject)
            switch decoded.result {
            case .success(let order):
                accepted += 1
                if let set = order.base as? SetThing,
                    case .failure(let refusal) = set.request.settled(on: lamp, ThingShape(lamp))
                {
                    answer.refusal = refusal
                }
            case .failure(let refusal): answer.refusal = refusal
            }
            #expect(try JSONValue(parsing: answer.bytes).bytes == answer.bytes)
        }
        #expect(accepted > 500)
    }

    @Test func `any topic is a command or not, and never a trap`() {
        var random = Generator(state: 99)
        let levels = [
            "nearby", "set", "things", "action", "get", "request", "sensors", "device", "environment", "",
            "é", "+",
        ]
        for _ in 0..<20_000 {
            let tail = (0..<Int.random(in: 0...6, using: &random)).map { _ in
                levels.randomElement(using: &random) ?? ""
            }
            .joined(separator: "/")
            if let topic = CommandTable.tested.topic(tail[...]) {
                _ = CommandDecoder().decode(topic, payload: [])
                #expect((2...4).contains(tail.split(separator: "/", omittingEmptySubsequences: false).count))
            }
        }
    }
}
