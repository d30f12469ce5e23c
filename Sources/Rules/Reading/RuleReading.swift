import Bindings
import JSON
import Text
import Things

/// What reading a rule has at hand in every form.
struct RuleReading {
    /// The thing that is meant where a rule names none.
    let thing: String?
    let places: KnownPlaces
    var warnings = RuleWarnings()
    /// What is wrong with parts that were read by ``part(_:)``, in their order.
    private(set) var refusals: [Refusal] = []

    /// Reads a part of a rule; what is wrong with it is kept, so that the parts behind it are looked at, too.
    @discardableResult
    mutating func part<Part>(_ read: (inout RuleReading) throws(Refusal) -> Part) -> Part? {
        do throws(Refusal) { return try read(&self) } catch {
            refusals.append(error)
            return nil
        }
    }

    /// What rules of all other forms have: a title, a description, and whether they are on.
    ///
    /// - Parameters:
    ///   - title: The members that may have it.
    ///   - flag: The member that says whether the rule is on, or off.
    mutating func head(
        of rule: RuleObject,
        title: [String],
        flag: String,
        isOff: Bool = false
    ) -> RuleParts {
        var parts = RuleParts()
        part { (reading) throws(Refusal) in parts.title = try reading.title(title, in: rule) }
        part { _ throws(Refusal) in
            parts.description = try RuleParts.line("description", RuleLimits.description, in: rule)
        }
        part { _ throws(Refusal) in parts.isEnabled = (try rule.flag(flag) ?? !isOff) != isOff }
        return parts
    }

    // MARK: Things, zones, fields

    static let nameRule = "a slug or an identifier of 1 to \(RuleLimits.nameBytes) bytes"

    static func isName(_ text: String) -> Bool {
        1...RuleLimits.nameBytes ~= text.utf8.count && !text.isBlank
            && !text.unicodeScalars.contains(where: HarmfulCharacters.contain)
    }

    /// The thing that a member names: the first of these that is there, else the one that is meant anyway.
    func thing(_ names: [String] = ["thing"], in object: RuleObject) throws(Refusal) -> RuleReference {
        for name in names {
            guard let value = object.optional(name) else { continue }
            guard let text = value.string else { throw object.wrongType(name, value, Self.nameRule) }
            guard Self.isName(text) else { throw object.invalid(name, value, Self.nameRule) }
            return .thing(text)
        }
        guard let thing else {
            throw object.refusal(
                .invalidValue,
                of: names.first ?? "thing",
                "is missing; it must be \(Self.nameRule)"
            )
        }
        return .thing(thing)
    }

    /// The name of a field of a thing's state.
    static func field(_ names: [String], in object: RuleObject) throws(Refusal) -> String {
        let legal = "the name of a field, of 1 to \(RuleLimits.nameBytes) bytes"
        for name in names {
            guard let value = object.optional(name) else { continue }
            guard let text = value.string else { throw object.wrongType(name, value, legal) }
            guard isName(text) else { throw object.invalid(name, value, legal) }
            return text
        }
        throw object.refusal(.invalidValue, of: names.first ?? "field", "is missing; it must be \(legal)")
    }

    // MARK: Clauses

    /// A clause, which looks at a field.
    static func clause(_ name: String, in object: RuleObject) throws(Refusal) -> StateClause {
        let json = try object.required(
            name,
            "a clause, such as {\"type\":\"eq\",\"field\":\"on\",\"value\":true}"
        )
        let path = object.path(of: name)
        let clause = try StateClause(try camelCase(json, at: path, depth: 1), at: path)
        guard clause.fields.allSatisfy(isName) else {
            throw object.refusal(.invalidValue, of: name, "must name fields without control characters")
        }
        guard !clause.fields.isEmpty else {
            throw object.refusal(.invalidValue, of: name, "must look at a field of the thing")
        }
        return clause
    }

    /// The same clause with its members in camelCase.
    private static func camelCase(_ json: JSONValue, at path: String, depth: Int) throws(Refusal) -> JSONValue
    {
        guard let members = json.object, depth <= StateClause.maximumDepth else { return json }
        var clause = JSONObject()
        for (key, value) in members {
            let name = Self.clauseNames[key] ?? key
            switch name {
            case "clause": clause[name] = try camelCase(value, at: "\(path).clause", depth: depth + 1)
            case "clauses":
                // What is too long is refused as it is.
                guard let list = value.array, list.count <= StateClause.maximumCount else {
                    clause[name] = value
                    continue
                }
                var clauses: [JSONValue] = []
                for (index, element) in list.enumerated() {
                    clauses.append(try camelCase(element, at: "\(path).clauses[\(index)]", depth: depth + 1))
                }
                clause[name] = .array(clauses)
            default: clause[name] = value
            }
        }
        return .object(clause)
    }

    private static let clauseNames = [
        "lower_limit": "lowerLimit", "lower_included": "lowerIncluded",
        "upper_limit": "upperLimit", "upper_included": "upperIncluded",
    ]

    // MARK: Texts

    /// The title of a rule in another form, whose names may be longer: it is cut, and the rest is named.
    mutating func title(_ names: [String], in object: RuleObject) throws(Refusal) -> String? {
        for name in names {
            guard let value = object.optional(name) else { continue }
            let legal = "a text on one line"
            guard let text = value.string else { throw object.wrongType(name, value, legal) }
            guard !text.isBlank else { continue }
            guard !text.unicodeScalars.contains(where: HarmfulCharacters.contain) else {
                throw object.invalid(name, value, legal)
            }
            let title = QuotedValue.clipped(text, to: RuleLimits.title)
            if title.utf8.count < text.utf8.count {
                warnings.add(object.path(of: name), "is cut to \(RuleLimits.title) characters")
            }
            return title
        }
        return nil
    }

    /// A text for people, with places for what happened.
    ///
    /// - Parameter isLine: Whether it is on one line, as it becomes a header.
    static func text(
        _ name: String,
        isLine: Bool = false,
        in object: RuleObject
    ) throws(Refusal) -> RuleText? {
        let lines = isLine ? "on one line" : "without control characters"
        let legal = "a text of 1 to \(RuleLimits.text) characters \(lines)"
        guard let text = try object.optionalText(name, legal) else { return nil }
        guard 1...RuleLimits.text ~= text.unicodeScalars.count,
            text.unicodeScalars.allSatisfy({ scalar in
                !HarmfulCharacters.contain(scalar) || !isLine && (scalar == "\n" || scalar == "\t")
            })
        else { throw object.invalid(name, .string(text), legal) }
        guard let parsed = RuleText(text) else {
            let names = RuleText.Placeholder.allCases.map { "{\($0.rawValue)}" }.joined(separator: " ")
            throw object.refusal(
                .invalidValue,
                of: name,
                "has a { that begins none of \(names); it is \(QuotedValue.of(text))"
            )
        }
        return parsed
    }
}
