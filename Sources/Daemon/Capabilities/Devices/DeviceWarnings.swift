import JSON
import Receivers

/// What is legal in an entry of the list of devices and probably a mistake: it is accepted, and the answer names it.
extension DeviceSettings {
    /// - Parameter old: The entry before the change; `nil` for a new device.
    func warnings(after old: DeviceSettings?) -> [JSONValue] {
        var warnings: [(field: String, message: String)] = []
        if heardAs.isEmpty, location == nil {
            let message = "\(node) has neither an id nor a location, so it is never anywhere"
            warnings.append(("heard_as", message))
        }
        // Nothing shows a key again, and so nobody could put it back.
        let lost = (old?.identityKeys ?? []).subtracting(identityKeys).count
        if lost > 0 {
            let what = lost == 1 ? "an identity key of \(node) was" : "\(lost) identity keys of \(node) were"
            warnings.append(("heard_as", "\(what) removed; irk:*** among the ids keeps one that is there"))
        }
        return warnings.map { ["field": .string($0.field), "message": .string($0.message)] }
    }

    private var identityKeys: Set<HeardID> {
        Set(
            heardAs.compactMap { text in
                if let id = try? HeardID(text: text), case .key = id { id } else { nil }
            }
        )
    }
}
