import Accounts
import GRDB

/// What is stored of rules, in the transaction of the turn.
enum RuleRecord: DatabaseRecord {
    /// A rule has fired, and remembers this from now on.
    case fired(StoredFiring, memory: String)
    case ended(Int64, StoredFiring.Outcome, results: String, tookMilliseconds: Int64)
    /// A rule remembers this from now on.
    case memory(Int, String)
    /// The only moment of a rule is over.
    case switchedOff(Int)

    /// The end of a firing is published without waiting for the disk; after a crash between the two the firing counts as
    /// interrupted.
    var isUrgent: Bool { if case .ended = self { false } else { true } }

    func save(_ database: Database) throws {
        switch self {
        case .fired(let firing, let memory):
            try AccountsStore.save(firing, database)
            try AccountsStore.setMemory(memory, ofRule: firing.rule, database)
        case .ended(let number, let outcome, let results, let took):
            try AccountsStore.endFiring(
                number,
                outcome,
                results: results,
                tookMilliseconds: took,
                database
            )
        case .memory(let rule, let memory):
            try AccountsStore.setMemory(memory, ofRule: rule, database)
        case .switchedOff(let rule):
            try AccountsStore.switchRule(rule, isEnabled: false, database)
        }
    }
}
