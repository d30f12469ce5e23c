package import Accounts
import Controller
import JSON
import Messages
import People
import Positioning
import Receivers
import Text

/// Answers requests about the list of devices: who may see and change what, and the rows of the command log.
///
/// - Source: contrib/contract/web.md, "The list of devices"; design note 0111.
package actor DeviceService {
    /// Who asks, and from where.
    struct Requester: Sendable {
        enum Identity: Sendable {
            case user(Caller)
            /// This machine's command line, which may do everything; with the name of the system's user.
            case program(user: String?)
        }

        let identity: Identity
        /// The address of the other end.
        var address: String?
        /// As the log calls the way by which a user asks.
        let interface: String
    }

    /// What is done, as the log calls it.
    enum Act: String, Sendable {
        // Without "list" it would be a device as an object of the place.
        case add = "device list add"
        case edit = "device list edit"
        case remove = "device list rm"
        case listen = "device heard"
    }

    /// Longest time that an answer about what is heard waits, seconds.
    package static let longestWait = 60

    nonisolated let registry: DeviceRegistry
    nonisolated let heard: HeardNow
    nonisolated let accounts: AccountsRegistry
    /// Identifies this run in the log.
    private nonisolated let epoch: String
    /// What receivers call the daemon's own device, as it is configured now.
    private nonisolated let own: @Sendable () -> String?

    package init(
        _ registry: DeviceRegistry,
        _ heard: HeardNow,
        _ accounts: AccountsRegistry,
        epoch: String,
        own: @escaping @Sendable () -> String?
    ) {
        (self.registry, self.heard, self.accounts, self.epoch) = (registry, heard, accounts, epoch)
        self.own = own
    }

    // MARK: Rights

    /// What a device is for rights.
    private static func object(of node: String) -> AccessObject { .device(node) }

    private nonisolated func has(_ access: Access, on object: AccessObject, _ requester: Requester) -> Bool {
        guard case .user(let caller) = requester.identity else { return true }
        return accounts.table.verdict(of: caller, access, on: object, at: accounts.clock()).isGranted
    }

    /// Whether who asks has access to a device: by a grant, or because it is theirs.
    private nonisolated func has(_ access: Access, _ device: DeviceSettings, _ requester: Requester) -> Bool {
        if has(access, on: Self.object(of: device.node), requester) { return true }
        // One that does not count while the file is as it is has no owner in the table.
        guard case .user(.user(let id, let ceiling)) = requester.identity, let name = device.user,
            let user = accounts.table.user(named: name)
        else { return false }
        return user.id == id && user.state == .active && access <= (ceiling ?? .own)
    }

    /// Only who owns all devices enrols, since an id decides whom the daemon follows.
    private nonisolated func requireAll(_ requester: Requester, to what: String) throws(DeviceRefusal) {
        guard !has(.own, on: .devices, requester) else { return }
        throw .notAllowed("not allowed: to \(what) needs the right \"own devices\"")
    }

    // MARK: Reading

    private nonisolated var entries: [DeviceSettings] {
        let settings = registry.settings
        let counting = Set(settings.map(\.node))
        // Those that do not count while the file is as it is come last.
        return settings + registry.stored.filter { !counting.contains($0.node) }
    }

    func rows(for requester: Requester) -> [JSONValue] {
        entries.filter { has(.read, $0, requester) }.map { row($0, for: requester) }
    }

    func row(of node: String, for requester: Requester) throws(DeviceRefusal) -> JSONValue {
        row(try entry(node, for: requester), for: requester)
    }

    /// The entry of a device that who asks may see.
    private func entry(_ node: String, for requester: Requester) throws(DeviceRefusal) -> DeviceSettings {
        let seen = entries.filter { has(.read, $0, requester) }
        guard let entry = seen.first(where: { $0.node == node }) else {
            throw .unknown(node, among: seen.map(\.node))
        }
        return entry
    }

    /// A device as an object.
    ///
    /// What it is heard as is for who owns it: with that anybody can follow it.
    private nonisolated func row(_ entry: DeviceSettings, for requester: Requester) -> JSONValue {
        let list = registry.list
        let listed = list[node: entry.node]
        var row: JSONObject = [
            "node": .string(entry.node), "name": .string(entry.name ?? entry.node),
            "kind": .string((entry.kind ?? .other).rawValue),
            "source": listed?.isFixed == true ? "file" : "database",
        ]
        row["user"] = entry.user.map { .string($0) }
        let isOwned = has(.own, entry, requester)
        if isOwned {
            // An identity key is `irk:***`.
            let ids = entry.heardAs.map { text in (try? HeardID(text: text)).map { "\($0)" } ?? "***" }
            row["heard_as"] = .array(ids.map { .string($0) })
            row["location"] = entry.location.map { .string($0) }
        }
        if listed == nil {
            let prefix = "\(QuotedValue.list([entry.node])): "
            let reasons = list.hidden.filter { $0.message.hasPrefix(prefix) }.map { issue in
                (issue.field.isEmpty ? "" : "\(issue.field): ") + issue.message.dropFirst(prefix.count)
            }
            // A reason may name an id, and another device that is heard as it.
            row["problem"] = .string(
                isOwned ? reasons.joined(separator: "; ") : "it does not fit the configuration file"
            )
        }
        return .object(row)
    }

    // MARK: Changes

    /// The row of a device that was stored, with `warnings` if there are any.
    private func answer(
        _ entry: DeviceSettings,
        after old: DeviceSettings?,
        for requester: Requester
    ) -> JSONValue {
        let row = row(entry, for: requester)
        let warnings = entry.warnings(
            after: old,
            own: own(),
            first: registry.first,
            // As for who may change the user: others learn nothing of users.
            users: has(.own, on: .devices, requester) ? accounts.table : nil
        )
        guard !warnings.isEmpty, var members = row.object else { return row }
        members["warnings"] = .array(warnings)
        return .object(members)
    }

    /// - Returns: The row of the new device.
    func add(_ value: JSONValue, by requester: Requester) throws(DeviceRefusal) -> JSONValue {
        try logged(.add, value["node"]?.string, by: requester) { () throws(DeviceRefusal) in
            try requireAll(requester, to: "add a device")
            let entry = try read(value)
            if registry.stored.contains(where: { $0.node == entry.node }) {
                let message = "there is a device \(entry.node) already; `trilateral device edit` changes it"
                throw DeviceRefusal(409, "conflict", message, field: "node")
            }
            try requireUser(entry.user)
            try registry.save(entry, at: accounts.clock())
            return answer(entry, after: nil, for: requester)
        }
    }

    /// Changes members of a device; those that are null are removed, and `irk:***` keeps an identity key.
    ///
    /// - Returns: The row of the changed device.
    func edit(
        _ node: String,
        _ value: JSONValue,
        by requester: Requester
    ) throws(DeviceRefusal) -> JSONValue {
        try logged(.edit, node, by: requester) { () throws(DeviceRefusal) in
            let old = try entry(node, for: requester)
            guard has(.own, old, requester) else {
                throw .notAllowed("not allowed: to change \(node) needs the right to own it")
            }
            guard registry.stored.contains(where: { $0.node == node }) else { throw .fixed(node) }
            guard let changes = value.object else { throw .invalid("the body must be an object") }
            for key in ["heard_as", "user", "location"] where changes[key] != nil {
                try requireAll(requester, to: "change \(key) of a device")
            }
            if let other = changes["node"], other.string != node {
                throw .invalid("node cannot be changed: remove the device, and add it again", field: "node")
            }
            guard var members = old.stored.object else { throw .invalid("the body must be an object") }
            for (key, value) in changes {
                members[key] = key == "heard_as" ? try Self.keepingKeys(of: old, in: value) : value
            }
            let entry = try read(.object(members))
            if entry.user != old.user { try requireUser(entry.user) }
            try registry.save(entry, at: accounts.clock())
            return answer(entry, after: old, for: requester)
        }
    }

    /// Removes a device, and the grants on it: they would count for the next device of its node.
    ///
    /// - Returns: Whether the configuration file has one of this node, which is still there with its grants; and the
    ///   grants that were removed.
    func remove(
        _ node: String,
        leavingPlace: Bool,
        by requester: Requester
    ) throws(DeviceRefusal) -> (isInFile: Bool, grants: [JSONValue]) {
        let (isInFile, grants) = try logged(.remove, node, by: requester) { () throws(DeviceRefusal) in
            _ = try entry(node, for: requester)
            try requireAll(requester, to: "remove a device")
            // First, so that nobody is left with a right on a device that is gone.
            // The daemon's own device, or one of the file, may have the node; then the rights are on that one.
            let isLast =
                registry.stored.contains { $0.node == node } && node != registry.first
                && registry.list[node: node]?.isFixed != true
            let grants = try isLast ? removeGrants(on: node) : []
            try registry.remove(node, leavingPlace: leavingPlace)
            return (registry.list[node: node] != nil, grants)
        }
        let table = accounts.table
        let rows = grants.map { grant -> JSONValue in
            let who = table.name(of: grant.grantee) ?? "\(grant.grantee)"
            return ["who": .string(who), "access": .string(grant.access.rawValue)]
        }
        for row in rows { log("grant rm", "device:\(node)", by: requester, nil, values: row) }
        return (isInFile, rows)
    }

    private func removeGrants(on node: String) throws(DeviceRefusal) -> [Grant] {
        let grants = accounts.table.grants.filter { $0.scope == .device(node) }
        guard !grants.isEmpty else { return [] }
        do throws(AccountsError) {
            try accounts.change { store in
                for grant in grants {
                    // One that somebody gave by another one has gone with it.
                    guard try store.table().grants.contains(where: { $0.id == grant.id }) else { continue }
                    try store.removeGrant(grant.id, by: .program(at: accounts.clock()))
                }
            }
        } catch {
            throw DeviceRefusal(500, "internal", "the rights on \(node) cannot be removed: \(error)")
        }
        return grants
    }

    /// The ids of a request, with the stored key for each `irk:***`, in order.
    private static func keepingKeys(
        of old: DeviceSettings,
        in value: JSONValue
    ) throws(DeviceRefusal) -> JSONValue {
        let hidden = "irk:***"
        var keys = old.heardAs.filter { text in
            if case .key? = try? HeardID(text: text) { true } else { false }
        }[...]
        var ids: [JSONValue] = []
        for id in value.array ?? (value.isNull ? [] : [value]) {
            guard id.string == hidden else {
                ids.append(id)
                continue
            }
            guard let key = keys.popFirst() else {
                let message = "\(old.node) has no such key: \(hidden) keeps one that is there"
                throw .invalid(message, field: "heard_as")
            }
            ids.append(.string(key))
        }
        return .array(ids)
    }

    private func read(_ value: JSONValue) throws(DeviceRefusal) -> DeviceSettings {
        do throws(DeviceListError) {
            return try DeviceSettings(value)
        } catch {
            throw DeviceRefusal(error, of: "", isFixed: false)
        }
    }

    private func requireUser(_ name: String?) throws(DeviceRefusal) {
        let table = accounts.table
        guard let name else { return }
        if let user = table.user(named: name) {
            // Anybody may have signed up under that name.
            guard user.state == .pending else { return }
            let advice = "`trilateral user on \(name)` approves them"
            throw .invalid("\(name) has signed up and is not approved: \(advice)", field: "user")
        }
        let hint = NearestName.hint(for: name, among: table.users.map(\.name))
        throw .invalid("there is no user \(QuotedValue.of(name))\(hint)", field: "user")
    }

    // MARK: What is heard

    /// What is heard and is no device, after some time of listening.
    func heardRows(seconds: Int, by requester: Requester) async throws(DeviceRefusal) -> [JSONValue] {
        guard has(.own, on: .devices, requester) else {
            let refusal = DeviceRefusal.notAllowed(
                "not allowed: to see what is heard needs the right \"own devices\""
            )
            log(.listen, nil, by: requester, refusal)
            throw refusal
        }
        if heard.open() { log(.listen, nil, by: requester, nil) }
        if seconds > 0 { try? await Task.sleep(for: .seconds(seconds)) }
        let list = registry.list
        let (entries, now) = heard.entries()
        var ownList = DeviceList(ofOwnDevice: own())
        ownList.nameKeys(registry.cipher)
        return entries.filter { !isDevice($0, of: list) }.map { entry in
            entry.json(isOwn: isDevice(entry, of: ownList), at: now)
        }
    }

    /// Whether what is heard is a device of the list: by its id, by its address, or by an identity key.
    private func isDevice(_ entry: HeardTransmitters.Entry, of list: DeviceList) -> Bool {
        if list.device(heardAs: entry.id, address: entry.address) != nil { return true }
        var addresses = entry.address.map { [$0] } ?? []
        if case .address(let bits) = entry.id, bits != entry.address { addresses.append(bits) }
        // A receiver does not say whether an address is random; one that is not has no key that fits. Nothing is remembered:
        // strangers are nobody's business.
        return addresses.map { DeviceAddress(bits: $0, isRandom: true) }.contains { address in
            address.isResolvable
                && list.keys.contains { _, key in
                    key.resolves(address, registry.cipher) || key.reversed.resolves(address, registry.cipher)
                }
        }
    }

    // MARK: The log

    private func logged<Success>(
        _ act: Act,
        _ node: String?,
        by requester: Requester,
        _ work: () throws(DeviceRefusal) -> Success
    ) throws(DeviceRefusal) -> Success {
        // People paste keys into the wrong field: only nodes that are there, or were, are written down.
        let old = known(node)
        do throws(DeviceRefusal) {
            let result = try work()
            log(act, old ?? known(node), by: requester, nil)
            return result
        } catch {
            log(act, old, by: requester, error)
            throw error
        }
    }

    private func known(_ node: String?) -> String? {
        node.flatMap { node in entries.contains { $0.node == node } ? node : nil }
    }

    private nonisolated func log(
        _ act: Act,
        _ node: String?,
        by requester: Requester,
        _ refusal: DeviceRefusal?
    ) {
        log(act.rawValue, node, by: requester, refusal)
    }

    private nonisolated func log(
        _ kind: String,
        _ target: String?,
        by requester: Requester,
        _ refusal: DeviceRefusal?,
        values: JSONValue? = nil
    ) {
        let caller =
            switch requester.identity {
            case .program(let user): user.map { "system:\($0)" } ?? "nobody"
            case .user(let caller): accounts.table.logName(of: caller)
            }
        var row = CommandLogEntry(
            at: accounts.clock(),
            interface: requester.interface,
            caller: caller,
            kind: kind,
            state: refusal == nil ? "accepted" : "refused"
        )
        (row.epoch, row.source, row.code) = (epoch, requester.address, refusal?.code)
        (row.target, row.actions) = (target, values?.text)
        accounts.log(row)
    }
}
