package import Flare
package import JSON
import Text

/// What a thing has, accepts and offers: as its profile says, or as its data do.
///
/// It does not depend on values, only on the keys and the types of the values; all things alike share one.
package final class ThingShape: Sendable {
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

    /// The colour mode of a light, as Home Assistant names it.
    package enum ColourMode: String, Sendable, Hashable {
        case rgb, brightness, onoff
        case temperature = "color_temp"
    }

    /// Its profile; `nil` for a thing that is what its data say.
    package let kind: ThingKind?
    /// Whether it is a light: it has state, brightness or colour, and its kind does not say otherwise.
    package let isLight: Bool
    package let hasOn: Bool
    package let hasBrightness: Bool
    package let hasColour: Bool
    package let hasTemperature: Bool
    /// Whether it can be dimmed: of a plain light, whether its brightness is a number.
    package let isDimmable: Bool
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
    /// The managed properties of its profile, in their order; optional ones only if it has a value for them.
    package let properties: [ThingProperty]
    /// The property with the effects of a light.
    package let effect: ThingProperty?
    let parts: LightParts
    /// Built-in actions that apply to it besides the offered ones.
    private let possibleActions: Set<String>

    /// What it follows from.
    private let form: ThingForm

    /// The palette of a thing that has none.
    /// - Source: contrib/contract/flare-protocol.md, "6. Actions".
    package static let defaultPalette = ["red", "orange", "yellow", "green", "blue", "purple"]

    /// Values of `data.kind` for things that are switched but are no light, such as a television.
    private static let switchKind: JSONValue = "switch"

    /// Works out the shape; ``ThingCatalog/shape(of:slug:)`` finds the one that is known already.
    /// - Parameter kind: The thing's profile, which then decides what it has.
    package convenience init(_ thing: FlareThing, kind: ThingKind? = nil) {
        if let kind { self.init(thing, of: kind) } else { self.init(plain: thing) }
    }

    private init(plain thing: FlareThing) {
        let reportedKeys = DataKey.reported(in: thing.data)
        // Null counts as absent: it has no type.
        let data = thing.data.filter { !$0.value.isNull && !reportedKeys.contains($0.key) }
        kind = nil
        form = ThingForm(thing, kind: nil)
        parts = LightParts(reported: reportedKeys)
        (properties, effect) = ([], nil)
        reported = reportedKeys.reduce(into: [:]) { kinds, key in
            if !DataKey.isFixed(key), let value = thing.data[key], !value.isNull {
                kinds[key] = Kind(of: value)
            }
        }
        let light = parts.values(in: thing.data)
        hasOn = data["on"] != nil
        hasBrightness = data["brightness"] != nil
        hasColour = data["color"] != nil
        hasTemperature = light.temperature != nil
        isDimmable = light.level != nil
        let hasState = hasOn || hasBrightness || hasColour || hasTemperature
        isLight = hasState && data["kind"] != Self.switchKind
        palette = hasColour ? Self.palette(in: data) : []

        var attributes: [String: Kind] = [:]
        for (key, value) in data where !DataKey.isFixed(key, in: data) { attributes[key] = Kind(of: value) }
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
        self.kind = kind
        form = ThingForm(thing, kind: kind)
        parts = kind.storage.parts
        let properties = kind.properties(of: thing)
        self.properties = properties
        let indices = kind.storage.partProperties
        func part(_ index: Int?) -> ThingProperty? {
            index.flatMap { kind.storage.properties[$0].resolved(in: thing.data) }
        }
        let (state, brightness, colour) = (
            part(indices.state), part(indices.brightness), part(indices.colour)
        )
        let (temperature, effect) = (part(indices.temperature), part(indices.effect))
        self.effect = effect
        isLight = kind.isLight
        hasOn = state != nil
        hasBrightness = brightness != nil
        // A part without a value can be set.
        isDimmable = brightness != nil
        hasColour = colour != nil
        hasTemperature = temperature != nil
        palette = hasColour ? Self.palette(in: thing.data) : []

        // The names of the contract first; a property of the same name that is not the light's goes before.
        var attributes: [String: Kind] = [:]
        var names: [String] = []
        func add(_ name: String, _ kind: Kind) {
            if attributes.updateValue(kind, forKey: name) == nil { names.append(name) }
        }
        let isSwitchable: Bool =
            if let switching = state ?? brightness {
                !switching.isReadOnly
            } else {
                parts.isSwitchedByColour && colour?.isReadOnly == false
            }
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

    private static func palette(in data: JSONObject) -> [String] {
        let options = data["options"]?.array?.compactMap(\.string) ?? []
        return options.isEmpty ? defaultPalette : options
    }

    /// Whether it has on and off, a light or not.
    package var hasState: Bool { hasOn || hasBrightness || hasColour || hasTemperature }

    /// Whether on and off have a key of their own.
    package var hasOwnState: Bool { parts.state != nil }

    /// Whether any command applies to it.
    package var isDrivable: Bool { !settable.isEmpty || !actions.isEmpty }

    /// The colour temperatures that it can show, kelvin.
    package var temperatureRange: ClosedRange<Int> { parts.scale?.range ?? ColourTemperature.range }

    /// Whether things of another shape are announced in the same way: the next value of a number may have a fraction.
    package func isLike(_ other: ThingShape) -> Bool { self === other || form.isLike(other.form) }

    func property(named name: String) -> ThingProperty? { properties.first { $0.name == name } }

    // MARK: Values

    /// The values of the light in data of this shape.
    package func light(of data: JSONObject) -> LightValues { parts.values(in: data) }

    /// `nil` for a thing that is not a light, and for a light whose colour is unknown.
    /// - Parameter rgb: The colour of a light that does not show a temperature.
    package func colourMode(of light: LightValues, _ rgb: RGBColour?) -> ColourMode? {
        guard isLight else { return nil }
        if light.shownTemperature != nil { return .temperature }
        if hasColour { return rgb.map { _ in .rgb } }
        // White light that has not told its temperature yet has none either.
        return hasTemperature ? nil : isDimmable ? .brightness : .onoff
    }

    /// The name of the present effect.
    package func effectName(in data: JSONObject) -> String? {
        effect.flatMap { effect in effect.actions.first { $0.value == data[effect.name] }?.name }
    }

    /// The values of the managed properties, as they are stored.
    package func values(in data: JSONObject) -> JSONObject {
        let keys = properties.map(\.name)
        return data.filter { !$0.value.isNull && keys.contains($0.key) }
    }

    // MARK: Actions

    /// The action, if the thing offers it, or if it is a built-in one for something that the thing has.
    ///
    /// A built-in action for something that it lacks (`lighter` without brightness) is refused: the original
    /// server would store null, or crash.
    /// - Source: contrib/contract/flare-protocol.md, "6. Actions"; "8. What ends the original server".
    package func checked(action: String) -> Result<String, Refusal> {
        if actions.contains(action) || possibleActions.contains(action) { return .success(action) }
        let others = possibleActions.subtracting(actions).sorted()
        let moves = BuiltInAction.moves.map(\.rawValue).filter(others.contains)
        let hint =
            NearestName.to(action, among: actions + others).map {
                "; did you mean \"\($0)\"\(moves.contains($0) ? ", which moves its place by 1 m" : "")?"
            } ?? ""
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

extension ThingShape.Kind {
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

    /// What the data accept where they have this value; null has no type.
    package init(of value: JSONValue) {
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
