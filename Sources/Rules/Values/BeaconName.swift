/// Which beacons a rule means: one, or all of a group.
///
/// - Source: contrib/contract/rules.md, "State and places"; the text form is that of the AltBeacon library,
///   which AMAP stored.
package enum BeaconName: Sendable, Hashable {
    /// The UUID is in upper case with hyphens; without a minor or a major number all of the group are meant.
    case iBeacon(uuid: String, major: UInt16?, minor: UInt16?)
    /// Both are digits in upper case; without an instance all of the namespace are meant.
    case eddystone(namespace: String, instance: String?)

    /// What a text may be, for messages.
    package static let rule =
        "id1: with a UUID, id2: with major, id3: with minor; or id1: with a namespace, id2: with an instance of "
        + instanceRule
    /// What an instance may be, for messages: the scanner has the last eight digits as two decimal numbers, and no others.
    static let instanceRule = "0000, whatever the beacon has there, and eight digits from 0 to 9"

    /// `nil` if the UUID is none, or if there is a minor number without a major one.
    package init?(uuid: String, major: UInt16? = nil, minor: UInt16? = nil) {
        guard let uuid = Self.uuid(uuid), major != nil || minor == nil else { return nil }
        self = .iBeacon(uuid: uuid, major: major, minor: minor)
    }

    /// `nil` unless these are 20 hexadecimal digits and an instance that can be heard; `0x` may be before them.
    package init?(namespace: String, instance: String? = nil) {
        guard let namespace = Self.digits(namespace, 20) else { return nil }
        guard let instance else {
            self = .eddystone(namespace: namespace, instance: nil)
            return
        }
        guard let instance = Self.digits(instance, 12), instance.hasPrefix("0000"),
            instance.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        self = .eddystone(namespace: namespace, instance: instance)
    }

    /// The text form: `id1: … id2: … id3: …`; two of them are Eddystone-UID.
    package var text: String {
        switch self {
        case .iBeacon(let uuid, let major, let minor):
            "id1: \(uuid)" + (major.map { " id2: \($0)" } ?? "") + (minor.map { " id3: \($0)" } ?? "")
        case .eddystone(let namespace, let instance):
            "id1: 0x\(namespace)" + (instance.map { " id2: 0x\($0)" } ?? "")
        }
    }
}

// MARK: - Reading

extension BeaconName {
    /// Reads the text form; `nil` for any other text.
    package init?(_ text: String) {
        guard text.utf8.count <= 200, let ids = Self.ids(in: text) else { return nil }
        switch ids.count {
        case 1:
            if let name = BeaconName(uuid: ids[0]) ?? BeaconName(namespace: ids[0]) {
                self = name
                return
            }
        case 2:
            if let name = BeaconName(namespace: ids[0], instance: ids[1]) {
                self = name
                return
            }
        case 3:
            if let major = UInt16(ids[1]), let minor = UInt16(ids[2]),
                let name = BeaconName(uuid: ids[0], major: major, minor: minor)
            {
                self = name
                return
            }
        default: break
        }
        return nil
    }

    /// Whether a text is meant as a name of this form.
    static func isText(_ text: String) -> Bool {
        text.drop { $0 == " " }.lowercased().hasPrefix("id1:")
    }

    /// What is behind `id1:`, `id2:` and `id3:`, in this order.
    private static func ids(in text: String) -> [String]? {
        let words = text.split { " ,\t".contains($0) }.map(String.init)
        var ids: [String] = []
        var rest = words[...]
        while var word = rest.popFirst() {
            let label = "id\(ids.count + 1):"
            guard word.lowercased().hasPrefix(label) else { return nil }
            word.removeFirst(label.count)
            // The space behind the colon may be missing.
            if word.isEmpty {
                guard let next = rest.popFirst() else { return nil }
                word = next
            }
            ids.append(word)
            guard ids.count <= 3 else { return nil }
        }
        return ids
    }

    private static func uuid(_ text: String) -> String? {
        guard text.utf8.count <= 36 else { return nil }
        guard let digits = digits(text.filter { $0 != "-" }, 32) else { return nil }
        var uuid = ""
        for (index, digit) in digits.enumerated() {
            if [8, 12, 16, 20].contains(index) { uuid += "-" }
            uuid.append(digit)
        }
        return uuid
    }

    private static func digits(_ text: String, _ count: Int) -> String? {
        let digits = text.hasPrefix("0x") ? text.dropFirst(2) : text[...]
        guard digits.utf8.count == count, digits.utf8.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit })
        else { return nil }
        return digits.uppercased()
    }
}
