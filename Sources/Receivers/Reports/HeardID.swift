package import Positioning
import Text

/// What a device is heard as, in one form: equal ids are equal however they were written.
package enum HeardID: Sendable, Hashable {
    case iBeacon(BeaconUUID, major: UInt16, minor: UInt16)
    /// The instance has 48 bits.
    case eddystone(EddystoneNamespace, instance: UInt64)
    case key(IdentityKey)
    /// The name or the fingerprint of an identity key that a receiver has.
    case keyName(String)
    /// An address that stays: 48 bits.
    case address(UInt64)
    /// Any other id, letter by letter: `phone:anna`, `name:…`.
    case text(String)

    /// Longest id, bytes: it is a level of a topic.
    package static let longest = 200
    /// Longest name of a key, bytes; a longer text is taken for the key itself.
    package static let longestKeyName = 16

    /// An id that a receiver reports.
    ///
    /// - Parameter level: The level of the topic, as it is written there.
    package init(reported level: String) {
        if let id = try? HeardID(text: level) { self = id } else { self = .text(level) }
    }

    /// An id as people write it: `irk:0f0e…`, `iBeacon:2f234454-…-1-7`, `mac:aabbccddeeff`, `phone:anna`.
    ///
    /// - Throws: What is legal, without the digits of a key.
    package init(text: String) throws(HeardIDError) {
        // Base64 of a key may have a slash; the key is never a level of a topic.
        if text.utf8.count <= Self.longest, text.lowercased().hasPrefix("irk:") {
            self = try Self.key(String(text.dropFirst(4)))
            return
        }
        try Self.checkLevel(text)
        let scalars = text.unicodeScalars
        guard let colon = scalars.firstIndex(of: ":") else {
            guard let address = Self.address(text) else {
                throw Self.isKey(text) ? .bareKey : .noKind(text)
            }
            self = .address(address)
            return
        }
        if let address = Self.address(text) {
            self = .address(address)
            return
        }
        let kind = String(scalars[..<colon])
        let rest = String(scalars[scalars.index(after: colon)...])
        guard !kind.isEmpty, !rest.isEmpty else { throw .noKind(text) }
        switch kind.lowercased() {
        case "ibeacon":
            guard let id = Self.iBeacon(rest) else { throw .form("iBeacon:<uuid>-<major>-<minor>", text) }
            self = id
        case "eddystone", "eddy":
            guard let id = Self.eddystone(rest) else {
                let legal = "eddystone:<20 digits of the namespace>-<12 digits of the instance>"
                throw Self.refusal(of: text, rest, legal)
            }
            self = id
        case "mac", "known":
            guard let address = Self.address(rest) else {
                throw Self.refusal(of: text, rest, "\(kind):aabbccddeeff")
            }
            self = .address(address)
        default:
            if Self.isKey(text) { throw .bareKey }
            self = .text(text)
        }
    }

    /// Why a text is refused that has not the form of its kind; a key behind the wrong kind is not shown.
    private static func refusal(of text: String, _ rest: String, _ legal: String) -> HeardIDError {
        isKey(rest) ? .bareKey : .form(legal, text)
    }

    /// Whether a text without `irk:` in front is meant as an identity key: somebody has forgotten that, or mistyped it.
    ///
    /// It is no id then, and no message shows it.
    private static func isKey(_ text: String) -> Bool {
        // Most ids are shorter.
        guard (18...longest).contains(text.utf8.count) else { return false }
        if (try? IdentityKey(text: text)) != nil { return true }
        // A key in pairs, perhaps mistyped or with some missing. An id has its kind before the colon, and is shorter.
        let pairs = text.split(separator: ":", omittingEmptySubsequences: false)
        if pairs.count >= 12, pairs.allSatisfy({ $0.utf8.count <= 3 }) { return true }
        let kind = text.prefix { $0 != ":" && $0 != "=" }
        return kind.lowercased().filter { !$0.isWhitespace } == "irk"
    }

    private static func checkLevel(_ text: String) throws(HeardIDError) {
        guard (1...longest).contains(text.utf8.count) else { throw .length(text.utf8.count) }
        guard text.utf8.allSatisfy({ !"+#/".utf8.contains($0) }) else {
            throw isKey(text) ? .bareKey : .wildcard(text)
        }
        guard !text.unicodeScalars.contains(where: HarmfulCharacters.contain), !text.isBlank else {
            throw .characters
        }
    }

    private static func iBeacon(_ text: String) -> HeardID? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count >= 3, let minor = number(parts[parts.count - 1]),
            let major = number(parts[parts.count - 2]),
            let uuid = BeaconUUID(parts.dropLast(2).joined(separator: "-"))
        else { return nil }
        return .iBeacon(uuid, major: major, minor: minor)
    }

    private static func number(_ text: Substring) -> UInt16? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? UInt16(text) : nil
    }

    /// ESPresense repeats the fifth byte of the namespace; that is mended.
    /// - Source: ESPresense, BleFingerprint.cpp, `fingerprintServiceData`.
    private static func eddystone(_ text: String) -> HeardID? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].utf8.count == 12, let instance = hexadecimal(parts[1]) else {
            return nil
        }
        var digits = Array(parts[0].utf8)
        if digits.count == 22, digits[8..<10] == digits[10..<12] { digits.removeSubrange(10..<12) }
        guard let namespace = EddystoneNamespace(String(decoding: digits, as: UTF8.self)) else { return nil }
        return .eddystone(namespace, instance: instance)
    }

    private static func hexadecimal(_ text: some StringProtocol) -> UInt64? {
        text.utf8.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) ? UInt64(text, radix: 16) : nil
    }

    /// Twelve digits, or six pairs with colons or hyphens.
    private static func address(_ text: String) -> UInt64? {
        let parts = text.split(omittingEmptySubsequences: false) { $0 == ":" || $0 == "-" }
        guard parts.count == 1 ? text.utf8.count == 12 : parts.count == 6 && text.utf8.count == 17,
            parts.count == 1 || parts.allSatisfy({ $0.utf8.count == 2 })
        else { return nil }
        return hexadecimal(parts.joined())
    }

    /// A key, or the name of one that a receiver has.
    private static func key(_ text: String) throws(HeardIDError) -> HeardID {
        let bytes = text.utf8
        let isName =
            (1...longestKeyName).contains(bytes.count)
            && bytes.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte) || "-_.".utf8.contains(byte)
            }
        let isHexadecimal = bytes.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
        let hasDigit = bytes.contains { (0x30...0x39).contains($0) }
        // Digits of which some are missing are no name; a fingerprint has all sixteen.
        if isName, bytes.count == longestKeyName || !isHexadecimal || !hasDigit { return .keyName(text) }
        do throws(IdentityKeyError) {
            return .key(try IdentityKey(text: text))
        } catch {
            throw .key(error)
        }
    }
}

