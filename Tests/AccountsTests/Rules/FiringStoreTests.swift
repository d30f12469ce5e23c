import Accounts
import AccountsFixture
import GRDB
import Testing

struct FiringStoreTests {
    private let home: TestAccounts
    private let rule: Int
    private var store: AccountsStore { home.store }

    init() throws {
        home = try TestAccounts()
        rule = try home.addRule().id
    }

    private func end(
        _ seq: Int64,
        _ outcome: StoredFiring.Outcome = .done,
        results: String? = nil,
        took: Int64? = nil
    ) throws {
        try home.database.write { database in
            try AccountsStore.endFiring(
                seq,
                outcome,
                results: results,
                tookMilliseconds: took,
                database
            )
        }
    }

    private func numbers(_ limit: Int = 100, before seq: Int64? = nil) throws -> [Int64] {
        try store.firings(ofRule: rule, limit: limit, before: seq).map(\.seq)
    }

    // MARK: Writing

    @Test func `a firing is read as it was stored, before and after its end`() throws {
        var firing = StoredFiring(
            3,
            epoch: "e",
            rule: rule,
            at: 20,
            why: "state radiator room_temp 29 -> 30"
        )
        try home.save([firing])
        #expect(try store.firings(ofRule: rule, limit: 5) == [firing])
        try end(3, .failed, results: "[null]", took: 12)
        (firing.outcome, firing.results, firing.tookMilliseconds) = (.failed, "[null]", 12)
        #expect(try store.firings(ofRule: rule, limit: 5) == [firing])
        // A record that is written again replaces itself.
        try home.save([firing])
        #expect(try store.firings(ofRule: rule, limit: 5) == [firing])
    }

    @Test(arguments: [StoredFiring.Outcome.limited, .loop])
    func `a firing that was refused has its outcome at once`(outcome: StoredFiring.Outcome) throws {
        var firing = StoredFiring.number(1, of: rule)
        firing.outcome = outcome
        try home.save([firing])
        #expect(try store.interruptFirings(notOf: "other") == 0)
        #expect(try store.firings(ofRule: rule, limit: 5) == [firing])
    }

    @Test func `the end of a firing that is gone is no error`() throws {
        try end(7)
        #expect(try home.count("firing") == 0)
    }

    @Test func `tokens in reasons and results are not stored, and a long reason is cut`() throws {
        let token = "tlt_" + String(repeating: "a", count: 43)
        let why = "state lamp key null -> \"\(token)\" " + String(repeating: "x", count: 5000)
        try home.save([StoredFiring(1, epoch: "e", rule: rule, at: 20, why: why)])
        try end(1, results: "[{\"key\":\"\(token)\"}]")
        let firing = try #require(try store.firings(ofRule: rule, limit: 1).first)
        #expect(firing.why.hasPrefix("state lamp key null -> \"") && firing.why.utf8.count <= 4096)
        #expect(!firing.why.contains("aaaa") && firing.results?.contains("aaaa") == false)
    }

    @Test func `a memory replaces the last one, and a rule that is gone has none`() throws {
        try home.remember("1", of: rule)
        try home.remember("2", of: rule)
        try home.remember("3", of: 99)
        #expect(try store.ruleMemories() == [rule: "2"])
        #expect(try home.count("rule_state") == 1)
    }

    @Test func `a record about a rule that is gone is no error`() throws {
        try store.removeRule(rule)
        try home.save([.number(1, of: rule)])
        try home.remember("m", of: rule)
        try home.database.write { try AccountsStore.switchRule(rule, isEnabled: false, $0) }
        #expect(try store.rules().isEmpty && store.ruleMemories().isEmpty)
        #expect(try numbers() == [1])
    }

    // MARK: Starting

    @Test func `numbers go on after the last one, also if its row is gone`() throws {
        #expect(try store.lastFiringNumber() == 0)
        try home.save([.number(1, of: rule), .number(8, of: rule), .number(5, of: rule)])
        #expect(try store.lastFiringNumber() == 8)
        try store.trimFirings(before: .max, rows: 0)
        #expect(try home.count("firing") == 0 && store.lastFiringNumber() == 8)
    }

    @Test(arguments: [Int64.max, 1 << 54, -7, .min])
    func `the number of a damaged row is not counted on from`(seq: Int64) throws {
        try home.save([.number(4, of: rule), .number(seq, of: rule)])
        #expect(try store.lastFiringNumber() == 4)
        try home.save([.number(5, of: rule)])
        #expect(try store.lastFiringNumber() == 5)
    }

