package import JSON
package import Things

/// A rule that was read, and what it was read from.
package struct ReadRule: Sendable, Hashable {
    package let rule: Rule
    package let form: RuleForm
    /// The first ``RuleLimits/warnings`` members that mean nothing here.
    package let warnings: [RuleWarning]
    /// What came in.
    let received: JSONValue

    /// What came in, without secrets.
    ///
    /// Made when it is asked for: most rules are read from the database, which has it already.
    package var original: JSONValue { RuleOriginal.stripped(received) }
}

/// All that is wrong with a rule; at least one refusal.
struct RuleRefusals: Error {
    let all: [Refusal]

    init(_ first: Refusal, _ others: [Refusal] = []) { all = [first] + others }
}

/// Reads rules in all their forms.
///
/// Everything is checked that can be checked without a place: sizes, counts, words, numbers and how the parts
/// fit. Whether things are there, whether they take what is set, and who may, is checked later.
/// - Source: contrib/contract/rules.md, "A rule" and "Four spellings".
package struct RuleReader: Sendable {
    private let thing: String?

    /// - Parameter thing: What is meant where a rule names no thing: a slug or an identifier.
    package init(thing: String? = nil) { self.thing = thing }

    /// Reads one rule.
    ///
    /// - Parameter form: The only form that is accepted; any, if there is none.
    /// - Throws: `too_large`, `wrong_type` or `invalid_value`, with the path of the member at fault.
    package func read(_ json: JSONValue, as form: RuleForm? = nil) throws(Refusal) -> ReadRule {
        try read(json, as: form, places: .none)
    }

    /// - Parameter places: Those of the file; a rule may have its own.
    func read(_ json: JSONValue, as only: RuleForm? = nil, places: KnownPlaces) throws(Refusal) -> ReadRule {
        var reading = RuleReading(thing: thing, places: places)
        return try read(json, as: only, &reading)
    }

    /// Reads one rule, and goes on after what is wrong with a part of it.
    ///
    /// - Throws: All that was found to be wrong.
    func readAll(_ json: JSONValue, places: KnownPlaces) throws(RuleRefusals) -> ReadRule {
        var reading = RuleReading(thing: thing, places: places)
        do throws(Refusal) { return try read(json, as: nil, &reading) } catch {
            // The first one that was kept is the one that is thrown.
            throw RuleRefusals(error, Array(reading.refusals.dropFirst()))
        }
    }

    private func read(
        _ json: JSONValue,
        as only: RuleForm?,
        _ reading: inout RuleReading
    ) throws(Refusal) -> ReadRule {
        try Self.checkSize(json)
        let (form, object) = try RuleForm.recognised(json)
        guard only == nil || form == only else {
            throw Refusal(.invalidValue, "the rule must be a \(only?.rawValue ?? ""), is a \(form.rawValue)")
        }
        if let thing, !RuleReading.isName(thing) {
            throw Refusal(.invalidValue, "thing must be \(RuleReading.nameRule)", field: "thing")
        }
        let parts =
            switch form {
            case .rule: OwnForm.parts(object, &reading)
            case .trigger: KiiTrigger.parts(object, &reading)
            case .schedule: AylaSchedule.parts(object, &reading)
            case .automation: LocationAutomation.parts(object, &reading)
            case .propertyNotification: PropertyNotification.parts(object, &reading)
            case .deviceNotification: DeviceNotification.parts(object, &reading)
            }
        if let refusal = reading.refusals.first { throw refusal }
        return ReadRule(
            rule: try parts.rule(),
            form: form,
            warnings: reading.warnings.all,
            received: json
        )
    }

    private static func checkSize(_ json: JSONValue) throws(Refusal) {
        guard json.hasDepth(atMost: RuleLimits.depth) else {
            throw Refusal(.invalidValue, "a rule must have at most \(RuleLimits.depth) levels")
        }
        var buffer = JSONBuffer()
        buffer.write(json)
        guard buffer.count <= RuleLimits.bytes else {
            throw Refusal(
                .tooLarge,
                "a rule must have at most \(RuleLimits.bytes) bytes, has \(buffer.count)"
            )
        }
    }
}

extension JSONValue {
    /// Whether no more lists and objects are within each other.
    func hasDepth(atMost depth: Int) -> Bool {
        switch self {
        case .null, .bool, .number, .numeral, .string: true
        case .array(let elements): depth > 0 && elements.allSatisfy { $0.hasDepth(atMost: depth - 1) }
        case .object(let members): depth > 0 && members.allSatisfy { $0.value.hasDepth(atMost: depth - 1) }
        }
    }
}
