import Flare
import JSON
import Rules
import Testing
import Things

struct RuleRoundTripTests {
    @Test func `a rule is read as it was written`() throws {
        for seed in UInt64(0)..<300 {
            var random = RandomRule(seed: seed)
            let rule = try random.rule()
            let written = try JSONValue(parsing: JSONValue.object(rule.json).bytes)
            let read = try RuleReader().read(written)
            #expect(read.rule == rule, "seed \(seed): \(written)")
            #expect(read.form == .rule)
            #expect(read.warnings.isEmpty, "seed \(seed): \(read.warnings)")
            #expect(!rule.sentence.isEmpty)
            _ = rule.uses
        }
    }

    @Test func `names become identifiers and names again`() throws {
        for seed in UInt64(0)..<200 {
            var random = RandomRule(seed: seed)
            let rule = try random.rule()
            // A name for each identifier, and back.
            var names: [String: FlareID] = [:]
            let named = rule.named { kind, id in
                let name = "\(kind.rawValue)-\(id)".uppercased()
                names[name] = id
                return name
            }
            let read = try RuleReader().read(.object(named.json)).rule
            let resolved = try read.resolved { _, text throws(Refusal) in
                guard let id = names[text] else { throw Refusal(.unknownThing, "there is no \(text)") }
                return id
            }
            #expect(resolved == rule, "seed \(seed)")
        }
    }

    @Test func `what cannot be resolved is named by its path`() throws {
        let rule = try RuleReader().read([
            "when": [["on": "state", "thing": "a", "field": "f"], ["on": "enter", "zone": "z"]],
            "if": [["near": ["a", "b"]]], "then": [["set": ["on": true], "target": "zone:y"]],
        ]).rule
        for (missing, path) in [
            ("z", "when[1].zone"), ("b", "if[0].near[1]"), ("y", "then[0].target"), ("a", "when[0].thing"),
        ] {
            let refusal = #expect(throws: Refusal.self) {
                try rule.resolved { _, text throws(Refusal) in
                    guard text != missing else { throw Refusal(.unknownThing, "there is no thing \(text)") }
                    return FlareID(high: 1, low: 2)
                }
            }
            #expect(refusal?.field == path)
            #expect(refusal?.message == "\(path): there is no thing \(missing)")
        }
    }
}
