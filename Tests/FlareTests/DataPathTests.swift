import Flare
import JSON
import Testing

struct DataPathTests {
    private func after(_ key: String, _ value: JSONValue, in data: JSONObject) -> JSONValue? {
        var data = data
        guard DataPath(key)?.set(value, in: &data) == true else { return nil }
        return .object(data)
    }

    @Test(
        arguments: [
            ("on", [:], ["on": 5]), ("on", ["on": 1, "b": 2], ["on": 5, "b": 2]),
            ("a.b", [:], ["a": ["b": 5]]),
            ("a.b", ["a": ["c": 1]], ["a": ["b": 5, "c": 1]]),
            ("a.b.c.d", ["a": [:]], ["a": ["b": ["c": ["d": 5]]]]),
            ("l.0", ["l": [1, 2]], ["l": [5, 2]]), ("l.2", ["l": [1, 2]], ["l": [1, 2, 5]]),
            ("l.1.x", ["l": [1, ["y": 1]]], ["l": [1, ["x": 5, "y": 1]]]),
            ("l.0.x", ["l": []], ["l": [["x": 5]]]),
            ("0", [:], ["0": 5]), ("a.0", [:], ["a": ["0": 5]]), ("a.$b", [:], nil),
        ] as [(String, JSONObject, JSONValue?)]
    )
    func `a value is stored at the key's path`(key: String, data: JSONObject, result: JSONValue?) {
        #expect(after(key, 5, in: data) == result)
    }

    @Test(
        arguments: [
            ("a.b", ["a": 1]), ("a.b", ["a": "text"]), ("a.b", ["a": .null]), ("a.b.c", ["a": ["b": true]]),
            ("l.3", ["l": [1, 2]]), ("l.-1", ["l": [1, 2]]), ("l.x", ["l": [1]]), ("l.x.y", ["l": [[:]]]),
            ("l.0.y", ["l": [1]]), ("l.99999999999999999999", ["l": []]),
        ] as [(String, JSONObject)]
    )
    func `a value that cannot be stored changes nothing`(key: String, data: JSONObject) {
        var changed = data
        #expect(DataPath(key)?.set(5, in: &changed) == false)
        #expect(changed == data)
    }

    @Test(arguments: ["", ".", "a.", ".a", "a..b", "$set", "a.$b", "$"])
    func `a key with an empty part or a leading dollar is refused`(key: String) {
        #expect(DataPath(key) == nil)
    }

    @Test func `a key is accepted up to the depth limit`() {
        let deepest = Array(repeating: "a", count: DataPath.maximumDepth).joined(separator: ".")
        #expect(after(deepest, 1, in: [:]) != nil)
        #expect(DataPath(deepest + ".a") == nil)
        #expect(DataPath(String(repeating: "a.", count: 100_000) + "a") == nil)
    }
}
