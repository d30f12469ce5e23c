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
        var failure: FlareHubError?
        let isStored = inOneCommit { hub in
            do throws(FlareHubError) {
                for record in removed { try hub.remove(record.reference) }
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        guard isStored else { throw .notStored }
        return removed
    }
}
