import JSON
import Testing

struct JSONBufferTests {
    private func text(_ write: (inout JSONBuffer) -> Void) -> String {
        var buffer = JSONBuffer(capacity: 1)
        write(&buffer)
        return String(decoding: buffer.bytes, as: UTF8.self)
    }

    @Test(
        arguments: [
            0, 1, -1, 9, 10, -10, 99, 100, 12_345, 999_999_999, 1_000_000_000, -1_000_000_001, .max, .min,
            1_760_011_200_000, 1_000_000_000_000_000_000, 1_000_000_001_000_000_000, -999_999_999_999_999_999,
        ]
    )
    func `a whole number is written as its digits`(number: Int) {
        #expect(text { $0.write(number) } == "\(number)")
    }

    @Test(
        arguments: [
            0.1, -0.25, 0.001, -0.0015, 0.1 + 0.2, 1.005, 1e-7, 123_456.789, -123_456.7891, 999_999_999.999,
            1_000_000_000.5, 0.5.nextUp, 1e300,
        ]
    )
    func `a fraction is written as its description`(number: Double) {
        #expect(text { $0.write(number) } == "\(number)")
    }

    @Test func `every thousandth is written as its description`() {
        for number in (1...9_999).map({ Double($0 * 7) / 1000 }) where number != number.rounded() {
            #expect(text { $0.write(-number) } == "\(-number)")
        }
    }

    @Test(
        arguments: ["\"", "\\", "\n", "\u{1F}", "\u{0}", "\u{7F}", "ä", " ", "!", "#", "[", "😀"],
        [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 23, 40]
    )
    func `a text is escaped wherever the character stands`(character: String, place: Int) throws {
        for length in [0, 1, 2, 3, 7, 8, 12] {
            let plain =
                String(repeating: "a", count: place) + character + String(repeating: "z", count: length)
            let written = text { $0.write(plain) }
            #expect(try JSONValue(parsing: written) == .string(plain))
            let escaped = ["\"": 1, "\\": 1, "\n": 1, "\u{1F}": 5, "\u{0}": 5][character] ?? 0
            #expect(written.utf8.count == plain.utf8.count + 2 + escaped)
        }
    }

    @Test func `members are written the same as bytes and as a value`() throws {
        func write(to members: inout some JSONMembers & ~Copyable) {
            members.add("a", "x")
            members.add("b", 5)
            members.add("c", 0.25)
            members.add("d", true)
            members.add("e", ["x", "y\n"])
            members.add("f") {
                $0.add("a", nil as String?)
                $0.add("b", ascii: 2) { $0.copyBytes(from: [0x30, 0x31]) }
            }
            members.add("g", JSONValue.null)
            members.add("h", ["z": 1, "y": []] as JSONObject)
            members.add("i") { _ in }
        }
        let written = text { $0.writeObject { write(to: &$0) } }
        #expect(
            written
                == #"{"a":"x","b":5,"c":0.25,"d":true,"e":["x","y\n"],"f":{"b":"01"},"g":null,"h":{"y":[],"z":1},"i":{}}"#
        )
        #expect(JSONValue.object(JSONObject { write(to: &$0) }).text == written)
        #expect(try JSONValue(parsing: written).text == written)
    }

    @Test func `a buffer is used again`() {
        var buffer = JSONBuffer()
        buffer.write(.array(Array(repeating: "abcdefgh", count: 100_000)))
        #expect(buffer.count == 1_100_001)
        buffer.removeAll()
        #expect(buffer.bytes.isEmpty && buffer.holds([]))
        buffer.write("x")
        #expect(buffer.holds(Array("\"x\"".utf8)) && !buffer.holds(Array("\"y\"".utf8)) && !buffer.holds([]))
    }

    @Test func `it counts how deep objects and lists are nested`() {
        var buffer = JSONBuffer()
        buffer.write([1, [["a": []]], 2])
        #expect(buffer.nesting == 4)
        buffer.removeAll()
        buffer.write(1)
        #expect(buffer.nesting == 0)
    }
}
