import Daemon
import Databases
import Flare
import FlareServer
import Foundation
import OperatingSystem

extension StateFolder {
    /// Reads the objects without a change to the folder: from a copy, or over the socket of who has the database open.
    ///
    /// Who opens the database itself brings it up to date, and no older program could read it then.
    ///
    /// - Throws: ``VerbError``, and what the system says.
    func readModel() async throws -> ModelExport {
        if !DatabaseFile.isHeld(flareDatabase) {
            do {
                let export = try await exportOfCopy()
                if !DatabaseFile.isHeld(flareDatabase) { return export }
            } catch {
                // Who has opened it meanwhile may have written while it was copied.
                guard DatabaseFile.isHeld(flareDatabase) else { throw error }
            }
        }
        if let error = VerbError(databaseOfAnotherCommand: flareDatabase) { throw error }
        return try await ModelBackend.daemon(folder: path).exportModel()
    }

    private func exportOfCopy() async throws -> ModelExport {
        let snapshot = try DatabaseSnapshot(of: flareDatabase)
        defer { snapshot.remove() }
        let copy = snapshot.path
        do {
            let store = try FlareStore(file: copy)
            let export = try await FlareHub.ofVerb(store).exportModel()
            try store.close()
            return export
        } catch {
            let reason = "\(error)".replacing(copy, with: flareDatabase)
            throw VerbError(reason, DaemonRunner.exitCode(error))
        }
    }
}
