import Profiles
import SeededRandom
import Testing

struct PlacedValueLinesTests {
    private static func line(of path: String, in text: String) -> Int? {
        PlacedValue(json: Array(text.utf8), maximumDepth: 128)?.line(of: path)
    }

    private let text = """
        {
          "environments": [
            {"name": "Home", "zones": [
              {
                "name": "a \\"b\\" \\u0041 ] }",
                "things": [{}, {"na\\u006de":
                  "Lamp"}]
              }
            ]},
            3
          ]
        }
        """

    @Test(
        arguments: [
            ("", 1), ("environments", 2), ("environments[0]", 3), ("environments[0].name", 3),
            ("environments[0].zones[0]", 4), ("environments[0].zones[0].name", 5),
            ("environments[0].zones[0].things[1].name", 6), ("environments[1]", 10),
        ]
    )
    func `the line of a path is found`(place: String, line: Int) {
        #expect(Self.line(of: place, in: text) == line)
    }

    @Test(
        arguments: [
            ("environments[0].zones[0].data.uuid", 4), ("environments[0].zones[7]", 3), ("nothing", 1),
        ]
    )
    func `a missing member has the line of its parent`(place: String, line: Int) {
        #expect(Self.line(of: place, in: text) == line)
    }

    @Test func `a byte order mark is no part of the first line`() {
        #expect(Self.line(of: "a", in: "\u{FEFF}\n{\"a\":1}") == 2)
    }

    @Test func `many paths are found`() throws {
        let lines = (0..<2000).map { #"{"name": \#($0)}"# }
        let text = "[\n" + lines.joined(separator: ",\n") + "]"
        let value = try #require(PlacedValue(json: Array(text.utf8), maximumDepth: 128))
        #expect((0..<2000).allSatisfy { value.line(of: "[\($0)].name") == $0 + 2 })
    }

    @Test func `parsing arbitrary text terminates`() {
        var chance = SplitMix64(seed: 21)
        let letters = Array("{}[]\",:\\ \nab1".utf8)
        for _ in 0..<2000 {
            let bytes = (0..<Int(chance.next() % 60)).map { _ in
                letters[Int(chance.next() % UInt64(letters.count))]
            }
            let value = PlacedValue(json: bytes, maximumDepth: 128)
            for path in ["a[0].b", "[1]", "[9999999999999999999]", "[-1]", "a[", "]"] {
                #expect(value.map { (1...61).contains($0.line(of: path)) } ?? true)
            }
        }
        let deep = [UInt8](repeating: UInt8(ascii: "["), count: 100_000)
        #expect(PlacedValue(json: deep, maximumDepth: 128) == nil)
    }
}
