import People
package import Positioning
import Text

/// A device of the list, checked.
package struct ListedDevice: Sendable, Hashable {
    package let node: String
    package let name: String
    package let kind: DeviceKind
    package let user: String?
    package let heardAs: [HeardID]
    package let location: String?
    /// Whether it stands in the configuration file, so that no verb may change it.
    package let isFixed: Bool
}

/// The devices of a daemon besides its own: those of the configuration file and those of the database.
///
/// The file wins: a device of the database with the node of one in the file is left out, and so is one that is heard as a
/// device of the file. Everything wrong is reported at once, with the key and what is legal.
package struct DeviceList: Sendable, Hashable {
    package static let most = 256
    /// Ids of one device.
    package static let mostIDs = 16
    /// Bytes.
    package static let longestName = 100
    /// Words with a meaning of their own where a rule names a device: no rule could name a device called like them.
    package static let wordsOfRules = ["any", "first", "last", "none"]
    /// Says what is legal as a node, for messages.
    package static let nodeRule = "1 to 48 of a-z, 0-9 and single hyphens between them"

    /// In the order of the file, then by node.
    package private(set) var devices: [ListedDevice] = []
    /// Devices of the database that do not count while the file is as it is, and why.
    package private(set) var hidden: [DeviceIssue] = []
    /// The users whose devices of the database do not count now, and will when the file is another.
    package private(set) var hiddenUsers: Set<String> = []
    /// The users of those devices among them whose node no other device has, by node.
    package private(set) var hiddenOwners: [String: String] = [:]
    /// What is legal, but will not work as people expect.
    package private(set) var warnings: [DeviceIssue] = []
    private var index: [HeardID: Int] = [:]
    private var limit = DeviceList.most

    package init() {}

    /// - Parameters:
    ///   - first: The node of the daemon itself, which no other device may have.
    ///   - reserved: Levels of topics below the base that are no nodes.
    ///   - limit: For how many devices this program may open enough files; more than ``most`` are never legal.
    /// - Throws: All that is wrong in the file. What is wrong in the database is in ``hidden``.
    package init(
        file: [DeviceSettings],
        stored: [DeviceSettings] = [],
        first: String,
        reserved: Set<String> = [],
        limit: Int = DeviceList.most
    ) throws(DeviceListError) {
        self.limit = min(limit, Self.most)
        var issues: [DeviceIssue] = []
        for entry in file {
            issues += add(entry, isFixed: true, first: first, reserved: reserved)
        }
        if limit < Self.most, let problem = Self.problem(of: file.count, fitting: limit) {
            issues.append(DeviceIssue(nil, "", problem))
        }
        guard issues.isEmpty else { throw DeviceListError(issues) }
        for entry in stored.sorted(by: { $0.node < $1.node }) {
            let found = add(entry, isFixed: false, first: first, reserved: reserved)
            if !found.isEmpty, let user = entry.user {
                hiddenUsers.insert(user)
                hiddenOwners[entry.node] = user
            }
            hidden += found
        }
        hiddenOwners = hiddenOwners.filter { $0.key != first && self[node: $0.key] == nil }
    }

    package subscript(node node: String) -> ListedDevice? { devices.first { $0.node == node } }

    /// The list with another device in the database, or with a device changed there.
    ///
    /// - Throws: All that is wrong with it; a device of the file cannot be changed.
    package func setting(
        _ entry: DeviceSettings,
        stored: [DeviceSettings],
        file: [DeviceSettings],
        first: String,
        reserved: Set<String> = []
    ) throws(DeviceListError) -> DeviceList {
        if self[node: entry.node]?.isFixed == true {
            throw DeviceListError([.init(nil, "node", Self.fixed(entry.node))])
        }
        let others = stored.filter { $0.node != entry.node }
        var list = try DeviceList(
            file: file,
            stored: others,
            first: first,
            reserved: reserved,
            limit: limit
        )
        let issues = list.add(entry, isFixed: false, first: first, reserved: reserved)
        guard issues.isEmpty else { throw DeviceListError(issues) }
        return try DeviceList(
            file: file,
            stored: others + [entry],
            first: first,
            reserved: reserved,
            limit: limit
        )
    }

    /// The sentence for a verb that would change a device of the file.
    package static func fixed(_ node: String) -> String {
        "\(node) is in the configuration file; change it there"
    }

    /// What to do when too few files may be opened.
    private static let advice = "raise LimitNOFILE= of the service, or `ulimit -n`"

    /// That a file lists more devices than the program may open files for, as a sentence; `nil` if they fit.
    package static func problem(of count: Int, fitting limit: Int) -> String? {
        guard count > limit else { return nil }
        return "\(count) devices are listed, and this program may open files for \(limit): "
            + "\(advice), or list fewer"
    }

    // MARK: Who is it?

    /// The device that is heard as this id, or from this address.
    ///
    /// - Parameter address: 48 bits, as the receiver states it.
    package func device(heardAs id: HeardID, address: UInt64? = nil) -> ListedDevice? {
        (index[id] ?? address.flatMap { index[.address($0)] }).map { devices[$0] }
    }

    /// The identity keys with their devices' nodes; the number of a key is that of ``AddressResolver/Answer/key(_:)``.
    package var keys: [(node: String, key: IdentityKey)] {
        devices.flatMap { device in
            device.heardAs.compactMap { id -> (node: String, key: IdentityKey)? in
                if case .key(let key) = id { (device.node, key) } else { nil }
            }
        }
    }

    /// Adds what receivers call the identity keys: the key's fingerprint, and the device's node if its key has no other.
    package mutating func nameKeys(_ cipher: BlockCipher) {
        for (number, device) in devices.enumerated() {
            let keys = device.heardAs.compactMap { id -> IdentityKey? in
                if case .key(let key) = id { key } else { nil }
            }
            for key in keys {
                for form in [key, key.reversed] {
                    let name = HeardID.keyName(form.fingerprint(cipher))
                    if index[name] == nil { index[name] = number }
                }
            }
            if !keys.isEmpty, index[.keyName(device.node)] == nil { index[.keyName(device.node)] = number }
        }
    }

    // MARK: Checks

    private mutating func add(
        _ entry: DeviceSettings,
        isFixed: Bool,
        first: String,
        reserved: Set<String>
    ) -> [DeviceIssue] {
        var issues: [DeviceIssue] = []
        func report(_ field: String, _ message: String) {
            let message = isFixed ? message : "\(QuotedValue.list([entry.node])): \(message)"
            issues.append(DeviceIssue(entry.number, field, message))
        }
        if let problem = Self.problem(ofNode: entry.node, first: first, reserved: reserved) {
            report("node", problem)
        } else if let other = self[node: entry.node] {
            report(
                "node",
                other.isFixed && !isFixed ? Self.fixed(entry.node) : "\(entry.node) is there twice"
            )
        }
        if let name = entry.name, let problem = Self.problem(ofName: name) { report("name", problem) }
        if let user = entry.user, !AccountName.isLegal(user) {
            report("user", "must be a user's name: \(AccountName.rule) (\(IdentityKey.described(user)))")
        }
        if let location = entry.location, let problem = Self.problem(ofTopic: location) {
            report("location", problem)
        }
        let ids = checkedIDs(of: entry, report)
        let newKeys = ids.count(where: { if case .key = $0 { true } else { false } })
        if newKeys > 0, keys.count + newKeys > AddressResolver.mostKeys {
            report("heard_as", "at most \(AddressResolver.mostKeys) identity keys are legal in all")
        }
        if devices.count >= limit, !isFixed || limit == Self.most {
            let reason = limit < Self.most ? " here, since too few files may be opened: \(Self.advice)" : ""
            report("", "at most \(limit) devices are legal\(reason)")
        }
        guard issues.isEmpty else { return issues }
        for (position, id) in ids.enumerated() {
            for form in Self.forms(of: id) { index[form] = devices.count }
            if id.isShared {
                let message = "many devices of a model are heard as \(id); another id tells them apart"
                warnings.append(DeviceIssue(entry.number, "heard_as[\(position + 1)]", message))
            }
        }
        devices.append(
            ListedDevice(
                node: entry.node,
                name: entry.name ?? entry.node,
                kind: entry.kind ?? .other,
                user: entry.user,
                heardAs: ids,
                location: entry.location,
                isFixed: isFixed
            )
        )
        return []
    }

    private func checkedIDs(
        of entry: DeviceSettings,
        _ report: (_ field: String, _ message: String) -> Void
    ) -> [HeardID] {
        guard entry.heardAs.count <= Self.mostIDs else {
            report("heard_as", "at most \(Self.mostIDs) ids are legal (has \(entry.heardAs.count))")
            return []
        }
        var ids: [HeardID] = []
        var own: Set<HeardID> = []
        for (position, text) in entry.heardAs.enumerated() {
            let field = "heard_as[\(position + 1)]"
            do throws(HeardIDError) {
                let id = try HeardID(text: text)
                let forms = Self.forms(of: id)
                if !own.isDisjoint(with: forms) {
                    report(field, "\(id) is there twice")
                } else if let other = forms.lazy.compactMap({ index[$0] }).first {
                    report(field, "\(id) is an id of \(devices[other].node) already")
                }
                own.formUnion(forms)
                ids.append(id)
            } catch {
                report(field, "\(error)")
            }
        }
        return ids
    }

    /// The ids that are the same: a key in either order of its bytes.
    private static func forms(of id: HeardID) -> Set<HeardID> {
        if case .key(let key) = id { [id, .key(key.reversed)] } else { [id] }
    }

    private static func problem(ofNode node: String, first: String, reserved: Set<String>) -> String? {
        let bytes = node.utf8
        let hyphen = UInt8(ascii: "-")
        let isLegal =
            (1...48).contains(bytes.count) && bytes.first != hyphen && bytes.last != hyphen
            && bytes.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) || $0 == hyphen }
            && !zip(bytes, bytes.dropFirst()).contains { $0 == hyphen && $1 == hyphen }
        if !isLegal { return "must be \(nodeRule) (\(IdentityKey.described(node)))" }
        if node == first { return "\(node) is this daemon's own node; choose another" }
        if wordsOfRules.contains(node) {
            let others = wordsOfRules.filter { $0 != node }.joined(separator: ", ")
            return "\(node) is a word of rules, as are \(others): "
                + "no rule could name the device; choose another"
        }
        return reserved.contains(node) ? "\(node) is reserved; choose another" : nil
    }

    private static func problem(ofName name: String) -> String? {
        let isLegal =
            !name.isBlank && name.utf8.count <= longestName
            && !name.unicodeScalars.contains(where: HarmfulCharacters.contain)
        return isLegal
            ? nil
            : "must be 1 to \(longestName) bytes without control characters (\(IdentityKey.described(name)))"
    }

    private static func problem(ofTopic topic: String) -> String? {
        let isLegal =
            (1...200).contains(topic.utf8.count) && !["$", "/"].contains(topic.prefix(1))
            && !topic.hasSuffix("/") && !topic.contains("+") && !topic.contains("#")
            && !topic.unicodeScalars.contains(where: HarmfulCharacters.contain)
        return isLegal
            ? nil
            : "must be a topic of 1 to 200 bytes without +, # and a leading $ or / (\(IdentityKey.described(topic)))"
    }
}
