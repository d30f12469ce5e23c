package import Flare
package import JSON

// Creation, change and removal of single objects.
extension FlareHub {
    /// Adds objects in the given order, all or none; sets `created`, and `modified` if it is absent.
    /// - Parameters:
    ///   - client: The client that makes the change; it is not notified.
    ///   - named: The identifiers that a client chose itself.
    @discardableResult
    package func insert(
        _ records: [FlareRecord],
        from client: FlareClientID? = nil,
        isGated: Bool = false,
        named: Set<FlareID> = [],
        by visitor: FlareVisitor? = nil
    ) throws(FlareHubError) -> [FlareRecord] {
        if isGated {
            for record in records {
                try checkInsertion(of: record, isNamed: named.contains(record.id), by: visitor)
            }
        }
        let (transaction, inserted) = try graph.planInsert(records, now: now, limit: limits.objects)
        if isGated {
            for record in insertionRecorders { inserted.forEach { record($0, visitor) } }
        }
        try commit(transaction, from: client)
        return inserted
    }

    /// Changes an object's members and sets `modified`.
    ///
    /// Announces no position, enter or near.
    /// - Parameter isGated: Whether a client requests the change, so that the gates decide.
    /// - Returns: The changed object; `nil` when it does not exist.
    /// - Throws: The error of `change`, or a `FlareHubError`.
    @discardableResult
    package func update(
        _ reference: ObjectReference,
        from client: FlareClientID? = nil,
        isGated: Bool = false,
        by visitor: FlareVisitor? = nil,
        _ change: @Sendable (inout JSONObject) throws -> Void
    ) throws -> FlareRecord? {
        if isGated { try checkUpdate(of: reference, from: client, by: visitor) }
        guard let (transaction, record) = try graph.planUpdate(reference, now: now, change) else {
            return nil
        }
        if isGated { try checkUpdate(to: record, from: client, by: visitor) }
        try commit(transaction, from: client)
        return record
    }

    /// Removes an object, but not the objects in it.
    /// - Parameter isGated: Whether a client requests the change, so that the gates decide.
    /// - Returns: The removed object; `nil` when it does not exist.
    @discardableResult
    package func remove(
        _ reference: ObjectReference,
        from client: FlareClientID? = nil,
        isGated: Bool = false,
        by visitor: FlareVisitor? = nil
    ) throws(FlareHubError) -> FlareRecord? {
        if isGated { try check(.remove, of: reference, from: client, by: visitor) }
        guard let (transaction, record) = graph.planRemove(reference) else { return nil }
        try commit(transaction, from: client)
        return record
    }
}
