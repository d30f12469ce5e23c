import Foundation
import Text

/// The `Authorization` header of a request.
package enum AuthorizationHeader {
    /// What a header brings.
    package enum Credentials: Sendable, Hashable {
        case bearer(String)
        /// User and password are compared as bytes by whoever checks them.
        case basic(user: String, password: String)
    }

    /// The credentials in it; `nil` for other schemes, and for what is malformed.
    /// - Source: RFC 7617 and RFC 6750.
    package static func credentials(in header: String) -> Credentials? {
        let parts = header.split(separator: " ", maxSplits: 1)
        guard let scheme = parts.first?.lowercased(), let rest = parts.dropFirst().first else { return nil }
        let value = rest.trimmingCharacters(in: .whitespaces)
        switch scheme {
        case "bearer": return .bearer(value)
        case "basic":
            guard value.utf8.count % 4 == 0, let bytes = Base64.decode(value.utf8),
                let text = String(validating: bytes, as: UTF8.self)
            else { return nil }
            // Not by characters as they are seen: an accent at the start of a password would be one with the colon.
            let scalars = text.unicodeScalars
            guard let colon = scalars.firstIndex(of: ":") else { return nil }
            let password = String(scalars[scalars.index(after: colon)...])
            return .basic(user: String(scalars[..<colon]), password: password)
        default: return nil
        }
    }

    /// The secret in it: the token of Bearer, or the password of Basic with any user name; `nil` for other schemes.
    package static func secret(in header: String) -> String? {
        switch credentials(in: header) {
        case .bearer(let secret), .basic(_, let secret): secret
        case nil: nil
        }
    }
}
