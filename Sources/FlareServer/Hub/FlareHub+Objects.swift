package import Flare
package import JSON

// Creation, change and removal of single objects.
extension FlareHub {
    /// Adds objects in the given order, all or none; sets `created`, and `modified` if it is absent.
    /// - Parameters:
    ///   - client: The client that makes the change; it is not notified.
    ///   - named: The identifiers that a client chose itself.
    ///   - visitor: The client over the network that requests the change, which the gates decide about.
    @discardableResult
    package func insert(
        _ records: [FlareRecord],
        from client: FlareClientID? = nil,
        named: Set<FlareID> = [],
        by visitor: FlareVisitor? = nil
    ) throws(FlareHubError) -> [FlareRecord] {
        if let visitor {
            for record in records {
                try checkInsertion(of: record, isNamed: named.contains(record.id), by: visitor)
            }
        }
        let (transaction, inserted) = try graph.planInsert(records, now: now, limit: limits.objects)
        if let visitor {
            for record in insertionRecorders { inserted.forEach { record($0, visitor) } }
        }
        try commit(transaction, from: client)
        return inserted
    }

    /// Changes an object's members and sets `modified`.
    ///
    /// Announces no position, enter or near.
    /// - Parameter visitor: The client over the network that requests the change, which the gates decide about.
    /// - Returns: The changed object; `nil` when it does not exist.
    /// - Throws: The error of `change`, or a `FlareHubError`.
    @discardableResult
    package func update(
        _ reference: ObjectReference,
        from client: FlareClientID? = nil,
        by visitor: FlareVisitor? = nil,
        _ change: @Sendable (inout JSONObject) throws -> Void
    ) throws -> FlareRecord? {
        if let visitor { try checkUpdate(of: reference, by: visitor) }
        guard let (transaction, record) = try graph.planUpdate(reference, now: now, change) else {
            return nil
        }
        if let visitor { try checkUpdate(to: record, by: visitor) }
        try commit(transaction, from: client)
        return record
    }

    /// Removes an object, but not the objects in it.
    /// - Parameter visitor: The client over the network that requests the change, which the gates decide about.
    /// - Returns: The removed object; `nil` when it does not exist.
    @discardableResult
    package func remove(
        _ reference: ObjectReference,
        from client: FlareClientID? = nil,
        by visitor: FlareVisitor? = nil
    ) throws(FlareHubError) -> FlareRecord? {
        if visitor != nil { try check(.remove, of: reference, from: client, by: visitor) }
        guard let (transaction, record) = graph.planRemove(reference) else { return nil }
        try commit(transaction, from: client)
        return record
    }
}
