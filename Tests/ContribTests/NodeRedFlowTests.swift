import Controller
import Daemon
import JSON
import Messages
import Testing

/// contrib/node-red/flows.json against the nodes of Node-RED's core (3.0 to 5.0) and the contract.
struct NodeRedFlowTests {
    private let nodes: [JSONValue]

    init() throws { nodes = try #require(try Contrib.json("contrib/node-red/flows.json").array) }

    private func text(_ node: JSONValue, _ key: String) -> String { node[key]?.string ?? "" }

    /// The keys that Node-RED writes for each type beside `id`, `type`, `z`, `name`, `x`, `y` and `wires`.
    private static let types: [String: Keys] = [
        "inject": Keys(["props", "repeat", "crontab", "once", "onceDelay", "topic"]),
        "debug": Keys([
            "active", "tosidebar", "console", "tostatus", "complete", "targetType", "statusVal", "statusType",
        ]),
        "comment": Keys(["info"]),
        "switch": Keys(["property", "propertyType", "rules", "checkall", "repair", "outputs"]),
        "change": Keys(["rules", "action", "property", "from", "to", "reg"]),
        "function": Keys(["func", "outputs", "noerr", "initialize", "finalize", "libs"]),
        "catch": Keys(["scope", "uncaught"]),
        "mqtt in": Keys(["topic", "qos", "datatype", "broker", "nl", "rap", "rh", "inputs"]),
        "mqtt out": Keys([
            "topic", "qos", "retain", "respTopic", "contentType", "userProps", "correl", "expiry", "broker",
        ]),
    ]

    private static let broker = Keys(
        [
            "id", "type", "name", "broker", "port", "clientid", "autoConnect", "usetls", "protocolVersion",
            "keepalive", "cleansession",
        ],
        Set(
            ["birth", "close", "will"].flatMap { name in
                ["Topic", "Qos", "Retain", "Payload", "Msg"].map { name + $0 }
            } + ["autoUnsubscribe", "userProps", "sessionExpiry"]
        )
    )

    @Test func `it has one tab, one broker, and nodes of the core with their own keys`() throws {
        var counts: [String: Int] = [:]
        for node in nodes {
            let type = text(node, "type")
            counts[type, default: 0] += 1
            let keys = try #require(node.object).keys
            switch type {
            case "tab":
                #expect(Keys(["id", "type", "label", "disabled", "info", "env"]).problem(keys) == nil)
            case "mqtt-broker": #expect(Self.broker.problem(keys) == nil)
            default:
                let own = try #require(Self.types[type], "\(type)")
                let all = Keys(own.needed.union(["id", "type", "z", "name", "x", "y", "wires"]))
                #expect(all.problem(keys) == nil, "\(text(node, "name"))")
            }
        }
        #expect(counts["tab"] == 1 && counts["mqtt-broker"] == 1)
    }

    @Test func `ids are unique, and wires lead to nodes`() throws {
        let ids = nodes.map { text($0, "id") }
        #expect(Set(ids).count == ids.count && !ids.contains(""))
        let tab = try #require(nodes.first { text($0, "type") == "tab" }.map { text($0, "id") })
        let drawn = nodes.filter { $0["wires"] != nil }
        let targets = Set(drawn.map { text($0, "id") })
        for node in drawn {
            #expect(text(node, "z") == tab)
            let outputs = node["wires"]?.array ?? []
            let expected =
                ["debug": 0, "mqtt out": 0, "comment": 0][text(node, "type")] ?? node["outputs"]?.integer ?? 1
            #expect(outputs.count == expected, "\(text(node, "name"))")
            for wire in outputs.flatMap({ $0.array ?? [] }) {
                #expect(targets.contains(wire.string ?? ""), "\(text(node, "name")) to \(wire)")
            }
            if let rules = node["rules"]?.array, text(node, "type") == "switch" {
                #expect(node["outputs"]?.integer == rules.count)
            }
        }
    }

    @Test func `the broker is that of this machine, without a password, and everybody uses it`() throws {
        let broker = try #require(nodes.first { text($0, "type") == "mqtt-broker" })
        #expect(text(broker, "broker") == "localhost" && text(broker, "port") == "1883")
        for node in nodes {
            #expect(node["credentials"] == nil && node["user"] == nil && node["password"] == nil)
            if text(node, "type").hasPrefix("mqtt ") { #expect(text(node, "broker") == text(broker, "id")) }
        }
    }

    // MARK: Topics

    /// The text between quotes that begin a topic below `B`.
    private func tails(_ expression: String) -> [String] {
        expression.matches(of: /"\/([^"]*)"/).map { String($0.1) }
    }

    private var injected: [(name: String, members: JSONObject)] {
        nodes.filter { text($0, "type") == "inject" }.map { node in
            let properties = node["props"]?.array ?? []
            return (
                text(node, "name"), JSONObject(properties.map { (text($0, "p"), $0) }) { first, _ in first }
            )
        }
    }

    @Test func `base and node stand in one place`() throws {
        let tab = try #require(nodes.first { text($0, "type") == "tab" })
        #expect(tab["env"] == [["name": "B", "value": "trilateral/demo", "type": "str"]])
        for node in nodes where node != tab {
            #expect(!node.text.contains("trilateral/"), "\(text(node, "name"))")
            if text(node, "type").hasPrefix("mqtt ") { #expect(text(node, "topic").isEmpty) }
        }
    }

    @Test func `what is subscribed is told by the daemon`() throws {
        let topics = Topics(root: "B")
        let told =
            [topics.status, topics.state, topics.nearby, topics.response(.set)]
            + [ChangeEvent.Topic.environment, .zone, .device, .nearby, .thing, .bridge].map {
                topics.event($0)
            }
        let start = try #require(injected.first { $0.members["action"] != nil })
        let filters = tails(text(start.members["topic"] ?? .null, "v"))
        #expect(filters.count == 5)
        for filter in filters {
            let levels = "B/\(filter)".split(separator: "/")
            let isTold = told.contains { topic in
                let own = topic.split(separator: "/")
                return own.count == levels.count && zip(levels, own).allSatisfy { $0 == "+" || $0 == $1 }
            }
            #expect(isTold, "\(filter)")
        }
        let reader = try #require(nodes.first { text($0, "name") == "read" })
        let outputs = try #require(text(reader, "func").firstMatch(of: /outputs = \[(.*?)\]/)).1
        let known = outputs.matches(of: /"(\w+)"/).map { String($0.1) }
        #expect(known.count == reader["outputs"]?.integer)
        #expect(Set(known) == Set(filters.compactMap { $0.split(separator: "/").first.map(String.init) }))
    }

    @Test func `what is sent are commands that the daemon understands`() throws {
        let buttons = injected.filter { $0.members["action"] == nil }
        #expect(buttons.count == 8)
        for (name, members) in buttons {
            let topic = try #require(members["topic"])
            #expect(text(topic, "vt") == "jsonata" && text(topic, "v").hasPrefix(#"$env("B") & "/"#))
            let tail = try #require(tails(text(topic, "v")).first)
            let command = try #require(CommandTable.program.topic(tail[...]), "\(name)")
            let payload = try #require(members["payload"])
            // One takes its payload from the nearby thing.
            guard text(payload, "vt") != "date" else { continue }
            let decoded = CommandDecoder().decode(
                command,
                payload: Array(text(payload, "v").utf8),
                isRetained: false
            )
            guard case .success = decoded.result else {
                Issue.record("\(name): \(decoded.result)")
                continue
            }
        }
    }

    @Test func `the example sends commands that the daemon understands, on events that it tells`() throws {
        let types = nodes.filter { text($0, "type") == "switch" }
            .flatMap { $0["rules"]?.array ?? [] }.compactMap { $0["v"]?.string }
        #expect(types == ["table-lamp", "near", "far"])
        let changes = nodes.filter { text($0, "type") == "change" }
        #expect(changes.count == 2)
        for change in changes {
            let rules = Dictionary((change["rules"]?.array ?? []).map { (text($0, "p"), $0) }) { $1 }
            let tail = try #require(tails(text(rules["topic"] ?? .null, "to")).first)
            let command = try #require(CommandTable.program.topic(tail[...]), "\(tail)")
            let decoded = CommandDecoder().decode(
                command,
                payload: Array(text(rules["payload"] ?? .null, "to").utf8),
                isRetained: false
            )
            guard case .success = decoded.result else {
                Issue.record("\(tail): \(decoded.result)")
                continue
            }
        }
    }

    // MARK: What the user sees

    @Test func `the tab's text has no HTML, and says where B is set and how to deploy`() throws {
        let info = text(try #require(nodes.first { text($0, "type") == "tab" }), "info")
        #expect(!info.contains("<"))
        for words in ["Environment Variables", "`B`", "*Full*"] { #expect(info.contains(words), "\(words)") }
    }

    @Test func `all nodes are within a small window, and none lies upon another`() {
        let drawn = nodes.filter { $0["wires"] != nil }
        var places: Set<[Int]> = []
        for node in drawn {
            let (x, y) = (node["x"]?.integer ?? 0, node["y"]?.integer ?? 0)
            #expect(x >= 80 && x <= 720 && y >= 40, "\(text(node, "name"))")
            #expect(places.insert([x, y]).inserted, "\(text(node, "name"))")
        }
    }

    @Test func `states are dots and rings in colours, and what was answered goes again`() throws {
        let codes = nodes.filter { text($0, "type") == "function" }.map { ($0, text($0, "func")) }
        #expect(codes.count > 5)
        for (node, code) in codes where code.contains("node.status") {
            #expect(code.contains(/fill:[^}]*shape:[^}]*text:/), "\(text(node, "name"))")
        }
        let answers = try #require(codes.first { text($0.0, "name") == "answers" }?.1)
        #expect(answers.contains("fill: \"green\"") && answers.contains("fill: \"red\""))
        #expect(answers.contains("node.status({})"), "cleared after a time")
        let turn = try #require(codes.first { text($0.0, "name") == "whose turn?" }?.1)
        #expect(turn.contains("has no actions") && turn.contains("nothing is near"))
    }

    @Test func `an event with a text for what it became shows no single letters`() throws {
        let events = try #require(nodes.first { text($0, "name") == "events" }.map { text($0, "func") })
        let selected = ChangeEvent(
            topic: .environment,
            type: "selected",
            sequence: 1,
            at: Instant(wallMilliseconds: 0, steadyMilliseconds: 0),
            after: "0123456789abcdef01234567",
            cause: ChangeEvent.Cause("command")
        ).bytes(epoch: "e")
        #expect(try JSONValue(parsing: selected)["after"]?.string != nil, "this is what it has to cope with")
        #expect(events.contains(#"typeof event.after === "object""#))
        #expect(!events.contains("Object.entries(event.after"))
    }

    @Test func `errors of all nodes are caught, and only what went wrong fills the debug sidebar`() throws {
        let catcher = try #require(nodes.first { text($0, "type") == "catch" })
        #expect(catcher["scope"] == .null)
        let talkers = nodes.filter { text($0, "type") == "debug" && $0["active"] == true }
        #expect(Set(talkers.map { text($0, "name") }) == ["refused", "errors"])
    }
}
