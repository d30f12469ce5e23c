import Controller
import JSON
import Things

extension RuleReading {
    /// One element of `if`.
    mutating func condition(_ object: RuleObject) throws(Refusal) -> RuleCondition {
        let names = ["clause", "during", "level", "zone", "near"]
        let found = names.filter { object.optional($0) != nil }
        guard found.count == 1, let name = found.first else {
            let count = found.isEmpty ? "has none" : "has \(found.joined(separator: " and "))"
            throw Refusal(
                .invalidValue,
                "\(object.path) must have one of \(names.joined(separator: ", ")), \(count)",
                field: object.path
            )
        }
        let others = ["clause": ["thing"], "zone": ["device"], "near": ["device"]][name] ?? []
        warnings.addUnknown(in: object, known: [name] + others)
        switch name {
        case "clause":
            let clause = try Self.clause("clause", in: object)
            return .state(try thing(in: object), clause)
        case "during": return try during(in: object)
        case "level":
            var levels: [LifecycleLevel] = []
            for (index, value) in try Self.choices("level", in: object).enumerated() {
                let level = try Self.level(value, at: "\(object.path(of: "level"))[\(index)]")
                if !levels.contains(level) { levels.append(level) }
            }
            return .level(levels)
        case "zone":
            let zones = try Self.references("zone", in: object).map { RuleReference.zone($0) }
            return .zone(zones, of: try Self.device(in: object, .nobody))
        default:
            let things = try Self.references("near", in: object).map { RuleReference.thing($0) }
            return .near(things, of: try Self.device(in: object, .nobody))
        }
    }

    private mutating func during(in object: RuleObject) throws(Refusal) -> RuleCondition {
        guard let range = try object.object("during") else {
            throw object.refusal(.invalidValue, of: "during", "must be an object")
        }
        warnings.addUnknown(in: range, known: Schedule.memberNames)
        let schedule = try schedule(in: range)
        guard schedule.hasEnd else {
            throw object.refusal(
                .invalidValue,
                of: "during",
                "has no end: give endTimeEachDay or duration, as one is inside a range"
            )
        }
        return .during(schedule)
    }

    /// A list, or its only element.
    private static func choices(_ name: String, in object: RuleObject) throws(Refusal) -> [JSONValue] {
        if let value = object.optional(name), value.string != nil { return [value] }
        return try object.list(name, RuleLimits.choices, of: "names") ?? []
    }

    private static func references(_ name: String, in object: RuleObject) throws(Refusal) -> [String] {
        var texts: [String] = []
        for (index, value) in try choices(name, in: object).enumerated() {
            let path = "\(name)[\(index)]"
            guard let text = value.string else { throw object.wrongType(path, value, nameRule) }
            guard isName(text) else { throw object.invalid(path, value, nameRule) }
            if !texts.contains(text) { texts.append(text) }
        }
        return texts
    }
}
