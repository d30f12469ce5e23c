import Accounts
import Bindings
import Controller
import Daemon
import Flare
import JSON
import People
import TestSupport
import Testing
import Threading

@Suite(.timeLimit(.minutes(1)))
struct StateWriterTests {
    @Test func `what is added is unsaved until it is written, which happens within the turn`() async throws {
        try await withTemporaryFolder { folder in
            let store = try StateStore(folder: folder.url)
            let writer = try StateWriter(on: LoopExecutor(), store) { Issue.record($0) }
            #expect(!writer.hasUnsaved)
            let id = FlareID(high: 1, low: 1)
            // In one piece on the loop, as a turn is: nothing writes in between.
            let (waited, isWritten) = await writer.perform { writer in
                writer.add(.link("lamp", id))
                return (writer.hasUnsaved && (try? store.links().isEmpty) == true, writer.flush())
            }
            #expect(waited && isWritten && !writer.hasUnsaved)
            #expect(try store.links() == ["lamp": id])
        }
    }

    @Test func `a command that begins and ends in one turn is stored as it ended`() async throws {
        try await withTemporaryFolder { folder in
            let store = try StateStore(folder: folder.url)
            let writer = try StateWriter(on: LoopExecutor(), store) { Issue.record($0) }
            let begun = ["c.1", "c.2"].map(Self.command)
            let ended = begun.map { begun in
                var ended = begun
                ended.isNew = false
                _ = ended.command.apply(.restarted, at: 2000)
                return ended
            }
            let isWritten = await writer.perform { writer in
                // The second one ends after the first, so that nothing of it is written together.
                for command in [begun[0], ended[0], begun[1], ended[0], ended[1]] {
                    writer.add(.slice(SliceRecord(command)))
                }
                return writer.flush()
            }
            #expect(isWritten)
            for command in ended {
                let row = try store.accounts.logRow(ofCommand: command.command.id)
                #expect(row.flatMap(StoredThingCommand.init) == command)
            }
        }
    }

    @Test func `records that cannot be stored together are not stored, and later ones are`() async throws {
        try await withTemporaryFolder { folder in
            let store = try StateStore(folder: folder.url)
            let command = ControllerEffect.PersistedRecord.slice(SliceRecord(Self.command("c.1")))
            // Two rows cannot have one identifier.
            #expect(throws: StateStoreError.self) { try store.save([.epoch("1"), command, command]) }
            #expect(try store.epoch() == nil)
            #expect(try store.accounts.logRow(ofCommand: "c.1") == nil)
            try store.save([.epoch("2"), command])
            #expect(try store.epoch() == "2")
            #expect(try store.accounts.logRow(ofCommand: "c.1") != nil)
        }
    }

    private static func command(_ id: String) -> StoredThingCommand {
        StoredThingCommand(
            ThingCommand(
                id,
                of: BindingID(high: 0, low: 1),
                CommandRequest([CommandAction("on", true)]),
                issuer: nil,
                created: 1000,
                deadline: 61_000
            ),
            for: FlareID(high: 1, low: 2),
            interface: "mqtt",
            caller: "nobody"
        )
    }

    @Test func `what nobody asks to write is written after the turn`() async throws {
        try await withTemporaryFolder { folder in
            let store = try StateStore(folder: folder.url)
            let loop = try LoopExecutor()
            let writer = StateWriter(on: loop, store) { Issue.record($0) }
            await writer.add(.link("lamp", FlareID(high: 1, low: 1)))
            // Work on the loop runs in its order.
            await withCheckedContinuation { done in loop.perform { done.resume() } }
            #expect(!writer.hasUnsaved)
            #expect(try store.links().count == 1)
        }
    }
}

extension StateWriter {
    func perform<Value: Sendable>(_ work: @Sendable (isolated StateWriter) -> Value) -> Value {
        work(self)
    }
}
