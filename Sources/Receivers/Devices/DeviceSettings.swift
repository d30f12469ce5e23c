package import JSON
import Text

/// What a device is: an icon, and the description in the place.
package enum DeviceKind: String, Sendable, Hashable, CaseIterable {
    case phone, watch, tag, badge, tablet, pet, other
}

/// A device of the list as it is written in the configuration or stored in the database, not checked.
package struct DeviceSettings: Sendable, Hashable {
    /// The number of the entry in the configuration file, from 1; `nil` in the database.
    package var number: Int?
    package var node: String
    /// Its name for people; `nil` for the node.
    package var name: String?
    package var kind: DeviceKind?
    /// Whose it is: the name of a user.
    package var user: String?
    package var heardAs: [String]
    /// A topic with its location by GPS.
    package var location: String?

    package init(
        number: Int? = nil,
        node: String = "",
        name: String? = nil,
        kind: DeviceKind? = nil,
        user: String? = nil,
        heardAs: [String] = [],
        location: String? = nil
    ) {
        (self.number, self.node, self.name, self.kind) = (number, node, name, kind)
        (self.user, self.heardAs, self.location) = (user, heardAs, location)
    }
}

extension DeviceSettings {
    /// The keys of an entry, for messages.
    package static let keys = ["node", "name", "kind", "user", "heard_as", "location"]

    /// Reads an entry as an object, as verbs, pages and the database have it.
    ///
    /// - Throws: All that is wrong with its form.
    package init(_ value: JSONValue, number: Int? = nil) throws(DeviceListError) {
        self.init(number: number)
        guard let members = value.object else {
            throw DeviceListError([.init(number, "", "must be an object (is \(QuotedValue.of(value)))")])
        }
        var issues: [DeviceIssue] = []
        for (key, value) in members {
            guard Self.keys.contains(key) else {
                let hint = NearestName.choice(for: key, among: Self.keys, "legal are")
                issues.append(.init(number, "", "unknown key \(QuotedValue.of(key))\(hint)"))
                continue
            }
            guard !value.isNull else { continue }
            if key == "heard_as" {
                // One id may stand without a list.
                let values = value.array ?? [value]
                let texts = values.prefix(DeviceList.mostIDs + 1).compactMap(\.string)
                guard texts.count == min(values.count, DeviceList.mostIDs + 1) else {
                    issues.append(.init(number, key, "must be a list of texts"))
                    continue
                }
                heardAs = texts
                continue
            }
            guard let text = value.string else {
                issues.append(.init(number, key, "must be a text (is \(QuotedValue.of(value)))"))
                continue
            }
            switch key {
            case "node": node = text
            case "name": name = text
            case "user": user = text
            case "location": location = text
            default:
                kind = DeviceKind(rawValue: text)
                let kinds = DeviceKind.allCases.map(\.rawValue).joined(separator: ", ")
                if kind == nil {
                    let message = "must be one of \(kinds) (\(IdentityKey.described(text)))"
                    issues.append(.init(number, key, message))
                }
            }
        }
        guard issues.isEmpty else { throw DeviceListError(issues) }
    }

    /// The entry as an object, with its identity keys; for the database alone.
    package var stored: JSONValue {
        var members: JSONObject = [
            "node": .string(node),
            "heard_as": .array(
                heardAs.map { text in .string((try? HeardID(text: text))?.storedText ?? text) }
            ),
        ]
        if let name { members["name"] = .string(name) }
        if let kind { members["kind"] = .string(kind.rawValue) }
        if let user { members["user"] = .string(user) }
        if let location { members["location"] = .string(location) }
        return .object(members)
    }
}

/// Something wrong with an entry of the list of devices.
package struct DeviceIssue: Sendable, Hashable, CustomStringConvertible {
    /// The number of the entry in the configuration file, from 1; `nil` for a device of the database.
    package let entry: Int?
    /// The key: `heard_as`, or `heard_as[2]` for one id; empty for the whole entry.
    package let field: String
    /// What is wrong, with what is legal.
    package let message: String

    package init(_ entry: Int?, _ field: String, _ message: String) {
        (self.entry, self.field, self.message) = (entry, field, message)
    }

    package var description: String {
        let place = [entry.map { "entry \($0)" }, field.isEmpty ? nil : field].compactMap(\.self)
        return place.isEmpty ? message : "\(place.joined(separator: ", ")): \(message)"
    }
}

/// Everything that is wrong with a list of devices.
package struct DeviceListError: Error, Sendable, Hashable, CustomStringConvertible {
    package let issues: [DeviceIssue]

    package init(_ issues: [DeviceIssue]) { self.issues = issues }

    private static let mostShown = 8

    package var description: String {
        var texts = issues.prefix(Self.mostShown).map(\.description)
        if issues.count > texts.count { texts.append("\(issues.count - texts.count) more") }
        return texts.joined(separator: "; ")
    }
}
