import FlareServer
import JSON
import SeededRandom
import TestSupport
import Testing

struct RESTFormTests {
    static let forms: [(String, JSONValue)] = [
        ("", [:]), ("&&", [:]), ("=x", [:]), ("a", ["a": ""]), ("a=", ["a": ""]), ("a=b=c", ["a": "b=c"]),
        ("name=Red+Lamp%21&x=%C3%A9", ["name": "Red Lamp!", "x": "é"]),
        ("data[color]=red&data[on]=true", ["data": ["color": "red", "on": "true"]]),
        ("data%5Bcolor%5D=red", ["data": ["color": "red"]]),
        ("perimeter[size][width]=5", ["perimeter": ["size": ["width": "5"]]]),
        ("actions[]=on&actions[]=off", ["actions": ["on", "off"]]), ("actions[]=on", ["actions": ["on"]]),
        ("a=1&a=2&a=3", ["a": ["1", "2", "3"]]),
        ("a[1]=y&a[0]=x", ["a": ["x", "y"]]), ("a[5]=x", ["a": ["x"]]),
        ("a[21]=x", ["a": ["21": "x"]]), ("a[00]=x", ["a": ["00": "x"]]), ("a[-1]=x", ["a": ["-1": "x"]]),
        ("a[0][b]=1&a[0][c]=2", ["a": [["b": "1", "c": "2"]]]),
        ("a[0]=x&a[b]=y", ["a": ["0": "x", "b": "y"]]),
        ("a[b]=1&a=c", ["a": ["b": "1", "c": true]]), ("a=c&a[b]=1", ["a": ["c": true, "b": "1"]]),
        ("a[b=1", ["a[b": "1"]), ("a]=1", ["a]": "1"]), ("[a]=1", ["a": "1"]), ("a[b]c=1", ["a[b]c": "1"]),
        ("a[b]c[d]=1", ["a[b]c[d]": "1"]),
        (
            "a[b][c][d][e][f][g][h]=x",
            ["a": ["b": ["c": ["d": ["e": ["f": ["[g][h]": "x"]]]]]]]
        ),
        ("a=%zz&b=%", ["a": "%zz", "b": "%"]), ("a=%ff", ["a": "%ff"]), ("a=%00", ["a": "\u{0}"]),
    ]

    @Test(arguments: forms)
    func `bracketed names are nested`(form: String, object: JSONValue) throws {
        #expect(JSONValue.object(try RESTForm.object(form)) == object)
    }

    @Test func `at most a thousand values are accepted`() throws {
        let values = (0..<1000).map { "a[]=\($0)" }
        #expect(try RESTForm.object(values.joined(separator: "&"))["a"]?.array?.count == 1000)
        #expect(throws: RESTForm.TooManyParameters.self) {
            try RESTForm.object((values + ["b=1"]).joined(separator: "&"))
        }
    }

    @Test func `random forms neither trap nor exceed the nesting limit`() throws {
        var random = SplitMix64(seed: 3)
        let alphabet = Array("ab0129[]=&%+.$é\u{0}".unicodeScalars)
        for _ in 0..<20_000 {
            var text = ""
            for _ in 0..<(random.next() % 40) { text.unicodeScalars.append(random.pick(alphabet)) }
            let object = try RESTForm.object(text)
            // The name, five levels in brackets, the rest, and a list.
            #expect(Self.depth(.object(object)) <= 9)
        }
    }

    private static func depth(_ value: JSONValue) -> Int {
        switch value {
        case .array(let elements): 1 + (elements.map(depth).max() ?? 0)
        case .object(let members): 1 + (members.values.map(depth).max() ?? 0)
        default: 0
        }
    }
}
