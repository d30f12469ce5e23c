package import Flare

/// What a thing has and what may be asked of it, read from its own data.
package struct ThingProfile: Sendable, Hashable {
    /// What an attribute accepts.
    package enum Kind: String, Sendable, Hashable {
        /// `ON`, `OFF`, `TOGGLE`, true, false.
        case state
        /// 0…255, `"NN%"`, a fraction strictly between 0 and 1.
        case brightness
        /// 0.0…1.0.
        case level
        /// Every form of ``ColourValue``.
        case colour
        /// Kelvin, within ``ColourTemperature/range``.
        case temperature
        /// JSON of the type that the thing's data has under this key.
        case bool, number, text, list, object
    }

    /// Whether it is a light, as the contract has it: it can be on, bright or coloured, and does not say otherwise.
    package let isLight: Bool
    package let hasOn: Bool
    package let hasBrightness: Bool
    package let hasColour: Bool
    package let hasTemperature: Bool
    /// The colours it offers, in the order of `nextColor`; empty for a thing without colour.
    package let palette: [String]
    /// The actions it offers, in the order in which buttons would stand.
    package let actions: [String]
    /// The attributes of the contract by name, with what they accept.
    package let attributes: [String: Kind]
    /// Names of the attributes, the light's own first.
    package let settable: [String]
    /// What is only reported, by key of the data, with the type that it has: never settable.
    package let reported: [String: Kind]
    /// Built-in actions that make sense for it beside the offered ones.
    private let possibleActions: Set<String>

    /// The colours of a thing that states none.
    /// - Source: flare-protocol 6, nextColor.
    package static let defaultPalette = ["red", "orange", "yellow", "green", "blue", "purple"]

    /// Keys of a thing's data that say what or where it is: the place's matter, not a command's.
    package static let fixedKeys: Set<String> = [
        "minor", "major", "uuid", "namespace", "instance", "mac", "options", "receiver",
        "kind", "readonly",
    ]

    /// Keys of a thing's data that are a light's own.
    package static let lightKeys: Set<String> = ["on", "brightness", "color", "colorTemperature"]

    /// The keys that a thing's data names in `readonly`; none where that is no list of texts.
    package static func reportedKeys(in data: [String: JSONValue]) -> Set<String> {
        Set(data["readonly"]?.array?.compactMap(\.string) ?? [])
    }

    /// A thing's data without what is only reported.
    package static func driven(_ data: [String: JSONValue]) -> [String: JSONValue] {
        let reported = reportedKeys(in: data)
        return reported.isEmpty ? data : data.filter { !reported.contains($0.key) }
    }

    /// What `data.kind` says of what is switched but gives no light, such as a television.
    private static let switchKind: JSONValue = "switch"

    package init(thing: FlareThing) {
        // A value of null is as good as none: it has no type.
        let data = Self.driven(thing.data).filter { !$0.value.isNull }
        reported = Self.reportedKeys(in: thing.data).subtracting(Self.fixedKeys)
            .reduce(into: [:]) { kinds, key in
                if let value = thing.data[key], !value.isNull { kinds[key] = Kind(of: value) }
            }
        hasOn = data["on"] != nil
        hasBrightness = data["brightness"] != nil
        hasColour = data["color"] != nil
        hasTemperature = ThingAppearance.storedTemperature(of: data) != nil
        let options = data["options"]?.array?.compactMap(\.string) ?? []
        palette = hasColour ? (options.isEmpty ? Self.defaultPalette : options) : []

        var attributes = data.filter { !Self.fixedKeys.contains($0.key) }.mapValues(Kind.init(of:))
        let hasState = hasOn || hasBrightness || hasColour || hasTemperature
        isLight = hasState && data["kind"] != Self.switchKind
        if hasState {
            attributes["on"] = nil
            attributes["state"] = .state
        }
        if hasBrightness {
            attributes["brightness"] = .brightness
            attributes["level"] = .level
        }
        if hasColour { attributes["color"] = .colour }
        if hasTemperature {
            attributes["colorTemperature"] = nil
            attributes["color_temp"] = .temperature
        }
        self.attributes = attributes
        let own = ["state", "brightness", "level", "color", "color_temp"].filter {
            attributes[$0]?.isOfLight == true
        }
        settable = own + attributes.keys.filter { !own.contains($0) }.sorted()

        var possible: [String] = []
        if hasState { possible += ["on", "off"] }
        if hasColour { possible += ["nextColor", "previousColor"] }
        if hasBrightness { possible += ["lighter", "darker"] }
        actions = thing.actions.isEmpty ? possible : thing.actions
        if data["angle"] != nil { possible += ["clockwise", "counterclockwise"] }
        if thing.position != nil { possible += ["north", "south", "east", "west", "up", "down"] }
        possibleActions = Set(possible)
    }

    /// Whether data has a value under a key that is not only reported; null is as good as none.
    package static func has(_ key: String, in data: [String: JSONValue]) -> Bool {
        guard let value = data[key], !value.isNull else { return false }
        return data["readonly"]?.array?.contains { $0.string == key } != true
    }

    /// Whether data is that of a light, without all that a profile knows.
    package static func isLight(_ data: [String: JSONValue]) -> Bool {
        hasState(data) && data["kind"] != switchKind
    }

    /// Whether data is that of something that is on or off, a light or not.
    package static func hasState(_ data: [String: JSONValue]) -> Bool {
        has("on", in: data) || has("brightness", in: data) || has("color", in: data)
            || ThingAppearance.storedTemperature(of: data) != nil
    }

    /// Whether it is on or off, a light or not.
    package var hasState: Bool { hasOn || hasBrightness || hasColour || hasTemperature }

    /// Whether anything can be asked of it.
    package var isDrivable: Bool { !settable.isEmpty || !actions.isEmpty }

    /// The action, if it is one that the thing offers, or the server's built-in one for something that it has.
    ///
    /// A built-in action for something that it has not (`lighter` without a brightness) is refused: the original
    /// server would store null, or stop.
    /// - Source: flare-protocol 6 and 8.
    package func checked(action: String) -> Result<String, Refusal> {
        if actions.contains(action) || possibleActions.contains(action) { return .success(action) }
        let others = possibleActions.subtracting(actions).sorted()
        let hint = NearestName.hint(for: action, among: actions + others)
        let legal = actions.isEmpty ? others : actions
        let list = legal.isEmpty ? "it has no actions" : "it has \(QuotedValue.list(legal))"
        return .failure(
            Refusal(
                .unknownAction,
                "\(QuotedValue.of(action)) is not an action of this thing\(hint.isEmpty ? ";" : hint) \(list)",
                field: "action"
            )
        )
    }
}

extension ThingProfile.Kind {
    fileprivate init(of value: JSONValue) {
        self =
            switch value {
            case .bool: .bool
            case .number, .numeral: .number
            case .string, .null: .text
            case .array: .list
            case .object: .object
            }
    }

    /// Whether it is one of a light's own attributes rather than a plain key of its data.
    fileprivate var isOfLight: Bool {
        switch self {
        case .state, .brightness, .level, .colour, .temperature: true
        case .bool, .number, .text, .list, .object: false
        }
    }
}
