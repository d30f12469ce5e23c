import Testing
import Yams

/// The blueprints against the schemas of Home Assistant 2024.10 to 2026.11: blueprint, automation and script syntax.
struct BlueprintTests {
    private static let names = ["near", "follow-me"]

    private func blueprint(_ name: String) throws -> Node {
        try Contrib.yaml("contrib/homeassistant/blueprints/automation/trilateral/\(name).yaml")
    }

    private static let input = Keys(["name"], ["description", "default", "selector"])
    private static let section = Keys(["name", "input"], ["icon", "description", "collapsed"])
    private static let selectors: [String: Keys] = [
        "entity": Keys([], ["filter", "multiple"]),
        "number": Keys(["min", "max"], ["step", "unit_of_measurement", "mode"]),
        "text": Keys([], ["multiline", "multiple"]), "boolean": Keys([]), "action": Keys([]),
        "condition": Keys([]),
    ]

    /// The inputs with their schemas, those of sections among them.
    private func inputs(_ blueprint: Node) -> [String: Node] {
        let top = blueprint.members["blueprint"]?.members["input"]?.members ?? [:]
        return top.reduce(into: [:]) { inputs, pair in
            if let inner = pair.value.members["input"] {
                inputs.merge(inner.members) { first, _ in first }
            } else {
                inputs[pair.key] = pair.value
            }
        }
    }

    @Test(arguments: names)
    func `its head has known keys, and every input a selector`(name: String) throws {
        let file = try blueprint(name)
        let head = try #require(file.members["blueprint"])
        let keys = Keys(
            ["name", "description", "domain", "homeassistant", "input"],
            ["author", "source_url"]
        )
        #expect(keys.problem(head.members.keys) == nil)
        #expect(head.members["domain"]?.string == "automation")
        let version = head.members["homeassistant"]?.members["min_version"]?.string
        #expect(version?.split(separator: ".").count == 3)
        for (name, section) in head.members["input"]?.members ?? [:] where section.members["input"] != nil {
            #expect(Self.section.problem(section.members.keys) == nil, "\(name)")
        }
        for (name, input) in inputs(file) {
            #expect(Self.input.problem(input.members.keys) == nil, "\(name)")
            let selector = try #require(input.members["selector"]?.members.first, "\(name)")
            let keys = try #require(Self.selectors[selector.key], "\(selector.key)")
            #expect(keys.problem(selector.value.members.keys) == nil, "\(name)")
            for filter in selector.value.members["filter"]?.elements ?? [] {
                #expect(Keys(["domain"], ["integration"]).problem(filter.members.keys) == nil, "\(name)")
            }
        }
    }

    @Test(arguments: names)
    func `every input is used, and every one that is used is there`(name: String) throws {
        let file = try blueprint(name)
        let used = Set(file.everything.compactMap(\.inputName))
        #expect(used == Set(inputs(file).keys))
        #expect(!used.isEmpty)
    }

    @Test(arguments: names)
    func `it is an automation in the syntax of today`(name: String) throws {
        let file = try blueprint(name)
        let top = Keys(
            ["blueprint", "mode", "triggers", "conditions", "actions"],
            ["max", "max_exceeded", "variables"]
        )
        #expect(top.problem(file.members.keys) == nil)
        #expect(["single", "restart", "queued", "parallel"].contains(file.members["mode"]?.string ?? ""))
        for trigger in file.members["triggers"]?.elements ?? [] {
            #expect(Keys(["trigger", "entity_id"]).problem(trigger.members.keys) == nil)
        }
        for condition in file.members["conditions"]?.elements ?? [] { check(condition: condition) }
        let actions = file.members["actions"]?.elements ?? []
        #expect(!actions.isEmpty)
        for action in actions { check(action: action) }
    }

    private func check(condition: Node) {
        let keys = ["template": "value_template", "and": "conditions"]
        let kind = condition.members["condition"]?.string ?? ""
        #expect(Keys(["condition", keys[kind] ?? "?"]).problem(condition.members.keys) == nil, "\(kind)")
    }

