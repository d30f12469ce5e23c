import Accounts
import AccountsFixture
import People
import TestSupport
import Testing

/// Who writes the log beside what users do.
struct LogWriterTests {
    @Test(.timeLimit(.minutes(1))) func `who writes the log may end and begin again, as at a reload`()
        async throws
    {
        let home = try TestAccounts()
        let registry = try AccountsRegistry(
            home.store,
            AccountsRegistry.Settings(),
            clock: { 5 },
            changed: { _ in }
        )
        func write() -> Task<Void, Never> {
            Task { await registry.run { _ in } }
        }
        let first = write()
        first.cancel()
        await first.value
        let second = write()
        defer { second.cancel() }
        for state in ["ok", "refused"] {
            registry.log(
                CommandLogEntry(
                    at: 5,
                    interface: "mqtt",
                    caller: "user:bob",
                    kind: "set",
                    state: state
                )
            )
            let isWritten = await eventually {
                (try? home.store.log().contains { $0.kind == "set" && $0.state == state }) == true
            }
            #expect(isWritten, "\(state)")
        }
    }
}
