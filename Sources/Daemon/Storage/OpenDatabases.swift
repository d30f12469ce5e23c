import Databases
import Foundation
import Threading

/// The databases of this daemon of which a copy can be made: those that are locked are copied by who has them open.
final class OpenDatabases: Sendable {
    private let locked = Locked<[StateDatabase: DatabaseSource?]>([:])
    private let waiting = Locked<[@Sendable () -> Void]>([])
    private let folder: URL

    init(folder: URL) { self.folder = folder }

    /// - Parameter perform: Does work with the connection of whoever has it open.
    func add(_ database: StateDatabase, perform: @escaping DatabaseSource.Perform) {
        let source = DatabaseSource(
            name: database.name,
            path: database.path(in: folder),
            perform: perform
        )
        locked.withLock { $0[database] = source }
    }

    /// Leaves a database out, which another process may have open.
    func leaveOut(_ database: StateDatabase) { locked.withLock { $0[database] = .some(nil) } }

    /// Adds work that stores what waits, to be done before copies are made.
    func beforeCopies(_ work: @escaping @Sendable () -> Void) { waiting.withLock { $0.append(work) } }

    /// Stores what waits, so that it is in the copies.
    func storeWaiting() { for work in waiting.withLock({ $0 }) { work() } }

    var sources: [DatabaseSource] {
        let locked = locked.withLock { $0 }
        return StateDatabase.allCases.compactMap { locked[$0] ?? $0.source(in: folder) }
    }
}
