package import Flare
import JSON
import Text

extension ThingRequest {
    /// The longest transition, seconds.
    package static let longestTransition = 3600.0
    /// Most attributes in a request.
    private static let mostAttributes = 100
    /// So many attributes that cannot be set are told what can be set instead; the others are told that they cannot.
    private static let mostExplained = 3

    /// Validates the request for a thing: what to change, or the refusal.
    ///
    /// Either all attributes are valid or nothing is set, unless the request is partial: then the invalid
    /// ones are listed, and the request is refused only if none is valid.
    /// - Source: contrib/contract/mqtt.md, "Rule 1: every command gets one answer";
    ///   "Values that set accepts".
    package func settled(on thing: FlareThing, _ shape: ThingShape) -> Result<ThingSetting, Refusal> {
        if let refusal = transitionProblem { return .failure(refusal) }
        guard attributes.count <= Self.mostAttributes else {
            return .failure(
                Refusal(
                    .tooLarge,
                    "\(attributes.count) attributes in one request; at most \(Self.mostAttributes) are read"
                )
            )
        }
        let light = shape.light(of: thing.data)
        if let request = darkened(light, shape) {
            return request.settled(on: thing, shape).map { setting in
                var setting = setting
                if attributes["color"] == nil { setting.accepted["color"] = nil }
                setting.accepted["brightness"] = attributes["brightness"]
                return setting
            }
        }
        var accepted = AcceptedAttributes()
        for (name, value) in attributes {
            do throws(Refusal) {
                let isExplained = accepted.rejected.count < Self.mostExplained
                let (meaning, shown) = try meaning(of: value, name, on: thing, shape, isExplained)
                try accepted.add(meaning, shown, name)
            } catch {
                accepted.rejected[name] = name == "state" ? Self.hinted(error, value, shape) : error
            }
        }
        accepted.removeContradictions()
        guard !accepted.shown.isEmpty, isPartial || accepted.rejected.isEmpty else {
            return .failure(Self.summary(of: accepted.rejected, shape))
        }
        let patch = accepted.patch(on: light, shape)
        // The state that a brightness implies.
        if !accepted.hasState, let state = patch.state {
            accepted.shown["state"] = state == .on ? "ON" : "OFF"
        }
        return .success(
            ThingSetting(
                patch: patch,
                accepted: accepted.shown,
                rejected: accepted.rejected,
                transition: transition
            )
        )
    }

    /// The request with the brightness as a part of the colour, for a light that has a colour alone; `nil` for any other.
    private func darkened(_ light: LightValues, _ shape: ThingShape) -> ThingRequest? {
        guard shape.isLight, shape.attributes["color"] == .colour, !shape.hasBrightness,
            shape.attributes["brightness"] == nil, let value = attributes["brightness"],
            attributes["level"] == nil, attributes["color_temp"] == nil,
            case .level(let level, _)? = try? AttributeValue.brightness(value)
        else { return nil }
        var request = self
        request.attributes["brightness"] = nil
        guard level > 0 else {
            request.attributes["state"] = request.attributes["state"] ?? "OFF"
            return request
        }
        let given = attributes["color"].flatMap {
            try? ColourValue(parsing: $0, palette: shape.palette).rgb
        }
        let colour = given ?? RGBColour(drawn: light.colour) ?? RGBColour(red: 255, green: 255, blue: 255)
        let (hue, saturation, _) = colour.hueSaturationValue
        let dark = RGBColour(hue: hue, saturation: saturation, value: level)
        request.attributes["color"] = .string(dark.hexText)
        return request
    }

    private var transitionProblem: Refusal? {
        guard let transition, !(0...Self.longestTransition).contains(transition) else { return nil }
        return Refusal(
            .outOfRange,
            "transition must be 0 to 3600 seconds (is \(QuotedValue.of(.number(transition))))",
            field: "transition"
        )
    }

