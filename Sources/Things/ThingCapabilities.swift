package import Flare
package import JSON
import Text

/// The capabilities of a thing, derived from its data.
package struct ThingCapabilities: Sendable, Hashable {
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
        /// JSON of the same type as the thing's data has under this key.
        case bool, number, text, list, object
    }

    /// Whether it is a light: it has state, brightness or colour, and its kind does not say otherwise.
    package let isLight: Bool
    package let hasOn: Bool
    package let hasBrightness: Bool
    package let hasColour: Bool
    package let hasTemperature: Bool
    /// Its colours in the order of `nextColor`; empty for a thing without colour.
    package let palette: [String]
    /// Its actions in the order of buttons.
    package let actions: [String]
    /// Its attributes in the contract's names, with what they accept.
    package let attributes: [String: Kind]
    /// The names of the attributes, those of the light first.
    package let settable: [String]
    /// Read-only values by data key, with their type; never settable.
    package let reported: [String: Kind]
    /// Built-in actions that apply to it besides the offered ones.
    private let possibleActions: Set<String>

    /// The palette of a thing that has none.
    /// - Source: contrib/contract/flare-protocol.md, "6. Actions".
    package static let defaultPalette = ["red", "orange", "yellow", "green", "blue", "purple"]

    /// Data keys that describe the thing's identity and position; commands cannot set them.
    package static let fixedKeys = placeKeys.union(profileKeys)

    /// Those of them that are not about profiles.
    package static let placeKeys = beaconKeys.union(["options", "kind", "readonly"])

    /// Data keys that identify a beacon or a receiver.
    package static let beaconKeys: Set<String> = [
        "minor", "major", "uuid", "namespace", "instance", "mac", "receiver",
    ]

    /// Data keys that choose a thing's profile; commands cannot set them, whether or not it has them.
    package static let profileKeys: Set<String> = ["profile", "oemModel", "model"]

    /// Data keys of a light.
    package static let lightKeys: Set<String> = ["on", "brightness", "color", "colorTemperature"]

    /// The keys in `readonly`; none if it is not a list of texts.
    package static func reportedKeys(in data: JSONObject) -> Set<String> {
        Set(data["readonly"]?.array?.compactMap(\.string) ?? [])
    }

    /// Whether a key stands in `readonly`.
    static func isReported(_ key: String, in data: JSONObject) -> Bool {
        data["readonly"]?.array?.contains { $0.string == key } == true
    }

    /// A thing's data without read-only values.
    package static func driven(_ data: JSONObject) -> JSONObject {
        let reported = reportedKeys(in: data)
        return reported.isEmpty ? data : data.filter { !reported.contains($0.key) }
    }

    /// Values of `data.kind` for things that are switched but are no light, such as a television.
    private static let switchKind: JSONValue = "switch"

    /// - Parameter kind: Its profile, which then decides what it has.
    package init(thing: FlareThing, kind: ThingKind? = nil) {
        if let kind { self.init(thing, of: kind) } else { self.init(plain: thing) }
    }

    private init(plain thing: FlareThing) {
        // Null counts as absent: it has no type.
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

        var attributes: [String: Kind] = [:]
        for (key, value) in data where !Self.isFixed(key, in: data) { attributes[key] = Kind(of: value) }
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
        if thing.position != nil { possible += BuiltInAction.moves.map(\.rawValue) }
        possibleActions = Set(possible)
    }

    /// Keys that no property of the profile has are not among its attributes.
    private init(_ thing: FlareThing, of kind: ThingKind) {
        let properties = kind.properties(of: thing)
        let (state, brightness, colour) = (
            kind.state(of: thing), kind.brightness(of: thing), kind.colour(of: thing)
        )
        let (temperature, effect) = (kind.temperature(of: thing), kind.effect(of: thing))
        isLight = kind.isLight
        hasOn = state != nil
        hasBrightness = brightness != nil
        hasColour = colour != nil
        hasTemperature = temperature != nil
        let options = thing.data["options"]?.array?.compactMap(\.string) ?? []
        palette = hasColour ? (options.isEmpty ? Self.defaultPalette : options) : []

        // The names of the contract first; a property of the same name that is not the light's goes before.
        var attributes: [String: Kind] = [:]
        var names: [String] = []
        func add(_ name: String, _ kind: Kind) {
            if attributes.updateValue(kind, forKey: name) == nil { names.append(name) }
        }
        let isSwitchable = kind.isSwitchable(thing)
        if isSwitchable { add("state", .state) }
        if let brightness, !brightness.isReadOnly {
            add("brightness", .brightness)
            add("level", .level)
        }
        if let colour, !colour.isReadOnly { add("color", .colour) }
        if let temperature, !temperature.isReadOnly { add("color_temp", .temperature) }
        if let effect, !effect.isReadOnly { add("effect", .text) }
        for property in properties where !property.isReadOnly {
            let isOfLight = property == brightness && property.name == "brightness"
            add(property.name, isOfLight ? .brightness : property == colour ? .colour : Kind(of: property))
        }
        self.attributes = attributes
        settable = names
        reported = properties.reduce(into: [:]) { kinds, property in
            if property.isReadOnly, let value = thing.data[property.name], !value.isNull {
                kinds[property.name] = Kind(of: value)
            }
        }
        actions = kind.actions(of: thing).map(\.name)

        var possible: [String] = []
        if isSwitchable { possible += ["on", "off"] }
        if attributes["color"] == .colour, hasColour { possible += ["nextColor", "previousColor"] }
        if attributes["level"] == .level { possible += ["lighter", "darker"] }
        // Words such as `down` mean what the profile says: they do not move the thing itself.
        possibleActions = Set(possible)
    }

    /// Whether data has a settable value under a key; null counts as absent.
    package static func has(_ key: String, in data: JSONObject) -> Bool {
        guard let value = data[key], !value.isNull else { return false }
        return data["readonly"]?.array?.contains { $0.string == key } != true
    }

    /// Whether data is that of a light, without building its capabilities.
    package static func isLight(_ data: JSONObject) -> Bool {
        hasState(data) && data["kind"] != switchKind
    }

    /// Whether data is that of a thing with on and off, a light or not.
    package static func hasState(_ data: JSONObject) -> Bool {
        has("on", in: data) || has("brightness", in: data) || has("color", in: data)
            || ThingAppearance.storedTemperature(of: data) != nil
    }

    /// Whether it has on and off, a light or not.
    package var hasState: Bool { hasOn || hasBrightness || hasColour || hasTemperature }

    /// Whether any command applies to it.
    package var isDrivable: Bool { !settable.isEmpty || !actions.isEmpty }

    /// The action, if the thing offers it, or if it is a built-in one for something that the thing has.
    ///
    /// A built-in action for something that it lacks (`lighter` without brightness) is refused: the original
    /// server would store null, or crash.
    /// - Source: contrib/contract/flare-protocol.md, "6. Actions"; "8. What ends the original server".
    package func checked(action: String) -> Result<String, Refusal> {
        if actions.contains(action) || possibleActions.contains(action) { return .success(action) }
        let others = possibleActions.subtracting(actions).sorted()
        let hint = NearestName.hint(for: action, among: actions + others)
        let moves = BuiltInAction.moves.map(\.rawValue).filter(others.contains)
        let legal = actions.isEmpty ? others.filter { !moves.contains($0) } : actions
        var list = legal.isEmpty ? "it has no actions" : "it has \(QuotedValue.list(legal))"
        if !moves.isEmpty, legal.isEmpty {
            list += " of its own; \(QuotedValue.list(moves)) move its place by 1 m"
        }
        return .failure(
            Refusal(
                .unknownAction,
                "\(QuotedValue.of(action)) is not an action of this thing\(hint.isEmpty ? ";" : hint) \(list)",
                field: "action"
            )
        )
    }
}

extension ThingCapabilities.Kind {
    fileprivate init(of property: ThingProperty) {
        self =
            switch (property.control, property.type) {
            case (.switch, _): .state
            case (.colourPicker, _): .colour
            case (_, .boolean): .bool
            case (_, .integer), (_, .decimal): .number
            case (_, .text), (_, .unknown): .text
            }
    }

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

    /// Whether it is an attribute of a light rather than a plain data key.
    fileprivate var isOfLight: Bool {
        switch self {
        case .state, .brightness, .level, .colour, .temperature: true
        case .bool, .number, .text, .list, .object: false
        }
    }
}
