import Foundation
import GRDB
package import People

/// A stored secret, of which only the hash is known.
package struct SecretRecord: Sendable, Hashable {
    /// SHA-256.
    package let hash: [UInt8]
    package let kind: SecretToken.Kind
    /// Whose it is.
    package let user: AccountID
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

    /// The caller that it identifies.
    package var caller: Caller { .user(user, ceiling: ceiling) }

    package init(
        _ secret: SecretToken,
        of user: AccountID,
        name: String,
        ceiling: Access? = nil,
        made: Int64,
        until: Int64?
    ) {
        (hash, kind, self.user, self.name) = (secret.hash, secret.kind, user, name)
        (self.ceiling, self.made, self.until, used) = (ceiling, made, until, nil)
    }

    /// `nil` for a damaged row.
    init?(_ row: Row) {
        let ceiling: String? = row["ceiling"]
        guard let kind = SecretToken.Kind(rawValue: row["kind"]),
            case .user(let user)? = Grantee(row["holder"])
        else { return nil }
        self.ceiling = ceiling.flatMap { Access(rawValue: $0) }
        // A limit that cannot be read is no permission.
        guard (ceiling == nil) == (self.ceiling == nil) else { return nil }
        let hash: Data = row["hash"]
        (self.hash, self.kind, self.user, name) = (Array(hash), kind, user, row["name"])
        (made, until, used) = (row["made"], row["until"], row["used"])
    }
}
