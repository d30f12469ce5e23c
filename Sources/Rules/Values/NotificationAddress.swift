import Text

/// The rules of addresses, which become headers and arguments of the programs that send messages.
///
/// They are those of contacts.
/// - Source: contrib/contract/people.md, "Users and grants".
package enum NotificationAddress {
    /// What an address of mail may be, for messages.
    package static let mailRule = "an e-mail address such as bob@example.org"
    /// What a number may be, for messages.
    package static let phoneRule = "3 to 32 of '+', digits, ' ', '-', '/', '(' and ')'"
    /// What the other part of `user:`, `contact:`, `installation:` and `display:` may be, for messages.
    package static let nameRule = "1 to 64 of A-Z, a-z, 0-9, '.', '_' and '-'"

    package static func isMail(_ text: String) -> Bool {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard text.utf8.count <= 254, parts.count == 2 else { return false }
        // Programs that send mail take what begins like this for an option, a file or a program.
        guard parts.allSatisfy({ $0.first.map { !"-/|.".contains($0) } ?? false }) else { return false }
        // By scalars: a line end and a mark behind it would be one character.
        return text.unicodeScalars.allSatisfy { scalar in
            !HarmfulCharacters.contain(scalar) && !scalar.properties.isWhitespace
                && !",;:<>()[]\\|`$\"".unicodeScalars.contains(scalar)
        }
    }

    package static func isPhone(_ text: String) -> Bool {
        text.utf8.count <= 32 && text.utf8.allSatisfy { "+0123456789 -/()".utf8.contains($0) }
            && text.utf8.count { (0x30...0x39).contains($0) } >= 3
    }

    /// A telephone number as it is dialled: digits, and a `+` before them if it has one.
    package static func dialled(_ number: String) -> String {
        let digits = number.filter { $0.isASCII && $0.isNumber }
        return number.first { $0 == "+" || $0.isNumber } == "+" ? "+\(digits)" : digits
    }

    package static func isName(_ text: String) -> Bool {
        1...64 ~= text.utf8.count
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                default: "._-".utf8.contains(byte)
                }
            }
    }
}
