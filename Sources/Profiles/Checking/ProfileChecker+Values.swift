import Text

// Reading fields by their types, and the sentences for those that are wrong.
extension ProfileChecker {
    mutating func report(
        _ code: ProfileProblem.Code,
        _ severity: ProfileProblem.Severity = .error,
        at position: SourcePosition,
        _ message: @autoclosure () -> String
    ) {
        findings[current].add(code, severity, at: position, message)
    }

    // MARK: Types

    mutating func object(_ key: String, in fields: ProfileFields) -> ProfileFields? {
        guard let value = fields[key] else { return nil }
        return object(value, fields.path(key))
    }

    mutating func object(_ value: PlacedValue, _ path: ValuePath) -> ProfileFields? {
        guard let members = value.members else {
            wrongType(value, path, "an object")
            return nil
        }
        return ProfileFields(members: members, position: value.position, path: path)
    }

    mutating func list(_ key: String, in fields: ProfileFields) -> [PlacedValue]? {
        value(key, in: fields, \.list, "a list")
    }

    /// The value of a key as what it must be; `nil` without one.
    private mutating func value<Value>(
        _ key: String,
        in fields: ProfileFields,
        _ read: (PlacedValue) -> Value?,
        _ legal: String
    ) -> Value? {
        guard let value = fields[key] else { return nil }
        let found = read(value)
        if found == nil { wrongType(value, fields.path(key), legal) }
        return found
    }

    /// A list that is cut where it becomes too large.
    mutating func list(_ key: String, in fields: ProfileFields, atMost limit: Int) -> [PlacedValue] {
        guard let elements = list(key, in: fields) else { return [] }
        if elements.count > limit, let value = fields[key] {
            tooLarge(value, fields.path(key), "\(elements.count) entries; at most \(limit) are legal")
        }
        return Array(elements.prefix(limit))
    }

