import Bindings
import JSON
import SeededRandom
import Testing
import Things

struct CommandRequestTests {
    private static let body: JSONObject = [
        "actions": [["brightness": 0.4], ["nextColor": true]], "issuer": "user:owner", "schema": "lamp",
        "schemaVersion": 2,
    ]

    private static func body(_ changes: JSONObject) -> JSONValue {
        .object(body.merging(changes) { _, new in new })
    }

    @Test func `a command is read with all its members`() throws {
        let request = try CommandRequest(
            Self.body(["title": "Evening", "description": "Dim", "metadata": ["a": [1]]])
        )
        #expect(request.actions == [CommandAction("brightness", 0.4), CommandAction("nextColor", true)])
        #expect(request.issuer == .user(named: "owner"))
        #expect(request.schema == "lamp")
        #expect(request.schemaVersion == 2)
        #expect(request.title == "Evening")
        #expect(request.description == "Dim")
        #expect(request.metadata == ["a": [1]])
    }

    @Test func `a message needs only actions`() throws {
        #expect(try CommandRequest(message: ["actions": [["on": true]], "tx": "7"]).issuer == nil)
        #expect(throws: Refusal.self) {
            try CommandRequest(message: ["actions": [["on": true]], "issuer": "user:a"])
        }
    }

    @Test(arguments: ["actions", "issuer", "schema", "schemaVersion"])
    func `a command without what it needs is refused`(name: String) {
        let refusal = #expect(throws: Refusal.self) { try CommandRequest(Self.body([name: .null])) }
        #expect(refusal?.message.hasPrefix("\(name) is missing") == true)
    }

    @Test(
        arguments: [
            (["actions": [:]], "actions must be a list of 1 to 50"),
            (["actions": []], "actions must be a list of 1 to 50"),
            (["actions": [7]], "actions[0] must be an object of one member"),
            (["actions": [["a": 1], [:]]], "actions[1] must have one member, has 0"),
            (["actions": [["a": 1, "b": 2]]], "actions[0] must have one member, has 2"),
            (["actions": [["": 1]]], "actions[0] must have a name of 1 to 200 bytes"),
            (["issuer": "owner"], "issuer must be user: or group:"),
            (["schemaVersion": -1], "schemaVersion must be a whole"),
            (["schemaVersion": "1"], "schemaVersion must be a whole"),
            (["schema": 1], "schema must be a text"),
            (["metadata": "x"], "metadata must be an object"),
            (["tittle": "x"], #"tittle is unknown; did you mean "title"?"#),
        ] as [(JSONObject, String)]
    )
    func `a refusal names what is wrong and what is legal`(changes: JSONObject, sentence: String) {
        let refusal = #expect(throws: Refusal.self) { try CommandRequest(Self.body(changes)) }
        #expect(refusal?.message.hasPrefix(sentence) == true, "\(refusal?.message ?? "")")
    }

    @Test(arguments: [
        ("title", 50, true), ("title", 51, false), ("description", 200, true), ("description", 201, false),
        ("schema", 200, true), ("schema", 201, false),
    ])
    func `a text of its greatest length is taken and a longer one refused`(
        name: String,
        length: Int,
        isLegal: Bool
    ) {
        let json = Self.body([name: .string(String(repeating: "x", count: length))])
        #expect(((try? CommandRequest(json)) != nil) == isLegal)
    }

    @Test func `fifty actions are taken and 51 refused`() {
        func json(_ count: Int) -> JSONValue {
            Self.body(["actions": .array(Array(repeating: ["a": 1], count: count))])
        }
        #expect(throws: Never.self) { try CommandRequest(json(50)) }
        #expect(throws: Refusal.self) { try CommandRequest(json(51)) }
    }

    @Test func `a command that is too long or too deep is refused`() {
        let long = Self.body(["metadata": ["a": .string(String(repeating: "x", count: 64_512))]])
        #expect(#expect(throws: Refusal.self) { try CommandRequest(long) }?.code == .tooLarge)
        let deep = (0..<16).reduce(JSONValue.null) { value, _ in [value] }
        #expect(throws: Refusal.self) { try CommandRequest(Self.body(["metadata": ["a": deep]])) }
    }

    @Test func `any bytes are read or refused`() {
        var fuzz = Fuzz(seed: 34, corpus: [JSONValue.object(Self.body).text, #"{"actions":[{"on":true}]}"#])
        for _ in 0..<Fuzz.count {
            guard let json = try? JSONValue(parsing: fuzz.next(), keepsHugeNumbers: true) else { continue }
            _ = try? CommandRequest(json)
            _ = try? CommandRequest(message: json)
            _ = try? ActionResult.results(json, of: [CommandAction("on", true)])
        }
    }
}