    /// One refusal for all invalid fields: code and field of the first by name, sentences of up to three.
    private static func summary(of rejected: [String: Refusal], _ shape: ThingShape) -> Refusal {
        let problems = rejected.sorted { $0.key < $1.key }.map(\.value)
        guard let first = problems.first else {
            let legal =
                shape.settable.isEmpty
                ? "nothing of this thing can be set" : "this thing has \(QuotedValue.list(shape.settable))"
            return Refusal(.invalidValue, "no attribute to set was given; \(legal)")
        }
        var sentences: [String] = []
        for problem in problems where !sentences.contains(problem.message) {
            sentences.append(problem.message)
        }
        let more = sentences.count > 3 ? "; and \(sentences.count - 3) more" : ""
        return Refusal(first.code, sentences.prefix(3).joined(separator: "; ") + more, field: first.field)
    }

    /// The refusal of a state that is the name of an attribute: on the command line, a word alone is the state.
    private static func hinted(_ refusal: Refusal, _ value: JSONValue, _ shape: ThingShape) -> Refusal {
        guard let word = value.string, shape.settable.contains(word) else { return refusal }
        let example = ["color": "red", "brightness": "40%"][word] ?? "…"
        return Refusal(refusal.code, "\(word) needs a value: \(word)=\(example)", field: refusal.field)
    }

    // MARK: One attribute

    /// What an attribute means, and how it is shown when it is accepted.
    private func meaning(
        of value: JSONValue,
        _ name: String,
        on thing: FlareThing,
        _ shape: ThingShape,
        _ isExplained: Bool
    ) throws(Refusal) -> (AcceptedAttributes.Meaning, shown: JSONValue) {
        if let property = shape.property(named: name) {
            return try meaning(of: value, property, on: thing, shape, isExplained)
        }
        if name == "effect", let effect = shape.effect {
            let (meaning, shown) = try meaning(of: value, effect, on: thing, shape, isExplained)
            return (meaning, .string(effect.actions.first { $0.value == shown }?.name ?? shown.text))
        }
        let legal: AttributeValue
        switch shape.attributes[name] ?? (name == "on" && shape.kind == nil && shape.hasOn ? .state : nil) {
        case .state?: legal = .state(try AttributeValue.state(value, name), name: name)
        case .brightness?: legal = try AttributeValue.brightness(value)
        case .level?: legal = try AttributeValue.level(value)
        case .colour?: legal = .colour(try ColourValue(parsing: value, palette: shape.palette))
        case .temperature?:
            let wanted = try AttributeValue.temperature(value)
            legal = .temperature(shape.parts.scale?.settled(wanted) ?? wanted)
        case .bool?:
            let flag = try AttributeValue.flag(value, name)
            return (.value(flag, key: name), flag)
        case .number?, .text?, .list?, .object?:
            let stored = try AttributeValue.plain(value, name, shape.attributes[name])
            return (.value(stored, key: name), stored)
        case nil: throw shape.refusal(of: name, on: thing, isExplained)
        }
        return (.light(legal, as: name), legal.shown)
    }

