/// All sessions and tokens in memory, so that a claim is answered without waiting for the database.
///
/// Uses are collected and written now and then.
package struct SecretIndex: Sendable {
    /// A use that is to be written.
    package struct Use: Sendable, Hashable {
        package let hash: [UInt8]
        package let used: Int64
        /// The new end of a session.
        package let until: Int64?
    }

    /// Uses closer together than this are one, milliseconds.
    private static let resolution: Int64 = 60_000

    private var records: [[UInt8]: SecretRecord] = [:]
    private var uses: Set<[UInt8]> = []
    private let sessionLifetime: Int64

    /// - Parameters:
    ///   - sessionLifetime: How long a session lasts after its last use, milliseconds.
    ///   - former: What it replaces; uses that could not be written yet are kept.
    package init(_ records: [SecretRecord] = [], sessionLifetime: Int64, replacing former: SecretIndex? = nil)
    {
        self.sessionLifetime = sessionLifetime
        for record in records where record.kind != .link {
            self.records[record.hash] = record.used(as: former?.records[record.hash])
        }
        uses = (former?.uses ?? []).filter { self.records[$0] != nil }
    }

    /// Adds and removes some.
    ///
    /// - Parameters:
    ///   - hashes: Which ones; those that are not among the records are gone.
    mutating func change(_ hashes: [[UInt8]], to records: [SecretRecord]) {
        let new = Dictionary(records.map { ($0.hash, $0) }) { first, _ in first }
        for hash in hashes {
            if let record = new[hash] {
                self.records[hash] = record.used(as: self.records[hash])
            } else {
                self.records[hash] = nil
                uses.remove(hash)
            }
        }
    }

    /// The secret that was brought, which counts as a use; `nil` if it is unknown or has ended.
    ///
    /// Whether its user is active is for the check to say.
    package mutating func use(_ secret: SecretToken, at now: Int64) -> SecretRecord? {
        let hash = secret.hash
        guard var record = records[hash], record.kind == secret.kind, record.counts(at: now) else {
            return nil
        }
        if record.used.map({ now - $0 >= Self.resolution || now < $0 }) ?? true {
            record.used = now
            if record.kind == .session { record.until = now + sessionLifetime }
            records[hash] = record
            uses.insert(hash)
        }
        return record
    }

    /// Uses that could not be written are returned by the next ``takeUses()``.
    mutating func keep(_ uses: [Use]) {
        self.uses.formUnion(uses.map(\.hash).filter { records[$0] != nil })
    }

    /// When a secret ends, milliseconds since 1970, UTC; `nil` for one that does not, and for an unknown one.
    package func end(of secret: SecretToken) -> Int64? { records[secret.hash]?.until }

    /// The uses since the last call, to be written.
    package mutating func takeUses() -> [Use] {
        defer { uses = [] }
        return uses.compactMap { hash in
            records[hash].flatMap { record in
                record.used.map {
                    Use(hash: hash, used: $0, until: record.kind == .session ? record.until : nil)
                }
            }
        }
    }
}

extension SecretRecord {
    /// The record with the last use that is known of it, which may not be stored yet.
    fileprivate func used(as known: SecretRecord?) -> SecretRecord {
        guard let known, known.used ?? .min > used ?? .min else { return self }
        var record = self
        record.used = known.used
        if kind == .session { record.until = known.until }
        return record
    }
}