/// The form in which it is published and listed; an identity key is `irk:***`.
extension HeardID: CustomStringConvertible {
    package var description: String {
        switch self {
        case .iBeacon(let uuid, let major, let minor):
            "iBeacon:\(uuid.description.lowercased())-\(major)-\(minor)"
        case .eddystone(let namespace, let instance):
            "eddystone:\(namespace.description.lowercased())-\(Self.digits(instance))"
        case .key: "irk:***"
        case .keyName(let name): "irk:\(name)"
        case .address(let bits): Self.digits(bits)
        case .text(let text): text
        }
    }

    /// The form that is stored: as the description, but with the key.
    package var storedText: String {
        if case .key(let key) = self { "irk:\(key.reveal())" } else { description }
    }

    /// Twelve hexadecimal digits, as addresses are written in topics.
    package static func digits(_ bits: UInt64) -> String {
        let digits = String(bits & 0xFFFF_FFFF_FFFF, radix: 16)
        return String(repeating: "0", count: 12 - digits.utf8.count) + digits
    }
}

extension HeardID {
    /// Whether many devices of a model share the id, so that it tells nobody apart.
    /// - Source: ESPresense, BleFingerprint.cpp: ids of makers, services and lengths.
    package var isShared: Bool {
        guard case .text(let text) = self else { return false }
        return ["apple:", "md:", "sd:", "ad:", "msft:", "exp:", "smarttag:"].contains(where: text.hasPrefix)
    }
}

/// Why a text is no id of a heard device, with what is legal.
package enum HeardIDError: Error, Sendable, Hashable, CustomStringConvertible {
    case length(Int)
    case wildcard(String)
    case characters
    case noKind(String)
    /// An identity key without its kind.
    case bareKey
    case form(String, String)
    case key(IdentityKeyError)

    package var description: String {
        switch self {
        case .length(let count): "must have 1 to \(HeardID.longest) bytes (has \(count))"
        case .wildcard(let text):
            "must be one level of a topic, without +, # and / (\(IdentityKey.described(text)))"
        case .characters: "must have no control characters"
        case .noKind(let text):
            "must be an id such as irk:<key>, iBeacon:<uuid>-<major>-<minor>, phone:anna, or an address (\(IdentityKey.described(text)))"
        case .bareKey: "an identity key must have irk: before it"
        case .form(let legal, let text): "must be \(legal) (\(IdentityKey.described(text)))"
        case .key(let error): "\(error)"
        }
    }
}
