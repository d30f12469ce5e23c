package import Flare
package import JSON

/// The effect of a built-in action on a thing when it is sent as a command.
///
/// It equals the server's own action, except where that is unhelpful: `darker` stops above 0, `on` restores a
/// brightness, and the colours continue from the nearest of the palette.
package struct ActionOutcome: Sendable, Hashable {
    /// What to store because the server's own action would differ; `nil` where it does not.
    package let patch: ThingPatch?
    /// The new values in the terms of the contract.
    package let shown: JSONObject

    /// - Parameter resting: The brightness of the light when it is on, if it differs from the stored one: 0…1.
    /// - Returns: `nil` for an action that is not built in or has no effect.
    package init?(of name: String, on thing: FlareThing, _ shape: ThingShape, resting: Double?) {
        guard let action = BuiltInAction(rawValue: name) else { return nil }
        let own = Self.patch(of: action, on: thing, shape, resting)
        let effect = action.effect(position: thing.position, data: shape.plainData(of: thing.data))
        var theirs: ThingPatch?
        switch effect {
        case .position(let position)? where own == nil:
            patch = nil
            shown = ["position": position.json]
            return
        case .data(let key, let value)? where !value.isNull: theirs = ThingPatch(key, value)
        case .position?, .data?, nil: break
        }
        guard let change = own ?? theirs else { return nil }
        // The server knows nothing of profiles: what it would do to a light is always stored from here.
        let isOurs = shape.kind == nil ? own != nil && own != theirs : change.hasLight
        guard !isOurs || shape.parts.have(change) else { return nil }
        patch = isOurs ? change : nil
        shown = shape.kind == nil || isOurs ? shape.shown(change, on: thing.data) : change.values
    }

    private static func patch(
        of action: BuiltInAction,
        on thing: FlareThing,
        _ shape: ThingShape,
        _ resting: Double?
    ) -> ThingPatch? {
        switch action {
        case .on, .off:
            return shape.resolved(
                ThingPatch(state: action == .on ? .on : .off),
                on: thing.data,
                resting: resting
            )
        case .darker:
            // A step is the least brightness; a lower one is kept.
            return shape.light(of: thing.data).level.map {
                ThingPatch(level: max(($0 * 10 - 1) / 10, min($0, 0.1)))
            }
        case .nextColor: return colour(of: thing, shape, step: 1)
        case .previousColor: return colour(of: thing, shape, step: -1)
        case .lighter, .clockwise, .counterclockwise, .north, .south, .east, .west, .up, .down: return nil
        }
    }

    /// The next colour of the palette after the one nearest to the thing's; the first or last when the
    /// thing's colour is unknown.
    private static func colour(of thing: FlareThing, _ shape: ThingShape, step: Int) -> ThingPatch? {
        let palette = shape.palette
        guard !palette.isEmpty else { return nil }
        let present = shape.light(of: thing.data).colour
        let index: Int?
        if let same = palette.firstIndex(where: { .string($0) == present }) {
            index = same
        } else {
            let colour = RGBColour(drawn: present)
            let distances = palette.enumerated().compactMap { index, name -> (index: Int, distance: Int)? in
                guard let colour, let offered = RGBColour(drawn: .string(name)) else { return nil }
                return (index, colour.squaredDistance(to: offered))
            }
            index = distances.min { ($0.distance, $0.index) < ($1.distance, $1.index) }?.index
        }
        let start = index ?? (step > 0 ? -1 : 0)
        return ThingPatch(colour: .string(palette[(start + step + palette.count) % palette.count]))
    }
}

extension ThingPatch {
    /// What an action of the server stores.
    fileprivate init(_ key: String, _ value: JSONValue) {
        self.init()
        switch key {
        case "on": state = value == true ? .on : .off
        case "brightness": level = value.number
        case "color": colour = value
        default: values = [key: value]
        }
    }
}

extension ThingShape {
    /// The data as a server sees those of a light without a profile.
    fileprivate func plainData(of data: JSONObject) -> JSONObject {
        guard kind != nil else { return data }
        let light = light(of: data)
        var plain = data.filter { !DataKey.light.contains($0.key) }
        plain["brightness"] = light.level.map { .number($0) }
        plain["color"] = light.colour
        return plain
    }
}
