import JSON

/// The valid attributes of a request, as they are read one after the other.
struct AcceptedAttributes {
    /// What one attribute means.
    enum Meaning {
        /// A part of the light, under a name of the contract.
        case light(AttributeValue, as: String)
        /// The value of a dimmer that means darkness.
        case darkness
        /// A value as it is stored under a key.
        case value(JSONValue, key: String)
        /// The opposite of a switch.
        case toggle(key: String)
        /// It is as it should be.
        case nothing
    }

    /// Parts of the light with their names in the contract, and the attributes that gave them.
    private var light: [(name: String, value: AttributeValue, attribute: String)] = []
    /// By attribute.
    var shown: JSONObject = [:]
    var rejected: [String: Refusal] = [:]
    private var others = ThingPatch()

    /// Adds one attribute; refused when another one gives the same value.
    mutating func add(_ meaning: Meaning, _ shown: JSONValue, _ attribute: String) throws(Refusal) {
        switch meaning {
        case .light(let value, let name):
            if let other = self.attribute(of: name) { throw Self.repeated(attribute, other) }
            light.append((name, value, attribute))
        case .darkness:
            if let other = self.attribute(of: "brightness") ?? self.attribute(of: "level") {
                throw Self.repeated(attribute, other)
            }
            others.level = 0
        case .value(let value, let key):
            if isGiven(key) { throw Self.repeated(attribute, key) }
            others.values[key] = value
        case .toggle(let key):
            if isGiven(key) { throw Self.repeated(attribute, key) }
            others.toggled.insert(key)
        case .nothing: break
        }
        self.shown[attribute] = shown
    }

    private subscript(name: String) -> AttributeValue? { light.first { $0.name == name }?.value }

    private func attribute(of name: String) -> String? { light.first { $0.name == name }?.attribute }

    /// Whether the light is switched by itself, and not by its brightness.
    var hasState: Bool { light.contains { $0.name == "state" || $0.name == "on" } }

    private func isGiven(_ key: String) -> Bool { others.values[key] != nil || others.toggled.contains(key) }

    private static func repeated(_ attribute: String, _ other: String) -> Refusal {
        Refusal(
            .invalidValue,
            "\(attribute) and \(other) are two names for one value; give one of them",
            field: attribute
        )
    }

    /// Rejects both of each contradicting pair.
    mutating func removeContradictions() {
        for (field, message) in contradictions {
            guard let name = attribute(of: field) else { continue }
            rejected[name] = Refusal(.invalidValue, message, field: name)
        }
        guard !rejected.isEmpty else { return }
        for name in rejected.keys { shown[name] = nil }
        light = light.filter { shown[$0.attribute] != nil }
    }

    private var contradictions: [(field: String, message: String)] {
        guard light.count > 1 else { return [] }
        var problems: [(field: String, message: String)] = []
        func both(_ first: String, _ second: String, _ why: String) {
            problems += [first, second].map { ($0, "\(first) and \(second) \(why)") }
        }
        if self["brightness"] != nil, self["level"] != nil {
            both("brightness", "level", "are two names for one value; give one of them")
        }
        if self["color"] != nil, self["color_temp"] != nil {
            both("color", "color_temp", "are two kinds of light; give one of them")
        }
        guard case .state(let state, let stateName)? = self["state"] ?? self["on"] else {
            return problems
        }
        if case .state(let on, _)? = self["on"], on != state {
            both("state", "on", "contradict each other; give one of them")
        }
        for name in ["brightness", "level"] {
            guard case .level(let level, _)? = self[name] else { continue }
            if state == .off, level > 0 {
                both(
                    stateName,
                    name,
                    "contradict each other: OFF with a brightness above 0; send one of them"
                )
            } else if state != .off, level == 0 {
                both(
                    stateName,
                    name,
                    "contradict each other: a brightness of 0 means OFF; send one of them"
                )
            }
        }
        return problems
    }

    /// All that is accepted, for a thing whose light is as given.
    func patch(on now: LightValues, _ shape: ThingShape) -> ThingPatch {
        var given = ThingPatch()
        for part in light {
            switch part.value {
            case .state(.on, _): given.state = .on
            case .state(.off, _): given.state = .off
            case .state(.toggle, _): given.state = .toggle
            case .level(let level, _): given.level = level
            case .colour(let colour): given.colour = .string(colour.stored)
            case .temperature(let temperature): given.temperature = temperature
            }
        }
        var patch = shape.patch(given, on: now)
        patch.level = others.level ?? patch.level
        (patch.values, patch.toggled) = (others.values, others.toggled)
        return patch
    }
}
