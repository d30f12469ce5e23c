import Accounts
import AccountsFixture
import Bindings
import Flare
import GRDB
import JSON
import People
import Testing

/// Commands of things with owners as rows of the command log.
struct ThingCommandStoreTests {
    private func stored(
        _ id: String = "c.1",
        _ actions: [CommandAction] = [CommandAction("brightness", 0.4), CommandAction("on", true)],
        at created: Int64 = 1000
    ) -> StoredThingCommand {
        let command = ThingCommand(
            id,
            of: BindingID(high: 0, low: 1),
            CommandRequest(
                actions,
                schema: "lamp",
                schemaVersion: 3,
                title: "Evening",
                metadata: ["room": ["kitchen", 1]]
            ),
            issuer: .user(.everybody),
            created: created,
            deadline: created + 60_000
        )
        var stored = StoredThingCommand(
            command,
            for: TestAccounts.lamp,
            interface: "mqtt",
            caller: "user:bob"
        )
        (stored.slug, stored.source, stored.tx, stored.epoch) = ("lamp", "things/lamp/command", "7", "e")
        return stored
    }

    private func found(_ id: String, in accounts: TestAccounts) throws -> StoredThingCommand? {
        try accounts.store.logRow(ofCommand: id).flatMap(StoredThingCommand.init)
    }

    @Test func `a command whose beginning was not written yet is one row, as it is at its end`() throws {
        let accounts = try TestAccounts()
        let begun = stored()
        var ended = begun
        ended.isNew = false
        _ = ended.command.apply(.due, at: 61_000)
        #expect(stored("c.2").replacing(begun) == nil)
        let both = try #require(ended.replacing(begun))
        try accounts.database.write { try both.write($0) }
        #expect(try found("c.1", in: accounts) == ended)
        // What has its row keeps it.
        _ = ended.command.apply(.reported([ActionResult("brightness", isSucceeded: true)]), at: 62_000)
        let later = try #require(ended.replacing(ended))
        #expect(!later.isNew)
        try accounts.database.write { try later.write($0) }
        #expect(try found("c.1", in: accounts) == ended)
    }

    @Test func `a command is read as it was stored, at each point of its life`() throws {
        let accounts = try TestAccounts()
        var stored = stored()
        func check() throws {
            try accounts.database.write { try stored.write($0) }
            stored.isNew = false
            #expect(try found("c.1", in: accounts) == stored)
        }
        try check()
        _ = stored.command.apply(.delivered, at: 2000)
        try check()
        let data: JSONValue = ["volts": 3]
        _ = stored.command.apply(.answered(1, ActionResult("on", isSucceeded: true, data: data)), at: 3000)
        try check()
        _ = stored.command.apply(.due, at: 61_000)
        try check()
        #expect(try accounts.store.log().map(\.state) == ["INCOMPLETE"])
        #expect(try accounts.count("command") == 1)
    }

    @Test func `a command names the rule that gave it as its trigger, also when it is read again`() throws {
        let accounts = try TestAccounts()
        var stored = stored()
        #expect(stored.json() == stored.command.json)
        stored.source = "\(RuleSource(12))"
        try accounts.database.write { try stored.write($0) }
        let read = try #require(try found("c.1", in: accounts))
        for json in [read.json(), read.json(isForThing: true)] {
            #expect(json["firedByTriggerID"] == "12" && json["commandID"] == "c.1")
        }
    }

    @Test func `a row that names what it lacks is read as one that leaves it out`() throws {
        let accounts = try TestAccounts()
        let id = BindingID(high: 0, low: 1)
        let command = ThingCommand(
            "c.1",
            of: id,
            CommandRequest([CommandAction("on", true)]),
            issuer: nil,
            created: 1000,
            deadline: 61_000
        )
        var plain = StoredThingCommand(command, for: TestAccounts.lamp, interface: "mqtt", caller: "nobody")
        try accounts.database.write { try plain.write($0) }
        plain.isNew = false
        let row = try #require(try accounts.store.logRow(ofCommand: "c.1"))
        #expect(row.details == "{\"binding\":\"\(id)\",\"deadline\":61000}")
        #expect(StoredThingCommand(row) == plain)
        // As earlier versions have written it.
        let former =
            "{\"binding\":\"\(id)\",\"deadline\":61000,\"modified\":1000,\"schema\":\"\",\"schemaVersion\":0}"
        try accounts.database.write {
            try $0.execute(sql: "UPDATE command SET details = ?", arguments: [former])
        }
        #expect(try found("c.1", in: accounts) == plain)
    }

    @Test func `neither actions nor results are cut off`() throws {
        let accounts = try TestAccounts()
        let long = String(repeating: "ä", count: 20_000)
        var stored = stored("c.1", [CommandAction("name", .string(long))])
        let result = ActionResult("name", isSucceeded: true, data: .string(long))
        _ = stored.command.apply(.answered(0, result), at: 2000)
        try accounts.database.write { try stored.write($0) }
        #expect(try found("c.1", in: accounts)?.command == stored.command)
    }

    @Test func `a token that a thing puts into a result is not stored`() throws {
        let accounts = try TestAccounts()
        var stored = stored("c.1", [CommandAction("on", true)])
        let token = "tlt_" + String(repeating: "a", count: 43)
        _ = stored.command.apply(
            .answered(0, ActionResult("on", isSucceeded: false, errorMessage: token)),
            at: 2000
        )
        try accounts.database.write { try stored.write($0) }
        let row = try #require(try accounts.store.logRow(ofCommand: "c.1"))
        #expect(row.results?.contains(token) == false)
    }

    @Test func `those that have not ended are found, the oldest first`() throws {
        let accounts = try TestAccounts()
        try accounts.database.write { database in
            for (index, id) in ["c.3", "c.1", "c.2"].enumerated() {
                var stored = stored(id)
                if index == 1 { _ = stored.command.apply(.offline, at: 2000) }
                try stored.write(database)
            }
        }
        #expect(try accounts.store.openCommands().map(\.command.id) == ["c.3", "c.2"])
    }

    @Test func `a row that is damaged, and one of something else, is no command`() throws {
        let accounts = try TestAccounts()
        let plain = CommandLogEntry(
            at: 1,
            interface: "mqtt",
            caller: "nobody",
            kind: "set",
            state: "accepted"
        )
        #expect(StoredThingCommand(plain) == nil)
        try accounts.database.write { database in
            try stored().write(database)
            try database.execute(sql: "UPDATE command SET actions = '[{', details = NULL")
        }
        #expect(try found("c.1", in: accounts) == nil)
        #expect(try accounts.store.openCommands().isEmpty)
    }

    @Test func `the limits of the log count for rows that commands have written themselves`() throws {
        let accounts = try TestAccounts()
        var settings = AccountsRegistry.Settings()
        settings.log.rows = 10
        let registry = try accounts.registry(settings, at: 2000)
        try accounts.database.write { database in
            for number in 0..<20 { try stored("c.\(number)").write(database) }
        }
        try registry.trimLog()
        #expect(try accounts.count("command") <= 10)
        #expect(try accounts.store.logRow(ofCommand: "c.19") != nil)
    }
}
