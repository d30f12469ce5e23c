import Flare

// What REST, import and the command line do: whole objects made, changed and removed. Only the parts of this
// program hear of it, for the origin does not tell (flare-protocol 2.1).
extension ObjectGraph {
    /// Adds objects in the order given, or none.
    func planInsert(
        _ records: [FlareRecord],
        now: String,
        limit: Int
    ) throws(FlareHubError) -> (plan: Transaction, inserted: [FlareRecord]) {
        guard records.count <= limit - count else { throw .tooManyObjects(limit: limit) }
        var plan = Transaction()
        var inserted: [FlareRecord] = []
        var fresh: Set<ObjectReference> = []
        for (offset, draft) in records.enumerated() {
            guard self[draft.reference] == nil, fresh.insert(draft.reference).inserted else {
                throw .duplicate(draft)
            }
            let record = draft.born(at: now)
            plan.changes.append(.insert(record, sequence: nextSequence + offset))
            inserted.append(record)
        }
        plan.announceModel(inserted)
        return (plan, inserted)
    }

    /// Changes an object's members; `nil` when it is unknown.
    ///
    /// What no caller may change is put right.
    func planUpdate(
        _ reference: ObjectReference,
        now: String,
        _ change: (inout [String: JSONValue]) throws -> Void
    ) rethrows -> (plan: Transaction, record: FlareRecord)? {
        guard let entry = self[reference] else { return nil }
        var record = entry.record
        try change(&record.members)
        record.complete()
        var plan = Transaction()
        plan.update(&record, entry.sequence, now: now)
        plan.announceModel([record])
        if entry.record.home != record.home { plan.announceModel([entry.record], areGone: true) }
        return (plan, record)
    }

    /// Removes an object and nothing else; `nil` when it is unknown.
    func planRemove(_ reference: ObjectReference) -> (plan: Transaction, record: FlareRecord)? {
        guard let entry = self[reference] else { return nil }
        var plan = Transaction()
        plan.changes.append(.remove(reference, sequence: entry.sequence))
        plan.announceModel([entry.record], areGone: true)
        return (plan, entry.record)
    }

    /// Adds objects; those that are there already are replaced, and keep their age and their place in lists.
    func planImport(_ records: [FlareRecord], now: String, limit: Int) throws(FlareHubError) -> Transaction {
        var plan = Transaction()
        var sequence = nextSequence
        var moved: [FlareRecord] = []
        for draft in records {
            var record = draft.born(at: now)
            if let old = self[draft.reference] {
                if old.record.home != record.home { moved.append(old.record) }
                record.members["created"] = old.record.members["created"]
                plan.changes.append(.update(record, sequence: old.sequence))
            } else {
                plan.changes.append(.insert(record, sequence: sequence))
                sequence += 1
            }
        }
        guard sequence - nextSequence <= limit - count else { throw .tooManyObjects(limit: limit) }
        plan.announceModel(records + moved)
        return plan
    }
}

extension FlareRecord {
    /// As it enters the world: `created` is now; `modified` may have been given.
    fileprivate func born(at now: String) -> FlareRecord {
        var record = self
        record.complete()
        record.members["created"] = .string(now)
        if record.members["modified"]?.string == nil { record.members["modified"] = .string(now) }
        return record
    }
}

extension Transaction {
    /// Announces changed objects, once for each environment: the object when it is the only one there, else the
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
