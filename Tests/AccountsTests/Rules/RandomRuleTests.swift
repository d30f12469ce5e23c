import Accounts
import AccountsFixture
import GRDB
import People
import SeededRandom
import Testing

/// Random changes of the tables of rules, beside lists that do the same in the simplest way.
struct RandomRuleTests {
    private struct Model {
        var rules: [StoredRule] = []
        var memories: [Int: String] = [:]
        var firings: [StoredFiring] = []
        var lastRule = 0
        var lastFiring: Int64 = 0

        mutating func add(_ new: NewRule, at now: Int64) -> StoredRule {
            let slugs = [new.slug] + (2...1000).map { "\(new.slug)-\($0)" }
            let free = slugs.first { slug in !rules.contains { $0.slug == slug } }
            lastRule += 1
            let rule = StoredRule(lastRule, new, slug: free ?? "", added: now)
            rules.append(rule)
            return rule
        }

        mutating func change(_ edited: StoredRule) {
            for index in rules.indices where rules[index].id == edited.id {
                if rules[index].body != edited.body { memories[edited.id] = nil }
                rules[index] = edited
            }
        }

        mutating func fire(_ firing: StoredFiring) {
            firings.append(firing)
            lastFiring = firing.seq
        }

        mutating func end(_ seq: Int64, _ change: (inout StoredFiring) -> Void) {
            for index in firings.indices where firings[index].seq == seq { change(&firings[index]) }
        }

        mutating func interrupt(notOf epoch: String) -> Int {
            let open = firings.indices.filter {
                firings[$0].outcome == nil && firings[$0].epoch != epoch
            }
            for index in open { firings[index].outcome = .interrupted }
            return open.count
        }

        mutating func trim(before time: Int64, rows: Int) {
            firings = Array(firings.filter { $0.at >= time }.suffix(rows))
        }

        func firings(ofRule id: Int, limit: Int, before seq: Int64) -> [StoredFiring] {
            Array(firings.filter { $0.rule == id && $0.seq < seq }.suffix(limit))
        }

        var lastFirings: [Int: StoredFiring] {
            var last: [Int: StoredFiring] = [:]
            for firing in firings where rules.contains(where: { $0.id == firing.rule }) {
                last[firing.rule] = firing
            }
            return last
        }
    }

    /// The tables and the model, which get the same changes.
    private struct Pair {
        let home: TestAccounts
        var model = Model()
        var random: SplitMix64
        private var store: AccountsStore { home.store }

        init(seed: UInt64) throws {
            (home, random) = (try TestAccounts(), SplitMix64(seed: seed))
        }

        /// Mostly of a rule that is there.
        private mutating func rule() -> Int {
            random.chance(6)
                ? 1 + random.number(below: model.lastRule + 2)
                : random.pick(model.rules.map(\.id), else: 1)
        }

        private mutating func number(_ bound: Int) -> Int64 { Int64(random.number(below: bound)) }

        mutating func change() throws {
            switch random.number(below: 12) {
            case 0, 1: try add()
            case 2: try edit()
            case 3: try switchRule()
            case 4: try remove()
            case 5: try remember()
            case 6, 7: try fire()
            case 8: try end()
            case 9: try interrupt()
            case 10: try trim()
            default: try compareFirings()
            }
        }

        private mutating func add() throws {
            var new = NewRule.named(random.pick(["lamp", "lamp-2", "door"], else: "x"), of: home.bob)
            new.isEnabled = !random.chance(3)
            new.original = random.chance(2) ? "{}" : nil
            let now = number(1000)
            let (added, expected) = (try store.addRule(new, at: now), model.add(new, at: now))
            #expect(added == expected)
        }

