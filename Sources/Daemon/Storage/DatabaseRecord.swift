import GRDB

/// What a capability stores in a table of its own: the value of a ``SliceRecord``.
protocol DatabaseRecord: Sendable, Hashable {
    func save(_ database: Database) throws
}
