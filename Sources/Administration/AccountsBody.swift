import Accounts
import JSON
import People

/// The members of a request's body, each checked as it is read.
struct AccountsBody {
    private let members: JSONObject

    /// - Parameter allowed: All members that the request may have.
    /// - Throws: For a body that is no object, and for unknown members.
    init(_ body: JSONValue?, _ allowed: String...) throws(AccountsError) {
        guard case .object(let members)? = body else { throw .badValue("the body must be a JSON object") }
        for key in members.keys.sorted() where !allowed.contains(key) {
            throw .badValue("unknown member \(quoted(key))\(hint(key, allowed))")
        }
        // Null is as good as absent, save where a member says otherwise.
        self.members = members
    }

    func has(_ key: String) -> Bool { members[key] != nil }

    private func value(_ key: String) -> JSONValue? {
        members[key].flatMap { $0.isNull ? nil : $0 }
    }

    func optionalText(_ key: String) throws(AccountsError) -> String? {
        guard let value = value(key) else { return nil }
        guard let text = value.string else { throw .badValue("\(key) must be a text") }
        return text
    }

    func text(_ key: String) throws(AccountsError) -> String {
        guard let text = try optionalText(key) else { throw .badValue("\(key) is missing") }
        return text
    }

    func texts(_ key: String) throws(AccountsError) -> [String] {
        guard let value = value(key) else { throw .badValue("\(key) is missing") }
        guard let array = value.array, case let texts = array.compactMap(\.string),
            texts.count == array.count
        else { throw .badValue("\(key) must be a list of texts") }
        return texts
    }

    func time(_ key: String) throws(AccountsError) -> Int64? {
        guard let text = try optionalText(key) else { return nil }
        return try parseTime(text)
    }

    func access(_ key: String) throws(AccountsError) -> Access? {
        guard let text = try optionalText(key) else { return nil }
        return try parseAccess(text)
    }

    /// A password, which no message repeats.
    func password(_ key: String) throws(AccountsError) -> [UInt8]? {
        guard let text = try optionalText(key) else { return nil }
        return Array(text.utf8)
    }

    // MARK: The log

    /// Members that may stand in the log; passwords and secrets are none.
    private static let harmless: Set<String> = [
        "name", "display", "email", "group", "state", "kind", "members", "who", "scope", "access", "starts",
        "ends", "user", "thing", "phone", "channels", "until",
    ]

    /// What the log keeps of a body, as JSON; `nil` for nothing.
    ///
    /// - Parameters:
    ///   - kind: What was asked for, as the log calls it.
    ///   - isAccepted: Whether it was done.
    ///   - isKnown: Whether a name is that of a user or a group; other names are left out.
    static func logText(
        _ body: JSONValue?,
        of kind: String,
        _ isAccepted: Bool,
        _ isKnown: (String) -> Bool
    ) -> String? {
        let names: Set<String> = kind == "user add" ? ["user", "who", "name"] : ["user", "who"]
        let members = (body?.object ?? [:]).filter { key, value in
            guard harmless.contains(key), !value.isNull, isAccepted || key != "members" else { return false }
            return !names.contains(key) || value.string.map(isKnown) ?? false
        }
        return members.isEmpty ? nil : String(decoding: JSONValue.object(members).bytes, as: UTF8.self)
    }
}
