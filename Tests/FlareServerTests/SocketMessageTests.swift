import Flare
import FlareServer
import JSON
import SeededRandom
import Testing

/// What a client's event is taken for.
/// - Source: contrib/contract/flare-protocol.md, "4.1 From client to server".
@Suite struct SocketMessageTests {
    private static let lamp = Hall.lamp.description

    private static let commands: [(String, JSONValue, SocketMessage.Command)] = [
        ("subscribe", [:], .subscribe(all: false)),
        ("subscribe", ["all": true], .subscribe(all: true)),
        ("subscribe", ["all": "no"], .subscribe(all: true)),
        ("subscribe", ["all": 0], .subscribe(all: false)), ("subscribe", ["all": ""], .subscribe(all: false)),
        ("subscribe", ["all": []], .subscribe(all: true)),
        ("subscribe", ["all": .null], .subscribe(all: false)),
        ("unsubscribe", ["all": true], .unsubscribe), ("getData", [:], .getData(key: nil)),
        ("getData", ["key": "a.b"], .getData(key: "a.b")), ("getData", ["key": 5], .getData(key: "5")),
        ("getData", ["key": .null], .getData(key: nil)),
        ("setData", ["key": "a", "value": false], .setData(key: "a", value: false)),
        ("setData", ["key": 1.5, "value": ""], .setData(key: "1.5", value: "")),
        ("getPosition", [:], .getPosition), ("getActions", [:], .getActions),
        ("setPosition", ["position": ["x": 1, "y": 2]], .setPosition(Point3D(x: 1, y: 2))),
        (
            "setPosition", ["position": ["x": "1.5", "y": " 2", "z": -3, "w": 4]],
            .setPosition(Point3D(x: 1.5, y: 2, z: -3))
        ),
        ("performAction", ["action": "on"], .performAction("on")),
    ]
    private static let incomplete: [(String, JSONValue)] = [
        ("setData", ["key": "a"]), ("setData", ["value": 1]),
        ("setData", ["key": "a", "value": .null]),
        ("setData", ["key": true, "value": 1]), ("setPosition", [:]), ("setPosition", ["position": [:]]),
        ("setPosition", ["position": ["x": 1]]), ("setPosition", ["position": ["x": 1, "y": "one"]]),
        ("setPosition", ["position": ["x": 1, "y": .null]]), ("setPosition", ["position": [1, 2]]),
        ("performAction", [:]), ("performAction", ["action": 5]), ("subscribed", [:]), ("", [:]),
        ("Subscribe", [:]),
    ]

    private func read(_ event: String, _ message: JSONValue) -> SocketMessage? {
        SocketMessage(json: JSONValue.array([.string(event), message]).bytes)
    }

    @Test(arguments: commands)
    func `messages are parsed`(event: String, members: JSONValue, command: SocketMessage.Command) {
        var message = members.object ?? [:]
        message["thing"] = .string(Self.lamp)
        let read = read(event, .object(message))
        #expect(read?.command == command)
        #expect(read?.object == Hall.lampObject)
        #expect(read?.sender == nil)
    }

    @Test(arguments: incomplete)
    func `incomplete and unknown messages are ignored`(event: String, members: JSONValue) {
        var message = members.object ?? [:]
        message["thing"] = .string(Self.lamp)
        #expect(read(event, .object(message)) == nil)
    }

    @Test func `the first class is used, with its identifier unchanged`() {
        let upper = Hall.lamp.description.uppercased()
        let read = read("getData", ["device": "x", "thing": .string(upper), "zone": .null, "sender": [1]])
        #expect(read?.kind == .thing)
        #expect(read?.name == .string(upper))
        #expect(read?.object == Hall.lampObject)
        #expect(read?.sender == [1])
        #expect(self.read("getData", ["device": 5])?.name == 5)
        #expect(self.read("getData", ["device": 5])?.object == nil)
    }

    @Test(arguments: [
        "", "[", "[]", "{}", "null", "[\"getData\"]", "[null,{}]", "[\"getData\",{}]", "[\"getData\",null]",
        "[\"getData\",{\"thing\":null}]", "[\"getData\",{\"thing\":1}],",
    ])
    func `invalid messages are ignored`(json: String) {
        #expect(SocketMessage(json: Array(json.utf8)) == nil)
    }

    @Test func `the nesting of a message is limited`() {
        func nested(_ levels: Int) -> SocketMessage? {
            let value = String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
            return SocketMessage(
                json: Array("[\"setData\",{\"thing\":\"a\",\"key\":\"k\",\"value\":\(value)}]".utf8)
            )
        }
        #expect(nested(30) != nil)
        #expect(nested(31) == nil)
        #expect(nested(200_000) == nil)
    }

    @Test func `arbitrary text never traps`() {
        let object =
            #"{"thing":"\#(Self.lamp)","key":"a.b","value":{"c":[1,2.5e3,"é\u00e9😀"]},"sender":null}"#
        var fuzz = Fuzz(
            seed: 52,
            corpus: [
                #"["setData",\#(object)]"#, #"["getData",{"zone":"0","key":12345678901234567890}]"#,
                #"["setPosition",{"device":"a","position":{"x":1,"y":-2.5e-3,"z":"4"}}]"#,
                #"["subscribe",{"environment":"\#(Self.lamp)","all":true}]"#,
                #"["performAction",{"thing":"x","action":"on"}]"#,
            ]
        )
        var read = 0
        for _ in 0..<Fuzz.count {
            guard let message = SocketMessage(json: fuzz.next()) else { continue }
            read += 1
            if case .setPosition(let point) = message.command { #expect(point.isFinite) }
        }
        #expect(read > Fuzz.count / 50)
    }
}
