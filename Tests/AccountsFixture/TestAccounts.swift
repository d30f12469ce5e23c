package import Accounts
package import Flare
package import Foundation
package import GRDB
package import People

/// A store of accounts with an owner and the user bob.
package struct TestAccounts {
    package let database: DatabaseQueue
    package let store: AccountsStore
    package let owner: AccountID
    package let bob: AccountID

    package static let lamp = FlareID(high: 1, low: 1)
    package static let kitchen = FlareID(high: 1, low: 20)
    package static let environment = FlareID(high: 1, low: 30)

    /// - Parameter path: `nil` for a database in memory.
    package init(path: String? = nil) throws {
        database = try Self.open(path)
        try Self.migrate(database)
        store = AccountsStore(database)
        try store.prepare(owner: "owner", at: 1)
        bob = try store.addUser(NewUser("bob"), by: .program(at: 2))
        owner = try store.table().requireID("owner")
    }

    package static func open(_ path: String?) throws -> DatabaseQueue {
        guard let path else { return try DatabaseQueue() }
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
        }
        return try DatabaseQueue(path: path, configuration: configuration)
    }

    package static func migrate(_ database: DatabaseQueue) throws {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v6") { try AccountsSchema.migrate($0) }
        migrator.registerMigration("v7") { try AccountsSchema.addOrigins($0) }
        migrator.registerMigration("v9") { try AccountsSchema.indexTargets($0) }
        migrator.registerMigration("v10") { try AccountsSchema.addBindings($0) }
        migrator.registerMigration("v11") { try AccountsSchema.addStateTimes($0) }
        migrator.registerMigration("v12") { try AccountsSchema.addCommandDetails($0) }
        migrator.registerMigration("v13") { try AccountsSchema.addWishes($0) }
        migrator.registerMigration("v14") { try AccountsSchema.indexStrangers($0) }
        migrator.registerMigration("v15") { try RulesSchema.add($0) }
        migrator.registerMigration("v16") { try RulesSchema.lightenFirings($0) }
        try migrator.migrate(database)
    }

    /// What the daemon has over the store.
    package func registry(
        _ settings: AccountsRegistry.Settings = AccountsRegistry.Settings(),
        at now: Int64 = 5
    ) throws -> AccountsRegistry {
        try AccountsRegistry(store, settings, clock: { now }, changed: { _ in })
    }

    /// The user bob, who knows where things are.
    package var asBob: Authority {
        Authority(.user(bob), at: 0) { scope in
            scope == .thing(Self.lamp)
                ? .thing(Self.lamp, zone: Self.kitchen, environment: Self.environment) : nil
        }
    }

    package func count(_ table: String) throws -> Int {
        try database.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM \(table)") ?? 0 }
    }
}

extension AccountsRegistry {
    /// Writes rows of the log in order.
    package func write(_ entries: [CommandLogEntry]) throws {
        for entry in entries { log(entry) }
        try flush()
    }
}

extension Authority {
    /// The same at another time.
    package func at(_ now: Int64) -> Authority {
        var authority = self
        authority.now = now
        return authority
    }
}

extension AccessTable {
    package struct Missing: Error {
        package init() {}
    }

    package func requireID(_ name: String) throws -> AccountID {
        guard let user = user(named: name) else { throw Missing() }
        return user.id
    }
}

/// Runs a test with a folder of its own.
package func withFolder(_ body: (URL) throws -> Void) throws {
    let folder = URL.temporaryDirectory.appending(path: "accounts-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder)
}

/// Runs a test with a folder of its own.
package func withFolderAsync(_ body: (URL) async throws -> Void) async throws {
    let folder = URL.temporaryDirectory.appending(path: "accounts-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(folder)
}

/// The code of the error that some work throws; `nil` if it throws none.
package func code(_ work: () throws -> Void) -> String? {
    do {
        try work()
        return nil
    } catch {
        return AccountsError(error).code
    }
}
