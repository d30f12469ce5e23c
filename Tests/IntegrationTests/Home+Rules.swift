import Accounts
import Daemon
import Foundation
import GRDB
import TestSupport
import Testing

/// Rules of a home, and what its database keeps of their firings.
extension Home {
    /// What a verb prints.
    @discardableResult
    nonisolated func verb(_ words: String...) async throws -> String {
        let end = try await Program.run(words + ["--state", state], in: folder)
        try #require(end.status == 0, "\(words): \(end.output)")
        return end.output.trimmingCharacters(in: .newlines)
    }

    /// Adds the rules of a JSON file.
    nonisolated func addRules(_ json: String) async throws {
        try folder.write(json, to: "rules.json")
        try await verb("rule", "import", folder.path("rules.json"))
    }

    /// The firings of each rule, oldest first, by its slug.
    nonisolated func firings() throws -> [String: [StoredFiring]] {
        let store = try StateStore(folder: URL(filePath: state))
        defer { store.close() }
        var firings: [String: [StoredFiring]] = [:]
        for rule in try store.accounts.rules() {
            firings[rule.slug] = try store.accounts.firings(ofRule: rule.id, limit: 100_000)
        }
        return firings
    }

    /// What SQLite finds in the database: `ok` alone if it is sound.
    nonisolated func databaseProblems() async throws -> [String] {
        let database = try DatabaseQueue(path: "\(state)/trilateral.db")
        return try await database.read { try String.fetchAll($0, sql: "PRAGMA integrity_check") }
    }
}

/// Runs the body with a broker that drops nothing, however late its clients read.
func withPatientBroker<Result: Sendable>(_ body: (Mosquitto) async throws -> Result) async throws -> Result {
    var options = MosquittoOptions()
    options.lines = ["max_queued_messages 0"]
    return try await withMosquitto(options, body)
}
