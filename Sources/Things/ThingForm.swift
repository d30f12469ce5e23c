import Flare
import JSON

/// All that the shape of a thing follows from.
struct ThingForm: Sendable, Hashable {
    /// The type of a value, as far as it matters.
    private enum ValueType: UInt8 {
        case null, bool, whole, decimal, text, numericText, list, object
        /// Of a colour temperature that is none.
        case useless

        var isNumber: Bool { self == .whole || self == .decimal }
    }

    private struct Member: Sendable, Hashable {
        let key: String
        let type: ValueType
        /// Only where the value itself matters.
        let value: JSONValue?
    }

    private let kind: ThingKind?
    private let actions: [String]
    private let isPlaced: Bool
    private let members: [Member]

    init(_ thing: FlareThing, kind: ThingKind?) {
        self.kind = kind
        actions = thing.actions
        isPlaced = thing.position != nil
        members = thing.data.map { key, value in
            Member(
                key: key,
                type: Self.type(of: value, key, kind),
                value: Self.matters(key) ? value : nil
            )
        }
    }

    /// Whether it is the form of a thing, found without making that.
    func isForm(of thing: FlareThing, kind: ThingKind?) -> Bool {
        guard self.kind == kind, isPlaced == (thing.position != nil), members.count == thing.data.count,
            actions == thing.actions
        else { return false }
        return thing.data.allMembers { number, key, value in
            members[number].key == key && members[number].type == Self.type(of: value, key, kind)
                && (members[number].value.map { $0 == value } ?? true)
        }
    }

    /// Whether the value itself matters, and not only its type.
    private static func matters(_ key: String) -> Bool {
        key == "options" || key == "readonly" || key == "kind"
    }

    /// Whether another form differs at most in where a thing is and in whether numbers are whole.
    func isLike(_ other: ThingForm) -> Bool {
        func isSame(_ one: Member, _ other: Member) -> Bool {
            one.key == other.key && one.value == other.value
                && (one.type == other.type || one.type.isNumber && other.type.isNumber)
        }
        return kind == other.kind && actions == other.actions && members.count == other.members.count
            && zip(members, other.members).allSatisfy(isSame)
    }

    /// How many names it keeps.
    var weight: Int {
        members.reduce(1 + actions.count) { $0 + 1 + ($1.value?.array?.count ?? 0) }
    }

    private static func type(of value: JSONValue, _ key: String, _ kind: ThingKind?) -> ValueType {
        switch value {
        case .null: .null
        case .bool: .bool
        case .number, .numeral: numberType(of: value.number ?? .nan, key, kind)
        case .string(let text): key == "brightness" && Double(text)?.isFinite == true ? .numericText : .text
        case .array: .list
        case .object: .object
        }
    }

    private static func numberType(of number: Double, _ key: String, _ kind: ThingKind?) -> ValueType {
        if let kind { return kind.followsValue(of: key) && number != number.rounded() ? .decimal : .whole }
        return key == "colorTemperature" && ColourTemperature(kelvin: number) == nil ? .useless : .whole
    }

    /// Of the keys only their ends: there are few shapes, and this is asked at every command.
    func hash(into hasher: inout Hasher) {
        var print = members.count &* 31 &+ actions.count
        for member in members {
            print = print &* 31 &+ member.key.utf8.count &* 16 &+ Int(member.type.rawValue)
            for byte in member.key.utf8.suffix(4) { print = print &* 31 &+ Int(byte) }
        }
        hasher.combine(print)
    }
}
