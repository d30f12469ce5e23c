import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct StartReportTests {
    @Test(arguments: [false, true])
    func `a start names version, node, broker, state folder and addresses, on a terminal and in the journal`(
        isForJournal: Bool
    ) async throws {
        try await withTemporaryFolder { folder in
            let home = Home(in: folder, port: 1)
            let shell = isForJournal ? "export JOURNAL_STREAM=$(stat -L -c %d:%i /proc/self/fd/2)" : nil
            try await home.start(["web.listen": "127.0.0.1:0"], shell: shell)
            #expect(await home.logs("Flare server: http://127.0.0.1:"))
            #expect(await home.logs("web: http://127.0.0.1:"))
            let lines = await home.log.split(separator: "\n")
            for text in [
                "Trilateral 0", "node: \(home.node)", "broker: 127.0.0.1:1", "state folder: \(home.state)",
            ] {
                let line = lines.first { $0.contains("notice trilateral: \(text)") }
                #expect(line?.hasPrefix("<5>") == isForJournal, "\(text): \(lines)")
            }
            await home.kill()
        }
    }
}
