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

/// A valid request in the terms of Flare's data.
package struct ThingSetting: Sendable, Hashable {
    package var patch: ThingPatch
    /// The accepted fields, as in the answer.
    package var accepted: JSONObject
    /// The refused fields; only for a partial request.
    package var rejected: [String: Refusal] = [:]
    package var transition: Double?
}
