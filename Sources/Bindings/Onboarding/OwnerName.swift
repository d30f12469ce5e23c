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
    /// A text in the form of an identifier may also be a name, so a look-up tries both.
    package init?(_ text: String) {
        if let grantee = Grantee(text) {
            self = .known(grantee)
            return
        }
        let scalars = text.unicodeScalars
        guard let colon = scalars.firstIndex(of: ":") else { return nil }
        let name = String(scalars[scalars.index(after: colon)...])
        guard AccountName.isLegal(name) else { return nil }
        switch String(scalars[..<colon]) {
        case "user": self = .user(named: name)
        case "group": self = .group(named: name)
        default: return nil
        }
    }
}