    @Test func `firings of another run that have not ended are interrupted`() throws {
        let old = (1...4).map { StoredFiring($0, epoch: "old", rule: rule, at: 10, why: "once") }
        try home.save(old + [.number(5, of: rule)])
        try end(2, .done)
        try end(3, .failed)
        #expect(try store.interruptFirings(notOf: "now") == 2)
        let outcomes = try store.firings(ofRule: rule, limit: 10).map(\.outcome)
        #expect(outcomes == [.interrupted, .done, .failed, .interrupted, nil])
        #expect(try store.interruptFirings(notOf: "now") == 0)
    }

    // MARK: Reading

    @Test func `the newest firings of a rule come, newest last, and older ones by number`() throws {
        let other = try home.addRule().id
        try home.save((1...9).map { .number($0, of: $0 % 3 == 0 ? other : rule) })
        #expect(try numbers() == [1, 2, 4, 5, 7, 8])
        #expect(try numbers(2) == [7, 8])
        #expect(try numbers(2, before: 7) == [4, 5])
        #expect(try numbers(5, before: 2) == [1])
        #expect(try numbers(5, before: 1).isEmpty && numbers(0).isEmpty && numbers(-1).isEmpty)
        #expect(try store.firings(ofRule: other, limit: 1).map(\.seq) == [9])
        #expect(try store.firings(ofRule: 99, limit: 1).isEmpty)
    }

    @Test func `each rule that has fired has its last firing`() throws {
        let (other, quiet) = (try home.addRule().id, try home.addRule().id)
        try home.save((1...5).map { .number($0, of: $0 == 2 ? other : rule) })
        try home.save([.number(6, of: 99)])
        #expect(try store.lastFirings() == [rule: .number(5, of: rule), other: .number(2, of: other)])
        #expect(try store.lastFirings()[quiet] == nil)
        #expect(try store.lastFirings(ofRules: [other, quiet, 98]) == [other: .number(2, of: other)])
    }

    @Test func `damaged rows are left out`() throws {
        try home.save((1...3).map { .number($0, of: rule) })
        try home.execute("UPDATE firing SET outcome = 'eaten' WHERE seq = 2")
        #expect(try numbers() == [1, 3])
        try home.loosen(
            "firing",
            "seq INTEGER PRIMARY KEY AUTOINCREMENT, epoch, rule, at, why, outcome, results, took_ms"
        )
        try home.loosen("rule_state", "rule INTEGER PRIMARY KEY, memory")
        try home.remember("m", of: rule)
        try home.execute("UPDATE firing SET why = NULL, at = 'x' WHERE seq = 3")
        try home.execute("UPDATE rule_state SET memory = NULL")
        #expect(try numbers() == [1] && store.lastFirings().isEmpty && store.ruleMemories().isEmpty)
        #expect(try store.interruptFirings(notOf: "other") == 2)
        #expect(code { try store.trimFirings(before: 5, rows: 1) } == nil)
        #expect(try home.count("firing") == 1)
    }

    // MARK: Limits

    @Test func `firings that are too old are removed, whatever their numbers`() throws {
        // The clock was set back after the second one.
        let times: [Int64] = [100, 900, 200, 300]
        try home.save(zip(1..., times).map { .number($0, of: rule, at: $1) })
        try store.trimFirings(before: 300, rows: 10)
        #expect(try numbers() == [2, 4])
    }

    @Test func `firings are trimmed by their numbers alone, too`() throws {
        try home.save((1...6).map { .number($0, of: rule) })
        try home.save([.number(1 << 60, of: rule)])
        try store.trimFirings(rows: 6)
        #expect(try home.count("firing") == 7)
        try store.trimFirings(rows: 2)
        #expect(try numbers() == [5, 6, 1 << 60])
        try store.trimFirings(rows: 0)
        try store.trimFirings(rows: 0)
        #expect(try numbers() == [1 << 60])
    }

    @Test func `of too many firings the oldest are removed, of all rules together`() throws {
        let other = try home.addRule().id
        try home.save((1...6).map { .number($0 * 10, of: $0 == 5 ? other : rule) })
        try store.trimFirings(before: 0, rows: 6)
        #expect(try home.count("firing") == 6)
        try store.trimFirings(before: 0, rows: 3)
        #expect(try numbers() == [40, 60])
        #expect(try store.firings(ofRule: other, limit: 5).map(\.seq) == [50])
        try store.trimFirings(before: 0, rows: -1)
        #expect(try home.count("firing") == 0)
    }
}
