package import Flare
import JSON
import Text

/// Requests to a thing with a profile.
extension ThingRequest {
    /// What one attribute means.
    fileprivate enum Meaning {
        /// A part of the light, under a name of the contract.
        case light(AttributeValue, as: String)
        /// A write in the form of a plain light.
        case write(DataWrite, key: String)
        /// It is as it should be.
        case nothing
    }

    /// The accepted values of a request.
    fileprivate struct Accepted {
        /// Parts of the light by their names in the contract, with the attributes that gave them.
        var light: [String: (value: AttributeValue, attribute: String)] = [:]
        var writes: [String: DataWrite] = [:]
        /// By attribute.
        var shown: JSONObject = [:]
        var rejected: [String: Refusal] = [:]
    }

    func settled(
        on thing: FlareThing,
        of kind: ThingKind,
        _ capabilities: ThingCapabilities
    ) -> Result<ThingSetting, Refusal> {
        var accepted = Accepted()
        for (name, value) in attributes.sorted(by: { $0.key < $1.key }) {
            do throws(Refusal) {
                let (meaning, shown) = try self.meaning(of: value, name, on: thing, kind, capabilities)
                try accepted.add(meaning, shown, name)
            } catch {
                accepted.rejected[name] = error
            }
        }
        for problem in contradictions(in: accepted.light.mapValues(\.value)) {
            guard let field = problem.field, let name = accepted.light[field]?.attribute else { continue }
            accepted.rejected[name] = Refusal(problem.code, problem.message, field: name)
        }
        for name in accepted.rejected.keys { accepted.shown[name] = nil }
        accepted.light = accepted.light.filter { accepted.shown[$0.value.attribute] != nil }
        guard !accepted.shown.isEmpty, isPartial || accepted.rejected.isEmpty else {
            return .failure(Self.summary(of: accepted.rejected, capabilities: capabilities))
        }
        let values = accepted.light.mapValues(\.value)
        var writes = writes(for: values, on: kind.canonical(thing))
        if values["state"] == nil, values["on"] == nil, kind.isLight, case .value(let isOn)? = writes["on"] {
            accepted.shown["state"] = isOn == true ? "ON" : "OFF"
        }
        // What is not the light's, and a number that stands for itself.
        for (key, write) in accepted.writes { writes[key] = write }
        return .success(
            ThingSetting(
                writes: writes,
                accepted: accepted.shown,
                rejected: accepted.rejected,
                transition: transition
            )
        )
    }

    private func meaning(
        of value: JSONValue,
        _ name: String,
        on thing: FlareThing,
        _ kind: ThingKind,
        _ capabilities: ThingCapabilities
    ) throws(Refusal) -> (Meaning, shown: JSONValue) {
        guard let property = kind.property(named: name, of: thing) else {
            guard name == "effect", let effect = kind.effect(of: thing) else {
                return try light(value, name, on: thing, kind, capabilities)
            }
            let (meaning, shown) = try self.meaning(of: value, effect.name, on: thing, kind, capabilities)
            return (meaning, .string(effect.actions.first { $0.value == shown }?.name ?? shown.text))
        }
        guard !property.isReadOnly else {
            throw Self.refusal(of: name, on: thing, kind, capabilities)
        }
        let key = kind.canonicalKey(name)
        switch key {
        case "color":
            let colour = try ColourValue(parsing: value, palette: capabilities.palette)
            return (.light(.colour(colour), as: "color"), .string(colour.stored))
        case "colorTemperature":
            let number = try PropertyValue.number(value, property)
            guard let temperature = kind.temperature(of: number) else { break }
            return (.light(.temperature(temperature), as: "color_temp"), number)
        case "brightness" where kind.isLight && name == "brightness":
            return try light(value, name, on: thing, kind, capabilities)
        case "brightness" where kind.isLight:
            let number = try PropertyValue.number(value, property)
            let level = kind.level(of: number) ?? 0
            // Darkness stands for itself: who sets the property itself means its value.
            guard level > 0 else { return (.write(.value(.number(0)), key: key), number) }
            return (.light(.level(level, shown: number), as: "level"), number)
        default: break
        }
        if property.canStop, value.string?.trimmingSpace.uppercased() == "STOP" {
            guard let stop = property.actions.first(where: { $0.name == "stop" }) else {
                return (.nothing, "STOP")
            }
            return (.write(.value(stop.value), key: key), stop.value)
        }
        let switching = kind.switching(of: name)
        let legal = try PropertyValue(value, for: property, switching, plainText: plainText)
        let state: AttributeValue.State
        switch legal {
        case .stored(let stored):
            switch key == "on" ? switching.state(of: stored) : nil {
            case true?: state = .on
            case false?: state = .off
            case nil: return (.write(.value(stored), key: key), stored)
            }
        case .on: state = .on
        case .off: state = .off
        case .toggle: state = .toggle
        }
        let stored = switching.value(isOn: state == .on, like: thing.data[name])
        guard let stored else {
            throw Refusal(
                .invalidValue,
                "no action of \(name) means \(state.rawValue); it has \(QuotedValue.list(property.actions.map(\.name)))",
                field: name
            )
        }
        let shown = state == .toggle ? "TOGGLE" : stored
        if key == "on" { return (.light(.state(state, name: "on"), as: "on"), shown) }
        return (.write(state == .toggle ? .toggle : .value(stored), key: key), shown)
    }