        private mutating func edit() throws {
            let id = rule()
            guard var edited = model.rules.first(where: { $0.id == id }) else {
                let unknown = StoredRule(id, .named("x", of: home.bob), slug: "x", added: 1)
                let refusal = code { try store.changeRule(unknown) }
                #expect(refusal == "unknown")
                return
            }
            edited.title = "title \(number(5))"
            edited.maker = random.chance(2) ? home.bob : home.owner
            if random.chance(2) { edited.body = "{\(number(3))}" }
            edited.changed = number(1000)
            try store.changeRule(edited)
            model.change(edited)
        }

        private mutating func switchRule() throws {
            let (id, isEnabled, isRecord) = (rule(), random.chance(2), random.chance(2))
            let isKnown = model.rules.contains { $0.id == id }
            if isRecord {
                try home.database.write { try AccountsStore.switchRule(id, isEnabled: isEnabled, $0) }
            } else {
                let refusal = code { try store.setRule(id, isEnabled: isEnabled) }
                #expect(refusal == (isKnown ? nil : "unknown"))
            }
            for index in model.rules.indices where model.rules[index].id == id {
                model.rules[index].isEnabled = isEnabled
            }
        }

        private mutating func remove() throws {
            let id = rule()
            let isKnown = model.rules.contains { $0.id == id }
            let isRemoved = try store.removeRule(id)
            #expect(isRemoved == isKnown)
            model.rules.removeAll { $0.id == id }
            model.memories[id] = nil
        }

        private mutating func remember() throws {
            let (id, memory) = (rule(), "{\(number(100))}")
            try home.remember(memory, of: id)
            if model.rules.contains(where: { $0.id == id }) { model.memories[id] = memory }
        }

        private mutating func fire() throws {
            // Numbers may be left out.
            let seq = model.lastFiring + 1 + number(3)
            var firing = StoredFiring(
                seq,
                epoch: random.chance(2) ? "old" : "now",
                rule: rule(),
                at: number(1000),
                why: "why \(seq)"
            )
            if random.chance(4) { firing.outcome = random.pick([.limited, .loop], else: .loop) }
            try home.save([firing])
            model.fire(firing)
        }

        private mutating func end() throws {
            let seq = 1 + number(Int(model.lastFiring) + 1)
            let outcome = random.pick(StoredFiring.Outcome.allCases, else: .done)
            let (results, took) = (random.chance(2) ? "[\(seq)]" : nil, number(50))
            try home.database.write { database in
                try AccountsStore.endFiring(
                    seq,
                    outcome,
                    results: results,
                    tookMilliseconds: took,
                    database
                )
            }
            model.end(seq) { ($0.outcome, $0.results, $0.tookMilliseconds) = (outcome, results, took) }
        }

        private mutating func interrupt() throws {
            let epoch = random.chance(2) ? "old" : "now"
            let (count, expected) = (
                try store.interruptFirings(notOf: epoch), model.interrupt(notOf: epoch)
            )
            #expect(count == expected)
        }

        private mutating func trim() throws {
            let (time, rows) = (number(200), random.number(below: 20))
            try store.trimFirings(before: time, rows: rows)
            model.trim(before: time, rows: rows)
        }

        private mutating func compareFirings() throws {
            let (id, limit) = (rule(), random.number(below: 4))
            let seq = number(Int(model.lastFiring) + 2)
            let found = try store.firings(ofRule: id, limit: limit, before: seq)
            let expected = model.firings(ofRule: id, limit: limit, before: seq)
            #expect(found == expected)
        }

        func compare() throws {
            let list = try store.readRules()
            #expect(list.rules == model.rules && list.damaged.isEmpty)
            #expect(try store.ruleMemories() == model.memories)
            #expect(try store.lastFiringNumber() == model.lastFiring)
            #expect(try store.lastFirings() == model.lastFirings)
            #expect(try home.count("firing") == model.firings.count)
            #expect(try home.count("rule_state") == model.memories.count)
        }
    }

    @Test(arguments: [UInt64](1...10))
    func `the tables say after any changes what plain lists say`(seed: UInt64) throws {
        var pair = try Pair(seed: seed)
        for _ in 0..<150 {
            try pair.change()
            try pair.compare()
        }
    }
}
