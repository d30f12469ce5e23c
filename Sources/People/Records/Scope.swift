package import Flare

/// What a grant is about.
package enum Scope: Sendable, Hashable {
    /// Every environment, zone and thing, but no devices: a position tells where a person is. Only `own all` has both.
    case all
    /// Positions and headings of devices, and what they are near.
    case devices
    /// The same of one device, by its node.
    case device(String)
    case environment(FlareID)
    case zone(FlareID)
    case thing(FlareID)
    /// The things of a group.
    case group(AccountID)

    /// Parses the stored form, `thing:ID`; `nil` for any other text.
    package init?(_ text: String) {
        guard let words = ScopeText(text) else { return nil }
        switch words {
        case .all: self = .all
        case .devices: self = .devices
        case .device(let node): self = .device(node)
        case .object(let kind, let word):
            guard let id = FlareID(word), let scope = Scope(ObjectReference(kind, id)) else { return nil }
            self = scope
        case .group(let word):
            guard let id = AccountID(word) else { return nil }
            self = .group(id)
        }
    }

    /// The scope of one object; `nil` for a device, which has its node for it.
    package init?(_ object: ObjectReference) {
        switch object.kind {
        case .environment: self = .environment(object.id)
        case .zone: self = .zone(object.id)
        case .thing: self = .thing(object.id)
        case .device: return nil
        }
    }
}

extension Scope: CustomStringConvertible {
    /// The stored form.
    package var description: String {
        switch self {
        case .all: "all"
        case .devices: "devices"
        case .device(let node): "device:\(node)"
        case .environment(let id): "environment:\(id)"
        case .zone(let id): "zone:\(id)"
        case .thing(let id): "thing:\(id)"
        case .group(let id): "group:\(id)"
        }
    }
}

/// A scope as people write it, by slug, name or identifier, before it is looked up.
package enum ScopeText: Sendable, Hashable {
    case all, devices
    case device(String)
    case object(FlareClass, String)
    case group(String)

    /// Says what is legal, for messages.
    package static let rule = "all, devices, device:NODE, environment:E, zone:Z, thing:T or group:G"

    /// `nil` unless the text has the form of ``rule``; words of 1 to 200 characters are not looked at.
    package init?(_ text: String) {
        switch text {
        case "all": self = .all
        case "devices": self = .devices
        default:
            // Not by characters as they are seen: a mark after the colon would be one with it.
            let scalars = text.unicodeScalars
            guard let colon = scalars.firstIndex(of: ":") else { return nil }
            let word = String(scalars[scalars.index(after: colon)...])
            guard (1...200).contains(word.unicodeScalars.count) else { return nil }
            switch String(scalars[..<colon]) {
            case "device":
                guard Self.isNode(word) else { return nil }
                self = .device(word)
            case "environment": self = .object(.environment, word)
            case "zone": self = .object(.zone, word)
            case "thing": self = .object(.thing, word)
            case "group": self = .group(word)
            default: return nil
            }
        }
    }

    /// Whether a word may be a node.
    private static func isNode(_ word: String) -> Bool {
        word.utf8.count <= 48
            && word.utf8.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
            }
    }
}
