import Accounts
import Administration
import Controller
import Daemon
import Flare
import FlareServer
import Foundation
import JSON
import Logging
import People
import Sensing
import Threading

/// The place of a state folder without a daemon: the slugs that it gave, and the database of its Flare server.
struct StoredPlace {
    private let slugs: SlugRegistry
    /// `nil` without a database, as with a server elsewhere.
    private let hub: FlareHub?
    private let store: FlareStore?

    /// How often a database that another process has open is tried again.
    private static let attempts = 10

    /// - Throws: ``VerbError`` if another process has the database open, or if it cannot be used.
    init(_ state: StateStore, _ folder: StateFolder) async throws {
        slugs = try state.memory().slugs
        guard access(folder.flareDatabase, F_OK) == 0 else {
            (hub, store) = (nil, nil)
            return
        }
        do throws(FlareStoreError) {
            let store = try await Self.open(folder.flareDatabase)
            self.store = store
            hub = try FlareHub.ofVerb(on: Self.executor(), store)
        } catch .inUse(let path) {
            throw VerbError(
                "a daemon has \(path) open, and does not answer at \(AdministrationSocket.name); restart it, or stop it",
                .temporary
            )
        } catch {
            throw VerbError.ending(by: error)
        }
    }

    private static func executor() throws(FlareStoreError) -> LoopExecutor {
        do { return try LoopExecutor() } catch { throw .inUse(path: "\(error)") }
    }

    /// Another verb has it open for a moment only.
    private static func open(_ path: String) async throws(FlareStoreError) -> FlareStore {
        for _ in 1..<attempts {
            do throws(FlareStoreError) {
                return try FlareStore(file: path)
            } catch .inUse {
                try? await Task.sleep(for: .milliseconds(200))
            }
        }
        return try FlareStore(file: path)
    }

    func close() { try? store?.close() }

    /// For the accounts.
    var accounts: AccountsPlace {
        AccountsPlace(
            find: { kind, word throws(AccountsError) in await find(kind, word) },
            locate: { reference throws(AccountsError) in await locate(reference) },
            slugs: { references throws(AccountsError) in
                Dictionary(
                    references.compactMap { object in slugs[object.kind, object.id].map { (object, $0) } }
                ) {
                    first,
                    _ in first
                }
            }
        )
    }

    private func find(_ kind: FlareClass, _ word: String) async -> [[FlareID]] {
        let exact = [slugs.id(of: word, kind: kind), FlareID(word)].map { id in [id].compactMap(\.self) }
        // What no daemon has seen yet has only a name.
        guard let hub else { return exact }
        let found = await hub.records(kind).filter {
            let name = $0.members["name"]?.string ?? ""
            return name == word || SlugRegistry.slug(from: name) == word
        }
        return exact + [found.map(\.id)]
    }

    private func locate(_ reference: ObjectReference) async -> AccessObject? {
        guard let hub else {
            return AccessObject(reference, zone: nil, environment: slugs.home(of: reference))
        }
        let place = await hub.record(reference)
        return place.flatMap { AccessObject(reference, zone: $0.zone, environment: $0.environment) }
    }
}
