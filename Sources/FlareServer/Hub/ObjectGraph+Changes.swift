import Flare
import JSON

// Creation, change and removal of objects by REST, import and the command line. Only in-process clients are notified:
// the original server announces none of it.
// - Source: contrib/contract/flare-protocol.md, "2.1 Requests and answers".
extension ObjectGraph {
    /// Adds objects in the given order, all or none.
    func planInsert(
        _ records: [FlareRecord],
        now: String,
        limit: Int
    ) throws(FlareHubError) -> (transaction: Transaction, inserted: [FlareRecord]) {
        guard records.count <= limit - count else { throw .tooManyObjects(limit: limit) }
        var transaction = Transaction()
        var inserted: [FlareRecord] = []
        var fresh: Set<ObjectReference> = []
        for (offset, draft) in records.enumerated() {
            guard self[draft.reference] == nil, fresh.insert(draft.reference).inserted else {
                throw .duplicate(draft)
            }
            let record = draft.created(at: now)
            transaction.changes.append(.insert(record, sequence: nextSequence + offset))
            inserted.append(record)
        }
        transaction.announceModel(inserted)
        return (transaction, inserted)
    }

    /// Changes an object's members, except those that cannot change; `nil` when it does not exist.
    func planUpdate(
        _ reference: ObjectReference,
        now: String,
        _ change: (inout JSONObject) throws -> Void
    ) rethrows -> (transaction: Transaction, record: FlareRecord)? {
        guard let entry = self[reference] else { return nil }
        var record = entry.record
        try change(&record.members)
        record.complete()
        var transaction = Transaction()
        transaction.update(&record, entry.sequence, now: now)
        transaction.announceModel([record])
        if entry.record.home != record.home { transaction.announceModel([entry.record], areGone: true) }
        return (transaction, record)
    }

    /// Removes a single object; `nil` when it does not exist.
    func planRemove(_ reference: ObjectReference) -> (transaction: Transaction, record: FlareRecord)? {
        guard let entry = self[reference] else { return nil }
        var transaction = Transaction()
        transaction.changes.append(.remove(reference, sequence: entry.sequence))
        transaction.announceModel([entry.record], areGone: true)
        return (transaction, entry.record)
    }

    /// Adds objects; existing ones are replaced and keep `created` and their position in lists.
    func planImport(_ records: [FlareRecord], now: String, limit: Int) throws(FlareHubError) -> Transaction {
        var transaction = Transaction()
        var sequence = nextSequence
        var moved: [FlareRecord] = []
        for draft in records {
            var record = draft.created(at: now)
            if let old = self[draft.reference] {
                if old.record.home != record.home { moved.append(old.record) }
                record.members["created"] = old.record.members["created"]
                transaction.changes.append(.update(record, sequence: old.sequence))
            } else {
                transaction.changes.append(.insert(record, sequence: sequence))
                sequence += 1
            }
        }
        guard sequence - nextSequence <= limit - count else { throw .tooManyObjects(limit: limit) }
        transaction.announceModel(records + moved)
        return transaction
    }
}

extension FlareRecord {
    /// The new object: sets `created`, and `modified` if it is absent.
    fileprivate func created(at now: String) -> FlareRecord {
        var record = self
        record.complete()
        record.members["created"] = .string(now)
        if record.members["modified"]?.string == nil { record.members["modified"] = .string(now) }
        return record
    }
}

extension Transaction {
    /// Announces changed objects once per environment: as the object if it is the only one, otherwise as the
    /// environment.
    fileprivate mutating func announceModel(_ records: [FlareRecord], areGone: Bool = false) {
        var environments: [FlareID] = []
        var changed: [FlareID: (only: FlareRecord?, isWhole: Bool)] = [:]
        for record in records {
            guard let home = record.home else { continue }
            let isWhole = record.kind == .environment
            if let known = changed[home] {
                changed[home] = (nil, known.isWhole || isWhole)
            } else {
                environments.append(home)
                changed[home] = (record, isWhole)
            }
        }
        for home in environments {
            guard let change = changed[home] else { continue }
            announce(
                .changed(change.only, isGone: areGone, in: home),
                to: .inProcess(wantingAllOf: change.isWhole ? nil : home)
            )
        }
    }
}

extension FlareNotice {
    /// - Parameter record: The only object of the environment that has changed; `nil` when there are several.
    fileprivate static func changed(_ record: FlareRecord?, isGone: Bool, in home: FlareID) -> Self {
        guard let record else { return .modelChanged(ObjectReference(.environment, home), environment: home) }
        guard record.kind == .thing else { return .modelChanged(record.reference, environment: home) }
        return .thingChanged(record.id, isGone ? nil : FlareThing(json: record.json), environment: home)
    }
}
