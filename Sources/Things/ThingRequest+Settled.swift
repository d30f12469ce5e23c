package import Flare
import JSON
import Text

extension ThingRequest {
    /// The longest transition, seconds.
    package static let longestTransition = 3600.0
    /// Most attributes in a request.
    private static let mostAttributes = 100

    /// Validates the request for a thing: the values to store in Flare's data, or the refusal.
    ///
    /// Either all attributes are valid or nothing is set, unless the request is partial: then the invalid
    /// ones are listed, and the request is refused only if none is valid.
    /// - Source: contrib/contract/mqtt.md, "Rule 1: every command gets one answer";
    ///   "Values that set accepts".
    /// - Parameter kind: The thing's profile; then the values to store are in the form of a plain light.
    package func settled(on thing: FlareThing, kind: ThingKind? = nil) -> Result<ThingSetting, Refusal> {
        if let refusal = transitionProblem { return .failure(refusal) }
        guard attributes.count <= Self.mostAttributes else {
            return .failure(
                Refusal(
                    .tooLarge,
                    "\(attributes.count) attributes in one request; at most \(Self.mostAttributes) are read"
                )
            )
        }
        let capabilities = ThingCapabilities(thing: thing, kind: kind)
        if let request = darkened(on: thing, kind, capabilities) {
            return request.settled(on: thing, kind: kind).map { setting in
                var setting = setting
                if attributes["color"] == nil { setting.accepted["color"] = nil }
                setting.accepted["brightness"] = attributes["brightness"]
                return setting
            }
        }
        if let kind { return settled(on: thing, of: kind, capabilities) }
        var values: [String: AttributeValue] = [:]
        var rejected: [String: Refusal] = [:]
        for (name, value) in attributes {
            do throws(Refusal) {
                values[name] = try AttributeValue(value, named: name, of: capabilities, thing: thing)
            } catch {
                rejected[name] = error
            }
        }
        for refusal in contradictions(in: values) {
            rejected[refusal.field ?? ""] = refusal
        }
        for name in rejected.keys { values[name] = nil }
        guard !values.isEmpty, isPartial || rejected.isEmpty else {
            return .failure(Self.summary(of: rejected, capabilities: capabilities))
        }
        let writes = writes(for: values, on: thing)
        var accepted = JSONObject(values.mapValues(\.shown))
        // The state that a brightness implies.
        if values["state"] == nil, values["on"] == nil, case .value(let isOn)? = writes["on"] {
            accepted["state"] = isOn == true ? "ON" : "OFF"
        }
        return .success(
            ThingSetting(
                writes: writes,
                accepted: accepted,
                rejected: rejected,
                transition: transition
            )
        )
    }

    /// The request with the brightness as a part of the colour, for a light that has a colour alone; `nil` for any other.
    private func darkened(on thing: FlareThing, _ kind: ThingKind?, _ capabilities: ThingCapabilities)
        -> ThingRequest?
    {
        guard capabilities.isLight, capabilities.attributes["color"] == .colour, !capabilities.hasBrightness,
            capabilities.attributes["brightness"] == nil, let value = attributes["brightness"],
            attributes["level"] == nil, attributes["color_temp"] == nil,
            case .level(let level, _)? = try? AttributeValue.brightness(value)
        else { return nil }
        var request = self
        request.attributes["brightness"] = nil
        guard level > 0 else {
            request.attributes["state"] = request.attributes["state"] ?? "OFF"
            return request
        }
        let stored = kind?.canonical(thing.data) ?? thing.data
        let given = attributes["color"].flatMap {
            try? ColourValue(parsing: $0, palette: capabilities.palette).rgb
        }
        let colour =
            given ?? ThingAppearance.drawn(stored["color"]) ?? RGBColour(red: 255, green: 255, blue: 255)
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

    /// Contradicting pairs, once for each of their fields.
    func contradictions(in values: [String: AttributeValue]) -> [Refusal] {
        func both(_ first: String, _ second: String, _ why: String) -> [Refusal] {
            [first, second].map {
                Refusal(.invalidValue, "\(first) and \(second) \(why)", field: $0)
            }
        }
        var problems: [Refusal] = []
        if values["brightness"] != nil, values["level"] != nil {
            problems += both("brightness", "level", "are two names for one value; give one of them")
        }
        if values["color"] != nil, values["color_temp"] != nil {
            problems += both("color", "color_temp", "are two kinds of light; give one of them")
        }
        guard case .state(let state, let stateName)? = values["state"] ?? values["on"] else {
            return problems
        }
        if case .state(let on, _)? = values["on"], on != state {
            problems += both("state", "on", "contradict each other; give one of them")
        }
        for name in ["brightness", "level"] {
            guard case .level(let level, _)? = values[name] else { continue }
            if state == .off, level > 0 {
                problems += both(
                    stateName,
                    name,
                    "contradict each other: OFF with a brightness above 0; send one of them"
                )
            } else if state != .off, level == 0 {
                problems += both(
                    stateName,
                    name,
                    "contradict each other: a brightness of 0 means OFF; send one of them"
                )
            }
        }
        return problems
    }

    func writes(for values: [String: AttributeValue], on thing: FlareThing) -> [String: DataWrite] {
        var writes: [String: DataWrite] = [:]
        for (name, value) in values {
            switch value {
            case .state(.toggle, _): writes["on"] = .toggle
            case .state(let state, _): writes["on"] = .value(.bool(state == .on))
            // Switching off keeps the brightness for later.
            case .level(0, _): writes["on"] = .value(false)
            case .level(let level, _): writes["brightness"] = .value(.number(level))
            case .colour(let colour): writes["color"] = .value(.string(colour.stored))
            case .temperature(let temperature):
                writes["colorTemperature"] = .value(JSONValue(temperature.kelvin))
                if ThingCapabilities.has("color", in: thing.data) {
                    writes["color"] = .value(.string(temperature.stored))
                }
            case .plain(let json): writes[name] = .value(json)
            }
        }
        // A brightness above 0 switches the light on, as it does with lamps.
        if writes["on"] == nil, writes["brightness"] != nil { writes["on"] = .value(true) }
        // Home Assistant sends "ON" with every colour and brightness; a light that is on needs no write for
        // it.
        if writes["on"] == .value(true),
            ["color", "colorTemperature", "brightness"].contains(where: { writes[$0] != nil })
        {
            var data = thing.data
            for case (let key, .value(let json)) in writes where key != "on" { data[key] = json }
            if ThingAppearance.isOn(data) { writes["on"] = nil }
        }
        return writes
    }

    /// One refusal for all invalid fields: code and field of the first by name, sentences of up to three.
    static func summary(of rejected: [String: Refusal], capabilities: ThingCapabilities) -> Refusal {
        let problems = rejected.sorted { $0.key < $1.key }.map(\.value)
        guard let first = problems.first else {
            let legal =
                capabilities.settable.isEmpty
                ? "nothing of this thing can be set"
                : "this thing has \(QuotedValue.list(capabilities.settable))"
            return Refusal(.invalidValue, "no attribute to set was given; \(legal)")
        }
        var sentences: [String] = []
        for problem in problems where !sentences.contains(problem.message) {
            sentences.append(problem.message)
        }
        let more = sentences.count > 3 ? "; and \(sentences.count - 3) more" : ""
        return Refusal(first.code, sentences.prefix(3).joined(separator: "; ") + more, field: first.field)
    }
}
