package import Flare
package import JSON

/// The effect of a built-in action on a thing when it is sent as a command.
///
/// It equals the server's own action, except where that is unhelpful: `darker` stops above 0, `on` restores a
/// brightness, and the colours continue from the nearest of the palette.
package struct ActionOutcome: Sendable, Hashable {
    /// The values to store because the server's own action would differ; `nil` where it does not.
    package let values: JSONObject?
    /// The new values in the terms of the contract.
    package let shown: JSONObject

    /// - Parameters:
    ///   - resting: The brightness of the light when it is on, if it differs from the stored one: 0…1.
    ///   - kind: The thing's profile; then the values are in the form of a plain light.
    /// - Returns: `nil` for an action that is not built in or has no effect.
    package init?(of name: String, on thing: FlareThing, resting: Double?, kind: ThingKind? = nil) {
        guard let action = BuiltInAction(rawValue: name) else { return nil }
        if let kind {
            self.init(of: action, on: thing, resting: resting, kind)
        } else {
            self.init(of: action, on: thing, resting: resting)
        }
    }

    /// The server knows nothing of profiles: what it would do to a light is always stored from here.
    private init?(of action: BuiltInAction, on thing: FlareThing, resting: Double?, _ kind: ThingKind) {
        let seen = kind.canonical(thing)
        guard let outcome = Self(of: action, on: seen, resting: resting) else { return nil }
        var values = outcome.values
        if values == nil, case .data(let key, let value)? = action.effect(position: nil, data: seen.data),
            ThingCapabilities.lightKeys.contains(key), !value.isNull
        {
            values = [key: value]
        }
        let isKnown = values.map { $0.keys.allSatisfy { kind.isPart($0) } } ?? true
        guard isKnown else { return nil }
        self.values = values
        shown = values.map { ThingAppearance.shown($0, on: thing, kind: kind) } ?? outcome.shown
    }

    private init?(of action: BuiltInAction, on thing: FlareThing, resting: Double?) {
        let effect = action.effect(position: thing.position, data: thing.data)
        let own = Self.values(of: action, on: thing, resting: resting)
        switch (own, effect) {
        case (let own?, .data(let key, let value)?) where own == [key: value]:
            values = nil
            shown = ThingAppearance.shown(own, on: thing)
        case (let own?, _):
            values = own
            shown = ThingAppearance.shown(own, on: thing)
        case (nil, .data(let key, let value)?) where !value.isNull:
            values = nil
            shown = ThingAppearance.shown([key: value], on: thing)
        case (nil, .position(let position)?):
            values = nil
            shown = ["position": position.json]
        case (nil, .data?), (nil, nil): return nil
        }
    }

    private static func values(
        of action: BuiltInAction,
        on thing: FlareThing,
        resting: Double?
    ) -> JSONObject? {
        switch action {
        case .on, .off:
            let writes: [String: DataWrite] = ["on": .value(.bool(action == .on))]
            return writes.resolved(on: thing.data, resting: resting)
        case .darker:
            guard let level = ThingAppearance.level(of: thing.data) else { return nil }
            // A step is the least brightness; a lower one is kept.
            return ["brightness": .number(max((level * 10 - 1) / 10, min(level, 0.1)))]
        case .nextColor: return colour(of: thing, step: 1)
        case .previousColor: return colour(of: thing, step: -1)
        case .lighter, .clockwise, .counterclockwise, .north, .south, .east, .west, .up, .down: return nil
        }
    }

    /// The next colour of the palette after the one nearest to the thing's; the first or last when the
    /// thing's colour is unknown.
    private static func colour(of thing: FlareThing, step: Int) -> JSONObject? {
        let palette = ThingCapabilities(thing: thing).palette
        guard !palette.isEmpty else { return nil }
        let index: Int?
        if let same = palette.firstIndex(where: { .string($0) == thing.data["color"] }) {
            index = same
        } else {
            let colour = ThingAppearance.drawn(thing.data["color"])
            let distances = palette.enumerated().compactMap { index, name -> (index: Int, distance: Int)? in
                guard let colour, let offered = ThingAppearance.drawn(.string(name)) else { return nil }
                return (index, colour.squaredDistance(to: offered))
            }
            index = distances.min { ($0.distance, $0.index) < ($1.distance, $1.index) }?.index
        }
        let start = index ?? (step > 0 ? -1 : 0)
        return ["color": .string(palette[(start + step + palette.count) % palette.count])]
    }
}

extension ThingAppearance {
    /// Values of a thing's data in the terms of the contract, as they will be stored.
    /// - Parameter kind: The thing's profile; then the values are in the form of a plain light, and are shown under
    ///   their properties' names too.
    package static func shown(
        _ values: JSONObject,
        on thing: FlareThing,
        kind: ThingKind? = nil
    ) -> JSONObject {
        guard let kind else { return shown(plain: values, on: thing) }
        let light = values.filter { ThingCapabilities.lightKeys.contains($0.key) }
        var stored = kind.stored(values, in: thing.data)
        if kind.name(ofCanonical: "on") == "on" { stored["on"] = nil }
        return stored.merging(shown(plain: light, on: kind.canonical(thing))) { $1 }
    }

    private static func shown(plain values: JSONObject, on thing: FlareThing) -> JSONObject {
        let data = thing.data.merging(values) { $1 }
        var shown: JSONObject = [:]
        for (key, value) in values {
            switch key {
            case "on": shown["state"] = isOn(data) ? "ON" : "OFF"
            case "brightness": shown["brightness"] = brightness(of: data).map { JSONValue($0) } ?? value
            case "colorTemperature": shown["color_temp"] = value
            case "color" where temperature(of: data) != nil: break
            default: shown[key] = value
            }
        }
        return shown
    }
}
