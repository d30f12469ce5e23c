import FlareServer

extension FlareBackend {
    /// Adds the database of an embedded server to those of which a backup is made; `trilateral serve` may have it otherwise.
    func add(to databases: OpenDatabases) {
        guard case .embedded(let store, let hub) = self else { return databases.leaveOut(.flare) }
        databases.add(.flare) { work in
            // What waits to be stored is in the copy as well.
            await hub.flushMotion()
            return try store.perform(work)
        }
    }
}
