import Controller
import Daemon
import Flare
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
    fileprivate func perform<Value: Sendable>(_ work: @Sendable (isolated StateWriter) -> Value) -> Value {
        work(self)
    }
}
