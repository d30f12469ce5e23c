import Accounts
import Controller
@testable import Daemon
import TestSupport
import Testing
import Threading

@Suite(.timeLimit(.minutes(1)))
struct RuleRecordTests {
    @Test func `a firing is stored before anybody is told of it, and its end right after that`() async throws
    {
        try await withTemporaryFolder { folder in
            let store = try StateStore(folder: folder.url)
            defer { store.close() }
            let writer = try StateWriter(on: LoopExecutor(), store) { Issue.record($0) }
            let firing = StoredFiring(1, epoch: "e", rule: 7, at: 0, why: "once")
            @Sendable func ended(_ outcome: StoredFiring.Outcome) -> ControllerEffect.PersistedRecord {
                .slice(SliceRecord(RuleRecord.ended(1, outcome, results: "[]", tookMilliseconds: 2)))
            }
            let (first, second, third) = await writer.perform { writer in
                writer.add(ended(.done))
                let first = (writer.hasUnsaved, writer.hasUrgent)
                writer.add(.slice(SliceRecord(RuleRecord.fired(firing, memory: "{}"))))
                let fired = writer.hasUrgent
                writer.flush()
                writer.add(ended(.failed))
                return (first, fired, writer.hasUrgent)
            }
            #expect(first == (true, false) && second && !third)
            // Nobody asked for it, and the loop has written it by now.
            #expect(await writer.perform { !$0.hasUnsaved })
            #expect(try store.withAccounts { try $0.firings(ofRule: 7, limit: 1) }.first?.outcome == .failed)
        }
    }
}
