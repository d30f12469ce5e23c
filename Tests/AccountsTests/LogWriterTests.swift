import Accounts
import People
import TestSupport
import Testing

/// Who writes the log beside what users do.
struct LogWriterTests {
    @Test(.timeLimit(.minutes(1))) func `who writes the log may end and begin again, as at a reload`()
        async throws
    {
        let desk = try Desk()
        func write() -> Task<Void, Never> {
            Task { [registry = desk.registry] in await registry.run { _ in } }
        }
        let first = write()
        first.cancel()
        await first.value
        let second = write()
        defer { second.cancel() }
        for state in ["ok", "refused"] {
            desk.registry.log(
                CommandLogEntry(
                    at: Desk.start,
                    face: "mqtt",
                    speaker: "user:bob",
                    kind: "set",
                    state: state
                )
            )
            let isWritten = await eventually {
                (try? desk.home.store.log().contains { $0.kind == "set" && $0.state == state }) == true
            }
            #expect(isWritten, "\(state)")
        }
    }
}
