import JSON
import SeededRandom
import Testing

struct JSONFuzzTests {
    private static let texts = [
        "", "a", "ä", "😀", "\"", "\\", "\n", "\0", "\u{7F}", "e\u{301}", "\u{2028}", "key", "\u{FFFD}",
        "\u{10FFFF}",
    ]

    private func text(_ generator: inout SplitMix64) -> String {
        (0..<Int.random(in: 0...4, using: &generator))
            .map { _ in Self.texts.randomElement(using: &generator) ?? "" }.joined()
    }

    private func number(_ generator: inout SplitMix64) -> JSONValue {
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: return JSONValue(Int.random(in: -1000...1000, using: &generator))
        case 1: return JSONValue(Int(truncatingIfNeeded: generator.next()))
        case 2: return .number(Double.random(in: -1...1, using: &generator))
        default:
            let any = Double(bitPattern: generator.next())
            return any.isFinite ? .number(any) : 0
        }
    }

    private func value(_ depth: Int, _ generator: inout SplitMix64) -> JSONValue {
        switch Int.random(in: 0..<(depth > 0 ? 6 : 4), using: &generator) {
        case 0: return .null
        case 1: return .bool(Bool.random(using: &generator))
        case 2: return number(&generator)
        case 3: return .string(text(&generator))
        case 4:
            return .array(
                (0..<Int.random(in: 0...4, using: &generator)).map { _ in value(depth - 1, &generator) }
            )
        default:
            var members: JSONObject = [:]
            for _ in 0..<Int.random(in: 0...4, using: &generator) {
                members[text(&generator)] = value(depth - 1, &generator)
            }
            return .object(members)
        }
    }

    @Test func `every value survives a round trip with stable bytes`() throws {
        var generator = SplitMix64(seed: 1)
        for _ in 0..<4000 {
            let value = value(4, &generator)
            let bytes = value.bytes
            let read = try JSONValue(parsing: bytes)
            #expect(read == value)
            #expect(read.bytes == bytes)
        }
    }

    /// Reads the bytes; whatever is read must come back from what is written of it.
    private func check(_ bytes: [UInt8]) {
        do throws(JSONError) {
            let value = try JSONValue(parsing: bytes)
            let written = value.bytes
            guard let again = try? JSONValue(parsing: written), again == value else {
                Issue.record("\(String(decoding: bytes, as: UTF8.self)) does not come back")
                return
            }
        } catch {
            guard error.offset < 0 || error.offset > bytes.count else { return }
            Issue.record("an offset outside the text: \(error)")
        }
    }

    @Test func `random bytes never trap`() {
        var generator = SplitMix64(seed: 2)
        let alphabet = Array("{}[]\",:\\u0123456789abcdefDE+-.truefalsn \n".utf8)
        for round in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0...20, using: &generator)).map { _ in
                round % 2 == 0
                    ? UInt8.random(in: .min ... .max, using: &generator)
                    : alphabet.randomElement(using: &generator) ?? 0
            }
            check(bytes)
        }
    }

    @Test func `truncated and damaged texts never trap`() {
        var generator = SplitMix64(seed: 3)
        let seeds = [
            #"{"_id":"0123456789abcdefabcdef42","data":{"on":true,"brightness":0.25},"position":{"x":-1.5e2,"y":0}}"#,
            #"["\ud83d\ude00","\u00e4\\\"\n",123456789012345678901,-0.0,1e-7,[[],{}],null,true,false]"#,
        ].map { Array($0.utf8) }
        for seed in seeds {
            for end in 0...seed.count { check(Array(seed[..<end])) }
        }
        for _ in 0..<30_000 {
            var bytes = seeds[Int.random(in: 0..<seeds.count, using: &generator)]
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let place = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: bytes[place] = UInt8.random(in: .min ... .max, using: &generator)
                case 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
                case 2: bytes.insert(bytes[Int.random(in: 0..<bytes.count, using: &generator)], at: place)
                default: if bytes.count > 1 { bytes.remove(at: place) }
                }
            }
            check(bytes)
        }
    }
}
