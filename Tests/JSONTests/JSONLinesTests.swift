import JSON
import SeededRandom
import Testing

struct JSONLinesTests {
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
        #expect(JSONLines.find([place], in: Array(text.utf8)) == [place: line])
    }

    @Test(
        arguments: [
            ("environments[0].zones[0].data.uuid", 4), ("environments[0].zones[7]", 3), ("nothing", 1),
        ]
    )
    func `a missing member has the line of its parent`(place: String, line: Int) {
        #expect(JSONLines.find([place], in: Array(text.utf8)) == [place: line])
    }

    @Test func `many paths are found in one pass`() {
        let lines = (0..<2000).map { #"{"name": \#($0)}"# }
        let text = "[\n" + lines.joined(separator: ",\n") + "]"
        let places = (0..<2000).map { "[\($0)].name" }
        let found = JSONLines.find(places, in: Array(text.utf8))
        #expect(places.enumerated().allSatisfy { found[$0.element] == $0.offset + 2 })
    }

    @Test func `parsing arbitrary text terminates`() {
        var chance = SplitMix64(seed: 21)
        let letters = Array("{}[]\",:\\ \nab1".utf8)
        for _ in 0..<2000 {
            let bytes = (0..<Int(chance.next() % 60)).map { _ in
                letters[Int(chance.next() % UInt64(letters.count))]
            }
            let found = JSONLines.find(["a[0].b", "[1]"], in: bytes)
            #expect(found.values.allSatisfy { $0 >= 1 && $0 <= 61 })
        }
        let deep = [UInt8](repeating: UInt8(ascii: "["), count: 100_000)
        #expect(JSONLines.find(["a"], in: deep) == ["a": 1])
    }
}