    /// The texts of a list, with their values.
    mutating func texts(_ key: String, in fields: ProfileFields) -> [(text: String, value: PlacedValue)] {
        guard let elements = list(key, in: fields) else { return [] }
        var texts: [(String, PlacedValue)] = []
        texts.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            if case .string(let text) = element.content {
                texts.append((text, element))
            } else {
                wrongType(element, .element(fields.path(key), index), "a text")
            }
        }
        return texts
    }

    mutating func text(_ key: String, in fields: ProfileFields) -> String? {
        value(key, in: fields, \.string, "a text")
    }

    /// A text that must be there and not be empty.
    mutating func neededText(_ key: String, in fields: ProfileFields) -> String? {
        guard needs(key, in: fields), let text = text(key, in: fields) else { return nil }
        if text.isEmpty, let value = fields[key] {
            invalid(value, fields.path(key), "a text of at least one character")
            return nil
        }
        return text
    }

    mutating func boolean(_ key: String, in fields: ProfileFields) -> Bool? {
        value(key, in: fields, \.bool, "true or false")
    }

    mutating func number(_ key: String, in fields: ProfileFields) -> Double? {
        value(key, in: fields, \.number, "a number")?.value
    }

    /// A text that must be one of a few.
    mutating func choice(_ key: String, of legal: [String], in fields: ProfileFields) -> String? {
        guard let text = text(key, in: fields), let value = fields[key] else { return nil }
        guard legal.contains(text) else {
            let hint = hint(for: text, among: legal)
            invalid(value, fields.path(key), "one of \(legal.joined(separator: ", "))", hint: hint)
            return nil
        }
        return text
    }

    mutating func needs(_ key: String, in fields: ProfileFields) -> Bool {
        if fields[key] != nil { return true }
        report(.missingField, at: fields.position, "\(fields.path) has no \"\(key)\"")
        return false
    }

    // MARK: Sentences

    mutating func wrongType(_ value: PlacedValue, _ path: ValuePath, _ legal: String) {
        report(.wrongType, at: value.position, "\(path) must be \(legal) (is \(Self.quoted(value, path)))")
    }

    mutating func invalid(_ value: PlacedValue, _ path: ValuePath, _ legal: String, hint: String = "") {
        report(
            .invalidValue,
            at: value.position,
            "\(path) must be \(legal) (is \(Self.quoted(value, path)))\(hint)"
        )
    }

    mutating func outOfRange(_ value: PlacedValue, _ path: ValuePath, _ legal: String) {
        report(.outOfRange, at: value.position, "\(path) must be \(legal) (is \(Self.quoted(value, path)))")
    }

    mutating func tooLarge(_ value: PlacedValue, _ path: ValuePath, _ what: String) {
        report(.tooLarge, at: value.position, "\(path) has \(what)")
    }

    mutating func duplicate(_ name: String, at position: SourcePosition, _ path: ValuePath, first: Place) {
        report(
            .duplicate,
            at: position,
            "\(path): \(QuotedValue.of(name)) stands again (first in \(first.file):\(first.position.line))"
        )
    }

    /// Whether the name of an object is the first of its list; if it is not, a problem is added.
    mutating func isFirst(_ name: String, of fields: ProfileFields, _ places: inout FirstPlaces) -> Bool {
        guard let value = fields["name"], let first = places.insert(name, at: value.position) else {
            return true
        }
        duplicate(name, at: value.position, fields.path("name"), first: place(first))
        return false
    }

    /// `; did you mean "…"?`, or nothing.
    mutating func hint(for name: String, among candidates: some Sequence<String>) -> String {
        findings[current].mayHint() ? NearestName.hint(for: name, among: candidates) : ""
    }

    func place(_ position: SourcePosition) -> Place {
        Place(file: findings[current].file, position: position)
    }

    /// What a value is, shortened; a secret is not shown.
    private static func quoted(_ value: PlacedValue, _ path: ValuePath) -> String {
        if case .member(_, let key) = path, SDKSettings.isSecret(key) { return "***" }
        return switch value.content {
        case .list: "a list"
        case .object: "an object"
        default: QuotedValue.of(value.json)
        }
    }

    // MARK: Keys

    mutating func checkKeys(of fields: ProfileFields, _ known: KnownKeys) {
        for member in fields.members where !known.contains(member.key) {
            let hint = hint(for: member.key, among: known.names)
            report(
                .unknownKey,
                .warning,
                at: member.keyPosition,
                "\(fields.path) has an unknown member \(QuotedValue.of(member.key)); it is kept\(hint)"
            )
        }
    }

    /// Finds the keys that stand twice in an object, at any depth.
    mutating func checkRepeatedKeys(_ value: PlacedValue, path: ValuePath) {
        // Paths cost more than the search, and most files need none.
        if value.hasRepeatedKeys { reportRepeatedKeys(value, path: path) }
    }

    private mutating func reportRepeatedKeys(_ value: PlacedValue, path: ValuePath) {
        switch value.content {
        case .list(let elements):
            for (index, element) in elements.enumerated() where element.isContainer {
                reportRepeatedKeys(element, path: .element(path, index))
            }
        case .object(let members):
            var places = FirstPlaces(members.count)
            for member in members {
                if let first = places.insert(member.key, at: member.keyPosition) {
                    duplicate(
                        member.key,
                        at: member.keyPosition,
                        .member(path, member.key),
                        first: place(first)
                    )
                }
                if member.value.isContainer {
                    reportRepeatedKeys(member.value, path: .member(path, member.key))
                }
            }
        default: break
        }
    }
}

extension PlacedValue {
    var isContainer: Bool {
        switch content {
        case .list, .object: true
        default: false
        }
    }

    fileprivate var hasRepeatedKeys: Bool {
        switch content {
        case .list(let elements): return elements.contains { $0.hasRepeatedKeys }
        case .object(let members):
            return Self.areKeysRepeated(in: members) || members.contains { $0.value.hasRepeatedKeys }
        default: return false
        }
    }

    private static func areKeysRepeated(in members: [Member]) -> Bool {
        if members.count > FirstPlaces.few { return Set(members.map(\.key)).count < members.count }
        for (index, member) in members.enumerated() {
            for other in members[..<index] where other.key == member.key { return true }
        }
        return false
    }
}
