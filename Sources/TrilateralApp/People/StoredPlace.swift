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
import Receivers
import Sensing

/// The place of a state folder without a daemon: the slugs that it gave, and the database of its Flare server.
struct StoredPlace {
    private let slugs: SlugRegistry
    /// The users of the devices of the database, by node: those of the file are not known.
    private let deviceUsers: [String: String]
    /// `nil` without a database, as with a server elsewhere.
    private let hub: FlareHub?
    private let store: FlareStore?

    /// How often a database that another process has open is tried again.
    private static let attempts = 10

    /// - Throws: ``VerbError`` if another process has the database open, or if it cannot be used.
    init(_ state: StateStore, _ folder: StateFolder) async throws {
        slugs = try state.memory().slugs
        deviceUsers = try state.listedDevices().devices.reduce(into: [:]) { $0[$1.node] = $1.user }
        guard access(folder.flareDatabase, F_OK) == 0 else {
            (hub, store) = (nil, nil)
            return
        }
        do {
            let store = try await Self.open(folder.flareDatabase)
            self.store = store
            hub = try FlareHub.ofVerb(store)
        } catch FlareStoreError.inUse(let path) {
            throw VerbError(databaseOfAnotherCommand: path)
                ?? VerbError(
                    "a daemon has \(path) open, and does not answer at \(AdministrationSocket.name); restart it, or stop it",
                    .temporary
                )
        } catch {
            throw VerbError.ending(by: error)
        }
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
            find: { kind, word in await find(kind, word) },
            locate: { reference in await locate(reference) },
            slugs: { references in slugs.slugs(of: references) },
            all: { kind in slugs.objects(of: kind) },
            devices: { user in deviceUsers.filter { $0.value == user }.keys.sorted() }
        )
    }

    private func find(_ kind: FlareClass, _ word: String) async -> [[FlareID]] {
        let exact = slugs.exactly(word, kind)
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
        return await hub.record(reference)?.accessObject
    }
}
