package import People

/// A thing as paths and requests name it.
///
/// - Source: contrib/contract/bindings.md, "Names of things".
package enum TargetName: Sendable, Hashable {
    case thing(BindingID)
    case vendor(String)

    /// Parses `thing:` or `THING:` and a thingID, or `VENDOR_THING_ID:` and a vendorThingID; `nil` for any other text.
    package init?(_ text: String) {
        // Not by characters as they are seen: a mark after the colon would be one with it.
        let scalars = text.unicodeScalars
        guard let colon = scalars.firstIndex(of: ":") else { return nil }
        let name = String(scalars[scalars.index(after: colon)...])
        switch String(scalars[..<colon]) {
        case "thing", "THING":
            guard let id = BindingID(name) else { return nil }
            self = .thing(id)
        case "VENDOR_THING_ID":
            guard VendorName.isLegalThing(name) else { return nil }
            self = .vendor(name)
        default: return nil
        }
    }
}

/// The rule of vendors' names of things and their types.
///
/// - Source: contrib/contract/bindings.md, "Names of things".
package enum VendorName {
    package static let thingRule =
        "1 to 200 of A-Z, a-z, 0-9, '-', '_' and '.', not only dots, and no thingID"
    package static let typeRule = "1 to 100 of A-Z, a-z, 0-9, '-', '_' and '.'"

    /// One in the form of a thingID would be mistaken for it, as verbs and paths take either.
    package static func isLegalThing(_ name: String) -> Bool {
        1...200 ~= name.utf8.count && hasLegalCharacters(name)
            && !name.utf8.allSatisfy { $0 == UInt8(ascii: ".") } && BindingID(name) == nil
    }

    package static func isLegalType(_ name: String) -> Bool {
        1...100 ~= name.utf8.count && hasLegalCharacters(name)
    }

    private static func hasLegalCharacters(_ name: String) -> Bool {
        name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "-_.".utf8.contains(byte)
            }
        }
    }
}
