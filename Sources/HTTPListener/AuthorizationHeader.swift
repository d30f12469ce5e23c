import Foundation
import Text

/// The `Authorization` header of a request.
package enum AuthorizationHeader {
    /// The secret in it: the token of Bearer, or the password of Basic with any user name; `nil` for other schemes.
    /// - Source: RFC 7617 and RFC 6750.
    package static func secret(in header: String) -> String? {
        let parts = header.split(separator: " ", maxSplits: 1)
        guard let scheme = parts.first?.lowercased(), let rest = parts.dropFirst().first else { return nil }
        let value = rest.trimmingCharacters(in: .whitespaces)
        switch scheme {
        case "bearer": return value
        case "basic":
            guard value.utf8.count % 4 == 0, let bytes = Base64.decode(value.utf8),
                let text = String(validating: bytes, as: UTF8.self)
            else { return nil }
            // Not by characters as they are seen: an accent at the start of a password would be one with the colon.
            let scalars = text.unicodeScalars
            guard let colon = scalars.firstIndex(of: ":") else { return nil }
            return String(scalars[scalars.index(after: colon)...])
        default: return nil
        }
    }
}
