import Controller
import GRDB

/// What a capability stores in a table of its own: the value of a ``SliceRecord``.
protocol DatabaseRecord: Sendable, Hashable {
    func save(_ database: Database) throws

    /// What stores the same as an earlier record and then this one; `nil` if each is to be stored.
    func replacing(_ earlier: Self) -> Self?

    /// Whether it must be stored before the effects of its turn are published.
    ///
    /// If not, it is stored right after them, and lost if the daemon is killed between the two.
    var isUrgent: Bool { get }
}

extension DatabaseRecord {
    func replacing(_ earlier: Self) -> Self? { nil }
    var isUrgent: Bool { true }

    /// The same for a record of any kind.
    func replacing(anyKind earlier: SliceRecord) -> SliceRecord? {
        guard let earlier = earlier.value as? Self, let both = replacing(earlier) else { return nil }
        return SliceRecord(both)
    }
}
