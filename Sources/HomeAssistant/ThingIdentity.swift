import JSON
import Text

/// What a thing's data tell of its maker, for the device in Home Assistant.
struct ThingIdentity {
    /// The data keys, none of which has an entity.
    static let keys: Set<String> = ["manufacturer", "model", "serial", "version"]

    /// Members of the device; empty if the thing does not tell.
    let members: JSONObject

    /// - Parameter hasProfile: Whether `model` chooses the profile, whose title is the model.
    init(_ data: JSONObject, hasProfile: Bool) {
        var members: JSONObject = [:]
        for (key, member) in [
            ("manufacturer", "manufacturer"), ("model", "model"), ("serial", "serial_number"),
            ("version", "sw_version"),
        ] where key != "model" || !hasProfile {
            guard let text = data[key]?.string.map(OptionNames.line), !text.isEmpty else { continue }
            members[member] = .string(QuotedValue.clipped(text, to: 120))
        }
        self.members = members
    }
}
