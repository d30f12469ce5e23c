package import People
import Text

/// An owner as requests name it, before it is looked up: a user or a group, by identifier or name.
///
/// - Source: contrib/contract/bindings.md, "Forms of an onboarding".
package enum OwnerName: Sendable, Hashable {
    case known(Grantee)
    case user(named: String)
    case group(named: String)

    /// Says what is legal, for messages.
    package static let rule = "user: or group: with an identifier or a name, such as user:owner"

    /// `nil` unless the text has the form of ``rule``.
    ///
    /// Some programs write `USER:` and `GROUP:`, as they write `THING:`. A text in the form of an identifier may also be a
    /// name, so a look-up tries both.
    package init?(_ text: String) {
        let scalars = text.unicodeScalars
        guard let colon = scalars.firstIndex(of: ":") else { return nil }
        let name = String(scalars[scalars.index(after: colon)...])
        let isUser: Bool
        switch String(scalars[..<colon]) {
        case "user", "USER": isUser = true
        case "group", "GROUP": isUser = false
        default: return nil
        }
        if let id = AccountID(name) {
            self = .known(isUser ? .user(id) : .group(id))
        } else if AccountName.isLegal(name) {
            self = isUser ? .user(named: name) : .group(named: name)
        } else {
            return nil
        }
    }

    /// Whether it is a user, and the identifier or name.
    private var parts: (isUser: Bool, word: String) {
        switch self {
        case .known(.user(let id)): (true, "\(id)")
        case .known(.group(let id)): (false, "\(id)")
        case .user(let name): (true, name)
        case .group(let name): (false, name)
        }
    }

    /// The one that may be meant, to append to a sentence that this one is not there; nothing if none is near.
    package func hint(users: [String], groups: [String]) -> String {
        let (isUser, word) = parts
        let (kind, other) = isUser ? ("user", "group") : ("group", "user")
        let (own, others) = isUser ? (users, groups) : (groups, users)
        let near = NearestName.to(word, among: own).map { "\(kind):\($0)" }
        let meant = others.contains(word) ? "\(other):\(word)" : near
        return meant.map { "; did you mean \"\($0)\"?" } ?? ""
    }
}

extension OwnerName: CustomStringConvertible {
    /// As a request names it, with the kind in small letters.
    package var description: String { "\(parts.isUser ? "user" : "group"):\(parts.word)" }
}
