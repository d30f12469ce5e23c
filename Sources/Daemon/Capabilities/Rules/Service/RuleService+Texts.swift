import Accounts
import Flare
import JSON
import Rules
import Things

/// The texts of rules, which are read from the database when somebody asks.
extension RuleService {
    /// A rule with its texts; `nil` if it has been edited or removed meanwhile.
    ///
    /// - Throws: If the database cannot be read.
    func storedRule(_ known: Known) throws(Refusal) -> StoredRule? {
        let stored = try withRuleRefusals { () throws(AccountsError) in
            try accounts.store.rule(known.stored.id)
        }
        return stored.flatMap { $0.changed == known.stored.changed ? $0 : nil }
    }

    /// What a rule came in as, without secrets; `nil` if that was not kept.
    func original(of known: Known) throws(Refusal) -> JSONValue? { try storedRule(known)?.json }

    /// All rules, by number, and what those of a form came in as.
    func all(withOriginalsOf form: RuleForm) throws(Refusal) -> (rules: [Known], originals: [Int: JSONValue])
    {
        let stored = try withRuleRefusals { () throws(AccountsError) in
            try accounts.store.rules(ofForm: form.rawValue)
        }
        return (all, stored.reduce(into: [:]) { $0[$1.id] = $1.json })
    }
}

extension StoredRule {
    /// What the rule's objects were called when it came in, in its order; empty if what came in does not tell.
    ///
    /// What was called by its identifier has an empty text.
    /// - Parameter rule: That of the body.
    func names(in rule: Rule) -> [String] {
        guard let read = readOriginal else { return [] }
        let (names, objects) = (read.allReferences, rule.allReferences)
        guard names.count == objects.count else { return [] }
        let texts = zip(names, objects).map { name, object in
            name.kind == object.kind && name.id == nil ? name.text : ""
        }
        return texts.allSatisfy(\.isEmpty) ? [] : texts
    }

    /// What came in; `nil` if it was not kept, or is no JSON.
    fileprivate var json: JSONValue? { original.flatMap { try? JSONValue(parsing: $0) } }

    /// The rule as it came in, with the names in it; `nil` if that cannot be read.
    var readOriginal: Rule? {
        guard let form = RuleForm(rawValue: form),
            let json
        else { return nil }
        return (try? RuleReader().read(json, as: form))?.rule
    }

    /// The rule of the body, on or off as the row says.
    ///
    /// - Throws: What is wrong with a damaged body.
    var rule: Rule {
        get throws(Refusal) {
            let json: JSONValue
            do throws(JSONError) { json = try JSONValue(parsing: body) } catch {
                throw Refusal(.badJSON, "the body is no JSON: \(error)")
            }
            var rule = try RuleReader().read(json, as: .rule).rule
            rule.isEnabled = isEnabled
            return rule
        }
    }
}

extension Rule {
    /// What its things and zones were called.
    ///
    /// - Parameter names: In its order: see ``StoredRule/names(in:)``.
    func objects(called names: [String]) -> [ObjectReference: String] {
        zip(allReferences, names).reduce(into: [:]) { found, pair in
            let (object, name) = pair
            guard let id = object.id, !name.isEmpty else { return }
            found[ObjectReference(object.kind, id)] = name
        }
    }

    /// The things and zones that it names, in its order.
    fileprivate var allReferences: [RuleReference] {
        var all: [RuleReference] = []
        _ = try? resolved { kind, text throws(Refusal) in
            all.append(RuleReference(kind, text))
            return FlareID(high: 0, low: 0)
        }
        return all
    }
}
