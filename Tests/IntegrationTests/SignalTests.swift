import Foundation
import TestSupport
import Testing

/// Signals that arrive while a program starts.
@Suite(.timeLimit(.minutes(3)))
struct SignalTests {
    /// Verbs that run until a signal ends them.
    private static let verbs = [
        ["run"], ["serve", "--listen", "127.0.0.1:0"], ["resolver", "--listen", "127.0.0.1:0"],
    ]

    @Test(arguments: verbs)
    func `SIGTERM ends the program however early it comes`(verb: [String]) async throws {
        // More, for a search: TRILATERAL_SIGNALS=300.
        let count =
            ProcessInfo.processInfo.environment["TRILATERAL_SIGNALS"].flatMap { Int($0) } ?? 15
        try await withTemporaryFolder { folder in
            for number in 0..<count {
                let child = try start(verb, in: folder)
                try await Task.sleep(for: .microseconds(Int.random(in: 0...60_000)))
                child.signal(SIGTERM)
                let status = await child.end(within: .seconds(10))
                await child.destroy()
                // By the signal itself, or in good order.
                #expect(status == 0 || status == 128 + SIGTERM, "start \(number): \(folder.read("output"))")
            }
        }
    }

    @Test func `SIGHUP in the first moments of a daemon does not end it`() async throws {
        try await withTemporaryFolder { folder in
            let child = try start(["run"], in: folder)
            #expect(await eventually { catchesHangup(child.processID) })
            child.signal(SIGHUP)
            #expect(await eventually { folder.read("output").contains("configuration read again") })
            child.signal(SIGTERM)
            #expect(await child.end() == 0)
            await child.destroy()
        }
    }

    private func catchesHangup(_ process: pid_t) -> Bool {
        let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("SigCgt:") }
        guard let mask = line.flatMap({ UInt64($0.dropFirst(7).drop { $0.isWhitespace }, radix: 16) })
        else { return false }
        return mask & 1 << UInt64(SIGHUP - 1) != 0
    }

    private func start(_ verb: [String], in folder: TemporaryFolder) throws -> ChildProcess {
        let own =
            verb.first == "resolver"
            ? ["--db", folder.path("resolver.db")] : ["--state", folder.path("state")]
        return try Program.start(
            verb + own,
            in: folder,
            keys: verb == ["run"]
                ? ["mqtt.host": "127.0.0.1", "mqtt.port": "1", "flare.server.listen": "127.0.0.1:0"] : [:],
            output: folder.path("output")
        )
    }
}