    private func meaning(
        of value: JSONValue,
        _ property: ThingProperty,
        on thing: FlareThing,
        _ shape: ThingShape,
        _ isExplained: Bool
    ) throws(Refusal) -> (AcceptedAttributes.Meaning, shown: JSONValue) {
        let (name, parts) = (property.name, shape.parts)
        guard !property.isReadOnly else { throw shape.refusal(of: name, on: thing, isExplained) }
        switch name as String? {
        case parts.colour:
            let colour = try ColourValue(parsing: value, palette: shape.palette)
            return (.light(.colour(colour), as: "color"), .string(colour.stored))
        case parts.temperature:
            let number = try PropertyValue.number(value, property)
            guard let temperature = parts.scale?.temperature(of: number) else { break }
            return (.light(.temperature(temperature), as: "color_temp"), number)
        case parts.brightness where name == "brightness":
            let level = try AttributeValue.brightness(value)
            return (.light(level, as: name), level.shown)
        case parts.brightness:
            let number = try PropertyValue.number(value, property)
            let level = parts.level(of: number) ?? 0
            // Darkness stands for itself: who sets the property itself means its value.
            return (level > 0 ? .light(.level(level, shown: number), as: "level") : .darkness, number)
        default: break
        }
        if property.canStop, value.string?.trimmingSpace.uppercased() == "STOP" {
            guard let stop = property.actions.first(where: { $0.name == "stop" }) else {
                return (.nothing, "STOP")
            }
            return (.value(stop.value, key: name), stop.value)
        }
        let switching = shape.switching(of: name)
        let state: AttributeValue.State
        switch try PropertyValue(value, for: property, switching, plainText: plainText) {
        case .stored(let stored):
            switch name == parts.state ? switching.state(of: stored) : nil {
            case true?: state = .on
            case false?: state = .off
            case nil: return (.value(stored, key: name), stored)
            }
        case .state(let given): state = given
        }
        guard let stored = switching.value(isOn: state == .on, like: thing.data[name]) else {
            throw Refusal(
                .invalidValue,
                "no action of \(name) means \(state.rawValue); it has \(QuotedValue.list(property.actions.map(\.name)))",
                field: name
            )
        }
        let shown = state == .toggle ? "TOGGLE" : stored
        if name == parts.state { return (.light(.state(state, name: "on"), as: "on"), shown) }
        return (state == .toggle ? .toggle(key: name) : .value(stored, key: name), shown)
    }
}

extension ThingShape {
    /// The stored values of a switch of the profile.
    func switching(of name: String) -> SwitchValues { kind?.switching(of: name) ?? SwitchValues([]) }

    /// The refusal of a name that cannot be set.
    ///
    /// - Parameter isExplained: Whether it says what can be set.
    fileprivate func refusal(of name: String, on thing: FlareThing, _ isExplained: Bool) -> Refusal {
        let label = thing.name.isEmpty ? "this thing" : QuotedValue.of(thing.name)
        var list: String {
            !isExplained
                ? ""
                : settable.isEmpty ? "; nothing of it can be set" : "; it has \(QuotedValue.list(settable))"
        }
        func notSettable(_ why: String) -> Refusal {
            let message = "\(QuotedValue.of(name)) \(why) and cannot be set\(list)"
            return Refusal(.notSettable, message, field: name)
        }
        if DataKey.profile.contains(name) { return notSettable("says what kind of thing \(label) is") }
        let isThere = thing.data[name] != nil
        let isReported = kind == nil ? DataKey.isReported(name, in: thing.data) : property(named: name) != nil
        let isOfPlace =
            isThere && (kind == nil ? DataKey.isFixed(name, in: thing.data) : DataKey.isOfPlace(name))
        if isOfPlace, kind != nil || !isReported { return notSettable("of \(label) belongs to the place") }
        if isReported { return notSettable("of \(label) is only reported") }
        if let kind, isThere {
            return notSettable("of \(label) is not managed by the profile \(QuotedValue.of(kind.name))")
        }
        let isOptional = kind?.allProperties.contains { $0.isOptional && $0.name == name } ?? false
        if let kind, isOptional {
            return Refusal(
                .unknownAttribute,
                "\(QuotedValue.of(name)) is optional in the profile \(QuotedValue.of(kind.name)), and \(label) does not "
                    + "have it: give its data \(QuotedValue.of(name))\(list)",
                field: name
            )
        }
        let hint = isExplained ? NearestName.hint(for: name, among: settable) : ""
        // After a question the list is no clause of its own.
        let legal = hint.isEmpty ? list : String(list.dropFirst())
        return Refusal(
            .unknownAttribute,
            "\(label) has no attribute \(QuotedValue.of(name))\(hint)\(legal)",
            field: name
        )
    }
}
