package import JSON

/// A `set` command for a thing: attributes of the contract, as received.
package struct ThingRequest: Sendable, Hashable {
    /// `state`, `brightness`, `level`, `color`, or any key of the thing's data.
    package var attributes: JSONObject
    /// Duration of the transition in seconds; `nil` for none.
    package var transition: Double?
    /// Whether to set valid fields when others are invalid.
    package var isPartial: Bool
    /// The value as it was sent, if that was a plain text and the value is written otherwise: `1.50`.
    package var plainText: String?

    package init(
        attributes: JSONObject,
        transition: Double? = nil,
        isPartial: Bool = false,
        plainText: String? = nil
    ) {
        self.attributes = attributes
        self.transition = transition
        self.isPartial = isPartial
        self.plainText = plainText
    }
}

/// A value to store in a thing's data.
package enum DataWrite: Sendable, Hashable {
    case value(JSONValue)
    /// The opposite of the state at the time of writing.
    case toggle
}

extension [String: DataWrite] {
    /// The values to store in a thing's data, with toggles resolved and the brightness that a light restores.
    ///
    /// - Parameters:
    ///   - data: The thing's data; for one with a profile in the form of a plain light, as are the writes.
    ///   - resting: The brightness of the light when it is on, if it differs from the stored one: 0…1.
    ///   - kind: Its profile.
    package func resolved(
        on data: JSONObject,
        resting: Double?,
        kind: ThingKind? = nil
    ) -> JSONObject {
        var values: JSONObject = [:]
        for (key, write) in self {
            switch write {
            case .value(let value): values[key] = value
            case .toggle where key != "on": values[key] = kind?.toggled(key, in: data)
            case .toggle: values[key] = .bool(!ThingAppearance.isOn(data))
            }
        }
        guard let isOn = values["on"], values["brightness"] == nil,
            let level = ThingAppearance.level(of: data)
        else { return values }
        let goal = resting ?? (level > 0 || isOn != true ? level : 1)
        if goal != level { values["brightness"] = .number(goal) }
        return values
    }
}

/// A valid request in the terms of Flare's data.
package struct ThingSetting: Sendable, Hashable {
    /// The values to write, by data key.
    package var writes: [String: DataWrite]
    /// The accepted fields, as in the answer.
    package var accepted: JSONObject
    /// The refused fields; only for a partial request.
    package var rejected: [String: Refusal]
    package var transition: Double?

    package init(
        writes: [String: DataWrite],
        accepted: JSONObject,
        rejected: [String: Refusal] = [:],
        transition: Double? = nil
    ) {
        self.writes = writes
        self.accepted = accepted
        self.rejected = rejected
        self.transition = transition
    }
}
