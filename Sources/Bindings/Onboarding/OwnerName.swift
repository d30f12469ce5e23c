package import People

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
}
