import JSON
import People
import Receivers
import Text

/// What is legal in an entry of the list of devices and probably a mistake: it is accepted, and the answer names it.
extension DeviceSettings {
    /// - Parameters:
    ///   - old: The entry before the change; `nil` for a new device.
    ///   - own: What receivers call the daemon's own device; `nil` if they do not hear it.
    ///   - first: The daemon's own node.
    ///   - table: The users; `nil` for who may not know them.
    func warnings(
        after old: DeviceSettings?,
        own: String?,
        first: String,
        users table: AccessTable?
    ) -> [JSONValue] {
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
        if let table, let message = warning(ofUserAmong: table) { warnings.append(("user", message)) }
        warnings += warningsOfOwnDevice(own, first)
        return warnings.map { ["field": .string($0.field), "message": .string($0.message)] }
    }

    /// Warns of a user who is not active, and so cannot use the device.
    private func warning(ofUserAmong table: AccessTable) -> String? {
        guard let user else { return nil }
        let name = QuotedValue.of(user)
        switch table.user(named: user)?.state {
        case .active: return nil
        case .off: return "\(node) is nobody's until the user \(name) is switched on again"
        case .pending: return "\(node) is nobody's until the user \(name), who has only signed up, is active"
        case nil:
            let hint = NearestName.hint(for: user, among: table.users.map(\.name))
            return "\(node) is nobody's until there is a user \(name)\(hint)"
        }
    }

    /// Warns of ids by which receivers know the daemon's own device as well.
    ///
    /// - Parameters: As those of ``warnings(after:own:first:users:)``.
    func warningsOfOwnDevice(_ own: String?, _ first: String) -> [(field: String, message: String)] {
        let ownList = DeviceList(ofOwnDevice: own)
        return heardAs.enumerated().compactMap { position, text in
            guard let id = try? HeardID(text: text), ownList.device(heardAs: id) != nil else { return nil }
            let message =
                "\(id) is this daemon's own device, \(first), too (sensors.espresense.device): it is on the map twice, as "
                + "\(first) and as \(node), and rules with any see both"
            return ("heard_as[\(position + 1)]", message)
        }
    }

    private var identityKeys: Set<HeardID> {
        Set(
            heardAs.compactMap { text in
                if let id = try? HeardID(text: text), case .key = id { id } else { nil }
            }
        )
    }
}

extension DeviceList {
    /// A list of the daemon's own device alone, to compare others with.
    ///
    /// - Parameter id: What receivers call it; `nil` if they do not hear it: then the list is empty.
    init(ofOwnDevice id: String?) {
        // No receiver has a key of this name: it is too long.
        let entries = id.map { [DeviceSettings(node: "own-device-of-the-daemon", heardAs: [$0])] } ?? []
        self = (try? DeviceList(file: entries, first: "")) ?? DeviceList()
    }
}
