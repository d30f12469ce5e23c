package import Flare

// Orphans: as in the original server, removing an environment or a zone does not remove the objects in it.
extension FlareHub {
    /// Objects whose environment or zone does not exist any more, in order of creation within a class.
    package func orphans() -> [FlareRecord] {
        let environments = Set(records(.environment).map(\.id))
        func isLost(_ record: FlareRecord) -> Bool {
            record.environment.map { !environments.contains($0) } ?? true
        }
        let zones = records(.zone)
        let keptZones = Set(zones.filter { !isLost($0) }.map(\.id))
        let things = records(.thing).filter { thing in
            isLost(thing) || thing.zone.map { !keptZones.contains($0) } ?? false
        }
        return zones.filter(isLost) + things + records(.device).filter(isLost)
    }

    /// Removes orphans, all or none; other objects are ignored.
    /// - Returns: The removed objects.
    package func removeOrphans(_ ids: Set<FlareID>) throws(FlareHubError) -> [FlareRecord] {
        let removed = orphans().filter { ids.contains($0.id) }
        try remove(removed.map(\.reference))
        return removed
    }

    /// Removes an object with what is in it, all or nothing.
    ///
    /// Devices have no place without their environment.
    /// - Parameter withContents: Whether zones and things in it may go; otherwise they are an error.
    func remove(
        _ object: ObjectReference,
        withContents: Bool,
        from client: FlareClientID
    ) throws {
        let contents = members(of: object)
        if !withContents, contents.contains(where: { $0.kind != .device }) {
            throw FlareLinkError.rejected("the \(object.kind.rawValue) is not empty by now")
        }
        // The environment goes first: clients that read again then do not look for what was in it.
        try remove([object] + contents.map(\.reference), from: client)
    }

    /// Removes objects, all or none.
    private func remove(_ objects: [ObjectReference], from client: FlareClientID? = nil) throws(FlareHubError)
    {
        var failure: FlareHubError?
        let isStored = inOneCommit { hub in
            do throws(FlareHubError) {
                for object in objects { try hub.remove(object, from: client) }
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        guard isStored else { throw .notStored }
    }
}
