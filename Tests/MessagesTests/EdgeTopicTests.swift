import Messages
import SeededRandom
import Testing

struct EdgeTopicTests {
    private let topics = Topics(root: "trilateral/desk")

    @Test(arguments: EdgeTopic.Part.allCases)
    func `a topic on which a thing reports is read as it was written`(part: EdgeTopic.Part) {
        for vendor in ["v-1", "node", "edge", "A.b_c", "..a", String(repeating: "x", count: 200)] {
            let topic = EdgeTopic(EdgeAddress(vendor), part)
            #expect(topics.edgeTopic(topics.edge(topic)) == topic)
            let ofNode = EdgeTopic(EdgeAddress(vendor, gateway: "g"), part)
            #expect(topics.edgeTopic(topics.edge(ofNode)) == (part == .nodes ? nil : ofNode))
        }
    }

    @Test func `an end node reports below its gateway`() {
        let node = EdgeAddress("w", gateway: "g")
        #expect(topics.edge(node, .state) == "trilateral/desk/edge/g/node/w/state")
        #expect(topics.edge(node, .command) == "trilateral/desk/edge/g/node/w/command")
        #expect(topics.edge(EdgeAddress("g"), .nodes) == "trilateral/desk/edge/g/nodes")
    }

    @Test(arguments: [
        "a b", "", ".", "...", "+", "#", "$x", "a:b", "é", "e\u{301}", "x\u{301}", "a,b",
        String(repeating: "x", count: 201),
    ])
    func `a name that is no vendorThingID is on no topic`(name: String) {
        #expect(topics.edgeTopic("trilateral/desk/edge/\(name)/state") == nil)
        #expect(topics.edgeTopic("trilateral/desk/edge/g/node/\(name)/state") == nil)
        #expect(topics.edgeTopic("trilateral/desk/edge/\(name)/node/w/state") == nil)
    }

    @Test(arguments: [
        "trilateral/desk/edge/v/command", "trilateral/desk/edge/v/onboarded", "trilateral/desk/edge/v/error",
        "trilateral/desk/edge/v", "trilateral/desk/edge/v/state/", "trilateral/desk/edge/v/state/x",
        "trilateral/desk/edge/g/node/w", "trilateral/desk/edge/g/node/w/nodes",
        "trilateral/desk/edge/g/x/w/state",
        "trilateral/desk/edge/g/node/w/state/x", "trilateral/desk/edge/g/node/node/w/state",
        "trilateral/other/edge/v/state", "trilateral/desk/v/state", "trilateral/deskedge/v/state",
        "edge/v/state", "",
    ])
    func `other topics are none on which a thing reports`(topic: String) {
        #expect(topics.edgeTopic(topic) == nil)
    }

    @Test func `what things report is subscribed to, and what they are told is not`() {
        let filters = topics.edgeReports
        #expect(Set(filters).count == 9)
        for part in EdgeTopic.Part.allCases {
            #expect(filters.contains("trilateral/desk/edge/+/\(part.rawValue)"))
        }
        for answer in EdgeTopic.Answer.allCases {
            #expect(!filters.contains { $0.hasSuffix("/\(answer.rawValue)") || $0.hasSuffix("#") })
        }
    }

    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func `any topic is read as what it was made of, or not at all`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let levels = [
            "edge", "node", "v-1", "state", "nodes", "onboard", "", "+", "é", "trilateral", "desk", "\u{301}",
            String(repeating: "y", count: 200), String(repeating: "/", count: 300),
        ]
        var found = 0
        for _ in 0..<20_000 {
            let tail = (0..<random.number(below: 7)).map { _ in random.pick(levels, else: "") }
                .joined(separator: "/")
            let text = random.chance(5) ? tail : "trilateral/desk/edge/\(tail)"
            guard let topic = topics.edgeTopic(text) else { continue }
            found += 1
            #expect(topics.edge(topic) == text)
        }
        #expect(found > 100)
    }

    @Test func `random bytes are no topic`() {
        var random = SplitMix64(seed: 7)
        for _ in 0..<Fuzz.count {
            let text = String(decoding: random.bytes(upTo: 60), as: UTF8.self)
            #expect(
                topics.edgeTopic("trilateral/desk/edge/" + text) == nil || text.utf8.allSatisfy { $0 < 0x7F }
            )
        }
    }
}
