import JSON
import SeededRandom
import Testing

struct JSONObjectTests {
    @Test func `members are sorted by key whatever the order in which they are set`() {
        var object: JSONObject = ["b": 2, "a": 1]
        object["ab"] = 3
        object[""] = 0
        #expect(Array(object.keys) == ["", "a", "ab", "b"])
        #expect(object == ["": 0, "b": 2, "ab": 3, "a": 1])
    }

    @Test(arguments: [0, 1, 2, 15, 16, 17, 40, 300])
    func `members in any order, some of them repeated, are those of a dictionary`(_ count: Int) throws {
        var generator = SplitMix64(seed: UInt64(count))
        for _ in 0..<20 {
            let keys = (0..<count).map { _ in "a key \(Int.random(in: 0...count, using: &generator))" }
            var expected: [String: JSONValue] = [:]
            var sums: [String: JSONValue] = [:]
            for (number, key) in keys.enumerated() {
                expected[key] = JSONValue(number)
                sums[key] = JSONValue((sums[key]?.integer ?? 0) + number)
            }
            let text = keys.enumerated().map { #""\#($1)":\#($0)"# }.joined(separator: ",")
            let pairs = keys.enumerated().map { ($1, JSONValue($0)) }
            let summed = JSONObject(pairs) { JSONValue(($0.integer ?? 0) + ($1.integer ?? 0)) }
            for (object, expected) in [
                (try JSONValue(parsing: "{\(text)}").object, expected), (JSONObject(pairs), expected),
                (JSONObject(expected), expected), (summed, sums),
            ] {
                let members = try #require(object).map { ($0.key, $0.value) }
                #expect(
                    members.map(\.0)
                        == expected.keys.sorted { Array($0.utf8).lexicographicallyPrecedes($1.utf8) }
                )
                #expect(members.allSatisfy { expected[$0.0] == $0.1 })
            }
        }
    }

    @Test func `the order of many keys hardly matters for the time that reading takes`() throws {
        let keys = (0..<60_000).map { #""\#(100_000 + $0)":0"# }
        func time(_ keys: [String]) throws -> Duration {
            let text = Array("{\(keys.joined(separator: ","))}".utf8)
            let clock = ContinuousClock()
            let start = clock.now
            let object = try JSONValue(parsing: text).object
            let duration = clock.now - start
            #expect(object?.count == 60_000)
            return duration
        }
        let rising = try min(time(keys), time(keys))
        // Moving all members for each one takes a hundred times as long.
        let falling = try min(time(keys.reversed()), time(keys.reversed()))
        #expect(falling < rising * 20)
    }

    @Test func `setting no value removes a member`() {
        var object: JSONObject = ["a": 1, "b": 2]
        object["a"] = nil
        object["c"] = nil
        #expect(object == ["b": 2])
        #expect(object.removeValue(forKey: "b") == 2)
        #expect(object.isEmpty)
    }

    @Test func `the last of repeated members is used`() {
        let object: JSONObject = ["a": 1, "a": 2]
        #expect(object == ["a": 2])
    }

    /// They stand in the string itself up to 15 bytes, and elsewhere beyond.
    @Test(arguments: [
        "", "a", "colour", "exactly15bytes_", "exactly16bytes__", "a key of a whole sentence", "é", "\0",
    ])
    func `keys of every length are found`(_ key: String) {
        var object = JSONObject((0..<20).map { ("key \($0)", JSONValue($0)) })
        object[key] = "here"
        object[key + "x"] = "there"
        #expect(object[key] == "here")
        #expect(object[String(Array(key))] == "here")
        #expect(object[key + "y"] == nil)
    }

    @Test func `keys are compared byte by byte, as in JavaScript`() {
        var object: JSONObject = ["e\u{301}": 1]
        object["\u{E9}"] = 2
        #expect(object.count == 2)
    }

    @Test func `the members unlike another object's are those that it lacks or has otherwise`() {
        var generator = SplitMix64(seed: 7)
        func object() -> JSONObject {
            JSONObject(
                ["a", "b", "é", "a longer piece", "~"].filter { _ in Bool.random(using: &generator) }
                    .map { ($0, JSONValue(Int.random(in: 0...1, using: &generator))) }
            )
        }
        for _ in 0..<2000 {
            let (one, other) = (object(), object())
            #expect(one.members(unlike: other) == one.filter { other[$0.key] != $0.value })
            #expect(one.members(unlike: one).isEmpty)
        }
    }

    @Test func `an object does what a dictionary does`() {
        let letters = ["a", "b", "\0", "é", "e\u{301}", "a longer piece", "Z", "~", "\u{10FFFF}"]
        var generator = SplitMix64(seed: 29)
        func key() -> String {
            (0..<Int.random(in: 0...3, using: &generator))
                .map { _ in letters.randomElement(using: &generator) ?? "" }.joined()
        }
        var (object, dictionary) = (JSONObject(), [[UInt8]: JSONValue]())
        for step in 0..<20_000 {
            let name = key()
            switch Int.random(in: 0..<8, using: &generator) {
            case 0..<4:
                object[name] = JSONValue(step)
                dictionary[Array(name.utf8)] = JSONValue(step)
            case 4, 5:
                #expect(object.removeValue(forKey: name) == dictionary.removeValue(forKey: Array(name.utf8)))
            case 6:
                let others = (0..<5).map { (key(), JSONValue($0 + step)) }
                object.merge(JSONObject(others)) { $1 }
                dictionary.merge(others.map { (Array($0.0.utf8), $0.1) }) { $1 }
            default:
                object = object.filter { $0.key.utf8.count != 2 }
                dictionary = dictionary.filter { $0.key.count != 2 }
            }
            #expect(object[name] == dictionary[Array(name.utf8)])
            #expect(object.count == dictionary.count)
            if object.count > 40 { (object, dictionary) = (JSONObject(), [:]) }
            if step % 16 == 0 {
                #expect(
                    object.keys.map { Array($0.utf8) }
                        == dictionary.keys.sorted { $0.lexicographicallyPrecedes($1) }
                )
            }
        }
    }

    @Test func `merging keeps the value that is chosen`() {
        let object: JSONObject = ["a": 1, "b": 2, "d": 4]
        let other: JSONObject = ["b": 20, "c": 30]
        #expect(object.merging(other) { $1 } == ["a": 1, "b": 20, "c": 30, "d": 4])
        #expect(object.merging(other) { mine, _ in mine } == ["a": 1, "b": 2, "c": 30, "d": 4])
        #expect(JSONObject().merging(other) { $1 } == other)
    }
}