    private func check(action: Node) {
        let members = action.members
        if members["condition"] != nil { return check(condition: action) }
        let shapes = [
            Keys(["variables"]), Keys(["choose"], ["default"]), Keys(["delay"]), Keys(["sequence"]),
            Keys(["action"], ["target", "data"]),
        ]
        #expect(shapes.contains { $0.problem(members.keys) == nil }, "\(members.keys.sorted())")
        for choice in members["choose"]?.elements ?? [] {
            #expect(Keys(["conditions", "sequence"]).problem(choice.members.keys) == nil)
            for condition in choice.members["conditions"]?.elements ?? [] { check(condition: condition) }
            for step in choice.members["sequence"]?.elements ?? [] { check(action: step) }
        }
        if let service = members["action"]?.string {
            #expect(["light.turn_on", "light.turn_off"].contains(service))
        }
    }

    @Test(arguments: names)
    func `templates are closed, and use variables that there are`(name: String) throws {
        let file = try blueprint(name)
        let variables = file.everything.compactMap { $0.members["variables"] }.flatMap { $0.members.keys }
        let known = Set(variables + ["trigger"])
        let words: Set<String> = [
            "set", "if", "else", "and", "or", "not", "is", "in", "none", "string", "states", "state_attr",
            "is_state",
            "as_timestamp", "map", "reject", "list", "length", "replace", "regex_replace", "dict", "before",
            "now",
            "names", "event",
        ]
        for text in file.everything.compactMap(\.scalar?.string)
        where text.contains("{{") || text.contains("{%") {
            #expect(
                text.components("{{") == text.components("}}")
                    && text.components("{%") == text.components("%}")
            )
            // Texts and members of objects are no variables.
            let bare = text.replacing(/'[^']*'/, with: "").replacing(/\.[a-z_]+/, with: "")
            let inside = bare.matches(of: /\{[{%](.*?)[}%]\}/.dotMatchesNewlines()).map { String($0.1) }
            for word in inside.flatMap({ $0.matches(of: /[a-z_]+/).map { String($0.0) } }) {
                #expect(known.contains(word) || words.contains(word), "\(word) in \(text)")
            }
        }
    }

    /// Without one the template fails, and the automation with it, when a state is no time: after a restart, for one.
    @Test(arguments: names)
    func `every time has a default for a state that is none`(name: String) throws {
        for text in try blueprint(name).everything.compactMap(\.scalar?.string) {
            for match in text.matches(of: /as_timestamp\(([^()]*(\([^()]*\))?[^()]*)\)/)
            where match.1 != "now()" {
                #expect(match.1.contains(","), "\(match.0)")
            }
        }
    }

    @Test func `lights follow a device of the list, too, and stay on while another one is there`() throws {
        let file = try blueprint("follow-me")
        #expect(inputs(file)["node"]?.members["default"]?.string == "")
        let variables = file.everything.compactMap { $0.members["variables"] }.flatMap(\.members)
        let named = Dictionary(variables.map { ($0.key, $0.value.string ?? "") }) { first, _ in first }
        #expect(named["zone_id"]?.contains("'trilateral_' ~ (node") == true)
        #expect(named["zone_light"] == "light.{{ zone_id }}_lights")
        #expect(named["zone_occupancy"] == "binary_sensor.{{ zone_id }}_occupancy")
        let conditions = file.everything.compactMap { $0.members["value_template"]?.string }
        #expect(conditions.contains { $0.contains("not is_state(zone_occupancy, 'on')") })
    }

    @Test func `the daemon makes the entities that they are told of`() throws {
        let announced = try Announced.entities
        for name in Self.names {
            let text = try Contrib.text("contrib/homeassistant/blueprints/automation/trilateral/\(name).yaml")
            let named = text.matches(of: /`(event|light)\.trilateral_<node>_([a-z_<>]+)`/)
            #expect(!named.isEmpty)
            for match in named {
                let entity = "\(match.1).trilateral_demo_\(match.2)".replacing("<zone>", with: "living_room")
                #expect(announced.contains(entity), "\(entity)")
            }
        }
    }
}

extension String {
    /// How often a text is in it.
    fileprivate func components(_ text: String) -> Int { ranges(of: text).count }
}