    /// A name of the contract for a part of a light.
    private func light(
        _ value: JSONValue,
        _ name: String,
        on thing: FlareThing,
        _ kind: ThingKind,
        _ capabilities: ThingCapabilities
    ) throws(Refusal) -> (Meaning, shown: JSONValue) {
        let legal: AttributeValue
        switch (name, capabilities.attributes[name]) {
        case ("state", .state?): legal = .state(try AttributeValue.state(value, name), name: name)
        case ("brightness", .brightness?): legal = try AttributeValue.brightness(value)
        case ("level", .level?): legal = try AttributeValue.level(value)
        case ("color", .colour?):
            legal = .colour(try ColourValue(parsing: value, palette: capabilities.palette))
        case ("color_temp", .temperature?):
            let wanted = try AttributeValue.temperature(value)
            legal = .temperature(kind.settled(wanted))
        default: throw Self.refusal(of: name, on: thing, kind, capabilities)
        }
        return (.light(legal, as: name), legal.shown)
    }

    /// The refusal of a name that cannot be set.
    private static func refusal(
        of name: String,
        on thing: FlareThing,
        _ kind: ThingKind,
        _ capabilities: ThingCapabilities
    ) -> Refusal {
        let label = thing.name.isEmpty ? "this thing" : QuotedValue.of(thing.name)
        let list =
            capabilities.settable.isEmpty
            ? "nothing of it can be set" : "it has \(QuotedValue.list(capabilities.settable))"
        func notSettable(_ why: String) -> Refusal {
            Refusal(
                .notSettable,
                "\(QuotedValue.of(name)) of \(label) \(why) and cannot be set; \(list)",
                field: name
            )
        }
        if ThingCapabilities.profileKeys.contains(name) {
            return AttributeValue.choosesProfile(name, of: label, list)
        }
        if ThingCapabilities.placeKeys.contains(name), thing.data[name] != nil {
            return notSettable("belongs to the place")
        }
        if kind.property(named: name, of: thing) != nil { return notSettable("is only reported") }
        if thing.data[name] != nil {
            return notSettable("is not managed by the profile \(QuotedValue.of(kind.name))")
        }
        let hint = NearestName.hint(for: name, among: capabilities.settable)
        return Refusal(
            .unknownAttribute,
            "\(label) has no attribute \(QuotedValue.of(name))\(hint.isEmpty ? ";" : hint) \(list)",
            field: name
        )
    }

    // MARK: Actions

    /// What an action of a property sets.
    package static func setting(of action: ThingAction, on thing: FlareThing, kind: ThingKind)
        -> ThingSetting?
    {
        guard let name = action.property, let value = action.value else { return nil }
        let key = kind.canonicalKey(name)
        let seen: JSONValue =
            switch key {
            case "on": kind.switching(of: name).state(of: value).map { .bool($0) } ?? value
            case "brightness": kind.level(of: value).map { .number($0) } ?? value
            case "colorTemperature": kind.temperature(of: value).map { JSONValue($0.kelvin) } ?? value
            default: value
            }
        var writes: [String: DataWrite] = [key: .value(seen)]
        // As with a brightness that is set: light is on.
        if key == "brightness", kind.isLight, let level = seen.number, level > 0 {
            let values: [String: AttributeValue] = ["level": .level(level, shown: value)]
            writes = ThingRequest(attributes: [:]).writes(for: values, on: kind.canonical(thing))
        }
        if key == "colorTemperature", let temperature = kind.temperature(of: value) {
            writes = ThingRequest(attributes: [:])
                .writes(for: ["color_temp": .temperature(temperature)], on: kind.canonical(thing))
        }
        return ThingSetting(writes: writes, accepted: ["action": .string(action.name), name: value])
    }
}

extension ThingRequest.Accepted {
    /// Adds one attribute; refused when another one gives the same value.
    fileprivate mutating func add(
        _ meaning: ThingRequest.Meaning,
        _ shown: JSONValue,
        _ attribute: String
    ) throws(Refusal) {
        var other: String?
        switch meaning {
        case .light(let value, let name):
            other = light[name]?.attribute
            if other == nil { light[name] = (value, attribute) }
        case .nothing: break
        case .write(let write, let key):
            if writes[key] != nil || light[key] != nil || key == "brightness" && light["level"] != nil {
                other = light[key]?.attribute ?? light["level"]?.attribute ?? key
            }
            if other == nil { writes[key] = write }
        }
        if let other {
            throw Refusal(
                .invalidValue,
                "\(attribute) and \(other) are two names for one value; give one of them",
                field: attribute
            )
        }
        self.shown[attribute] = shown
    }
}

extension ThingKind {
    /// The level of a stored brightness.
    fileprivate func level(of value: JSONValue) -> Double? { storage.parts.level(of: value) }

    /// The colour temperature of a stored value.
    fileprivate func temperature(of value: JSONValue) -> ColourTemperature? {
        storage.parts.scale?.temperature(of: value)
    }

    /// The nearest colour temperature that the light can show.
    fileprivate func settled(_ temperature: ColourTemperature) -> ColourTemperature {
        storage.parts.scale?.settled(temperature) ?? temperature
    }

    func switching(of name: String) -> SwitchValues {
        storage.index[name].map { storage.properties[$0].switching } ?? SwitchValues([])
    }
}
