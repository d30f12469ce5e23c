import Bindings
import JSON
import Testing
import Things

struct EdgeNodeTests {
    private func list(_ text: String) throws -> [EdgeNode] {
        try EdgeNode.list(JSONValue(parsing: text), of: "g")
    }

    private static func nodes(_ count: Int) -> String {
        "[" + (0..<count).map { #"{"vendorThingID":"w-\#($0)"}"# }.joined(separator: ",") + "]"
    }

    @Test func `a gateway says what it sees`() throws {
        #expect(try list("[]").isEmpty)
        #expect(
            try list(#"[{"vendorThingID":"w-1"},{"vendorThingID":"w-2","thingProperties":{"name":"Oven"}}]"#)
                == [EdgeNode("w-1"), EdgeNode("w-2", properties: ["name": "Oven"])]
        )
    }

    @Test func `at most a thousand nodes are read`() throws {
        #expect(try list(Self.nodes(1000)).count == 1000)
        #expect {
            try list(Self.nodes(1001))
        } throws: { error in
            (error as? Refusal)?.code == .tooLarge
        }
    }

    @Test(arguments: [
        ("{}", "nodes"), ("[7]", "nodes[0]"), ("[{}]", "nodes[0].vendorThingID"),
        (#"[{"vendorThingID":"a b"}]"#, "nodes[0].vendorThingID"),
        (#"[{"vendorThingID":"g"}]"#, "nodes[0].vendorThingID"),
        (#"[{"vendorThingID":"w"},{"vendorThingID":"w"}]"#, "nodes[1].vendorThingID"),
        (#"[{"vendorThingID":"w","thingProperties":[]}]"#, "nodes[0].thingProperties"),
        (#"[{"vendorThingID":"w","name":"W"}]"#, "nodes[0].name"),
    ])
    func `one bad node refuses the list, with its place`(text: String, field: String) {
        #expect {
            try list(text)
        } throws: { error in
            (error as? Refusal)?.field == field
        }
    }
}
