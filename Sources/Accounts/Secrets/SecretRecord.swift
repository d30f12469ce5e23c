package import Flare
import Foundation
import GRDB
package import People

/// Whose a secret is.
package enum SecretHolder: Sendable, Hashable, CustomStringConvertible {
    case user(AccountID)
    case thing(FlareID)

    /// Parses the stored form, `user:ID` or `thing:ID`; `nil` for any other text.
    package init?(_ text: String) {
        if text.hasPrefix("thing:") {
            guard let id = FlareID(String(text.dropFirst(6))) else { return nil }
            self = .thing(id)
        } else {
            guard case .user(let id)? = Grantee(text) else { return nil }
            self = .user(id)
        }
    }

    /// The stored form.
    package var description: String {
        switch self {
        case .user(let id): "\(Grantee.user(id))"
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
    /// The most that it allows; `nil` for all that its holder may.
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

    /// The speaker whom it makes.
    package var speaker: Speaker {
        switch holder {
        case .user(let id): .user(id, ceiling: ceiling)
        case .thing(let id): .thing(id)
        }
    }

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
        guard let kind = SecretToken.Kind(rawValue: row["kind"]), let holder = SecretHolder(row["holder"])
        else {
            return nil
        }
        self.ceiling = ceiling.flatMap { Access(rawValue: $0) }
        // A limit that cannot be read is no permission.
        guard (ceiling == nil) == (self.ceiling == nil) else { return nil }
        let hash: Data = row["hash"]
        (self.hash, self.kind, self.holder, name) = (Array(hash), kind, holder, row["name"])
        (made, until, used) = (row["made"], row["until"], row["used"])
    }
}
