import Foundation
import GRDB
package import People

/// Whose a secret is.
package enum SecretHolder: Sendable, Hashable {
    case user(AccountID)
    /// A thing with a token of its own.
    case thing(BindingID)

    /// Parses the stored form, `user:ID` or `thing:th.…`; `nil` for any other text.
    init?(_ text: String) {
        if case .user(let id)? = Grantee(text) {
            self = .user(id)
            return
        }
        let word = "thing:"
        guard text.hasPrefix(word), let id = BindingID(String(text.dropFirst(word.count))) else {
            return nil
        }
        self = .thing(id)
    }
}

extension SecretHolder: CustomStringConvertible {
    /// The stored form.
    package var description: String {
        switch self {
        case .user(let id): "user:\(id)"
        case .thing(let id): "thing:\(id)"
        }
    }
}

/// A stored secret, of which only the hash is known.
package struct SecretRecord: Sendable, Hashable {
    /// SHA-256.
    package let hash: [UInt8]
    package let kind: SecretToken.Kind
    package let holder: SecretHolder
    /// Of a token; what a session was made by; what a link is for.
    package let name: String
    /// The most that it allows; `nil` for all that its user may.
    package let ceiling: Access?
    package let made: Int64
    /// It counts before this moment; `nil` for ever.
    package var until: Int64?
    /// When it was used last, to the minute; `nil` if never.
    package var used: Int64?

    /// For lists and for removing: the first 16 hexadecimal digits of the hash.
    package var id: String {
        hash.prefix(8).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    package func counts(at now: Int64) -> Bool { until.map { now < $0 } ?? true }

    /// The user whose it is; `nil` for one of a thing.
    package var user: AccountID? {
        guard case .user(let id) = holder else { return nil }
        return id
    }

    /// The caller that it identifies; `nil` for one of a thing, which is no caller.
    package var caller: Caller? { user.map { .user($0, ceiling: ceiling) } }

    package init(
        _ secret: SecretToken,
        of holder: SecretHolder,
        name: String,
        ceiling: Access? = nil,
        made: Int64,
        until: Int64?
    ) {
        (hash, kind, self.holder, self.name) = (secret.hash, secret.kind, holder, name)
        (self.ceiling, self.made, self.until, used) = (ceiling, made, until, nil)
    }

    /// `nil` for a damaged row.
    init?(_ row: Row) {
        let ceiling: String? = row["ceiling"]
        guard let kind = SecretToken.Kind(rawValue: row["kind"]),
            let holder = SecretHolder(row["holder"]), kind.suits(holder)
        else { return nil }
        self.ceiling = ceiling.flatMap { Access(rawValue: $0) }
        // A limit that cannot be read is no permission.
        guard (ceiling == nil) == (self.ceiling == nil) else { return nil }
        let hash: Data = row["hash"]
        (self.hash, self.kind, self.holder, name) = (Array(hash), kind, holder, row["name"])
        (made, until, used) = (row["made"], row["until"], row["used"])
    }
}

extension SecretToken.Kind {
    /// Whether such a secret may be that of a holder: a thing has tokens of its own kind, and nothing else.
    fileprivate func suits(_ holder: SecretHolder) -> Bool {
        switch (self, holder) {
        case (.session, .user), (.token, .user), (.link, .user), (.thing, .thing): true
        // A token for nobody is never stored.
        case (.session, .thing), (.token, .thing), (.link, .thing), (.thing, .user), (.anonymous, _): false
        }
    }
}
