import Flare
import Foundation
import JSON
import TestSupport
import Testing

/// How the program ends, starts again, and what does not end it.
@Suite(.enabled(if: Mosquitto.isExpected), .mosquitto, .timeLimit(.minutes(3)))
struct EndingTests {
    @Test func `a restart is answered, and the same process starts again with the same arguments`()
        async throws
    {
        try await withHome { home, visitor in
            let process = await home.processID
            let epoch = try await visitor.awaits("info")["epoch"]
            let id = try await visitor.awaits("device")["id"]
            try await visitor.whileStarting {
                let answer = try await visitor.ask("request/restart")
                #expect(answer.outcome == "ok")
            }
            #expect(try await visitor.awaits("info") { $0["epoch"] != epoch }["node"]?.string == home.node)
            #expect(try await visitor.awaits("device")["id"] == id)
            #expect(try await visitor.ask("request/ping").outcome == "ok")
            #expect(await home.processID == process)
            #expect(await home.isRunning)
            #expect(await home.stop() == 0)
        }
    }

    @Test func `what nobody keeps true is not retained after the end`() async throws {
        try await withHome { home, visitor in
            try await visitor.awaits("health") { $0["status"] != nil }
            #expect(await home.stop() == 0)
            let kept = try await retainedMessages(port: SharedMosquitto.broker.port)
            #expect(kept["\(home.root)/health"] == nil)
            #expect(kept["\(home.root)/status"] == "offline")
            try await visitor.whileStarting { try await home.start() }
            try await visitor.awaits("health") { $0["status"] == "ok" }
            #expect(await home.stop() == 0)
        }
    }

    @Test func `the lines of the log are short, also at the level debug and at the end`() async throws {
        try await withHome(["log.level": "debug", "web.listen": "127.0.0.1:0"]) { home, visitor in
            _ = try await visitor.ask("request/ping")
            #expect(await home.stop() == 0)
            let lines = await home.log.split(separator: "\n")
            #expect(lines.contains { $0.contains("service") })
            let long = lines.filter { $0.utf8.count > 600 }
            #expect(long.isEmpty, "\(long.map { $0.prefix(200) })")
        }
        try await withEmptyHome { home, _ in
            try await home.start(["log.level": "debug"], verb: "serve")
            #expect(await home.logs("Flare server"))
            #expect(await home.stop() == 0)
            #expect(!(await home.log.contains("CancellationError")))
            let long = await home.log.split(separator: "\n").filter { $0.utf8.count > 600 }
            #expect(long.isEmpty, "\(long.map { $0.prefix(200) })")
        }
    }

    @Test func `signals that are not meant for it do not end it`() async throws {
        try await withHome { home, visitor in
            for number in [SIGUSR1, SIGUSR2, SIGALRM, SIGPIPE, SIGVTALRM] { await home.signal(number) }
            let answer = try await visitor.ask("request/ping")
            #expect(answer.outcome == "ok")
            #expect(await home.stop() == 0)
        }
    }

    /// Where chance plays a part: as often as TRILATERAL_LOOPS says.
    private static let loops =
        ProcessInfo.processInfo.environment["TRILATERAL_LOOPS"].flatMap { Int($0) } ?? 3

    /// Runs the body with a home whose broker takes connections and answers in its own way, which is not TLS.
    private func withStandIn(
        _ answer: @escaping @Sendable (LoopbackSocket) -> Void,
        _ body: (Home) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            let listener = try LoopbackSocket.listening()
            let thread = Thread { while let client = try? listener.accept() { answer(client) } }
            thread.start()
            defer { listener.shut() }
            let home = Home(in: folder, port: listener.port)
            do {
                try await body(home)
            } catch {
                await home.kill()
                throw HomeFailure(error: error, log: await home.log)
            }
        }
    }

    private static let noTLS: @Sendable (LoopbackSocket) -> Void = { try? $0.send(Array("no TLS here".utf8)) }

    @Test func `SIGTERM while the broker is silent in the TLS handshake ends it in good order`() async throws
    {
        let (sockets, accepted) = AsyncStream.makeStream(of: LoopbackSocket.self)
        try await withStandIn({ accepted.yield($0) }) { home in
            var arrivals = sockets.makeAsyncIterator()
            for _ in 0..<Self.loops {
                try await home.start(["mqtt.tls.enabled": "true"])
                // Held open and not answered: the handshake is under way until the signal ends it.
                let socket = await arrivals.next()
                #expect(await home.stop() == 0)
                socket?.shut()
            }
        }
    }

    @Test func `SIGTERM between attempts at TLS ends it in good order`() async throws {
        try await withStandIn(Self.noTLS) { home in
            for _ in 0..<Self.loops {
                try await home.start(["mqtt.tls.enabled": "true"])
                #expect(await home.logs("no TLS with"))
                #expect(await home.stop() == 0)
            }
        }
    }

    @Test func `a reload while TLS is refused goes on with the new configuration, however often`()
        async throws
    {
        try await withStandIn(Self.noTLS) { home in
            try await home.start(["mqtt.tls.enabled": "true"])
            for round in 1...(Self.loops * 3) {
                #expect(await home.logs("Flare server: http://"))
                await home.signal(SIGHUP)
                let reloads = await eventually {
                    await home.log.components(separatedBy: "configuration read again").count > round
                }
                #expect(reloads)
            }
            #expect(await home.isRunning)
            #expect(await home.stop() == 0)
        }
    }

    @Test(
        arguments: [
            (["run"], "ulimit -n 40", "ulimit -n"), (["serve"], "ulimit -n 40", "ulimit -n"),
            (["run"], "ulimit -v 500000", "ulimit -v"),
        ]
    )
    func `too few descriptors and too little memory end it with 71, and what to raise`(
        verb: [String],
        limit: String,
        advice: String
    ) async throws {
        try await withTemporaryFolder { folder in
            let end = try await Program.run(
                verb + ["--state", folder.path("state")],
                in: folder,
                keys: ["mqtt.port": "1", "flare.server.listen": "127.0.0.1:0"],
                shell: limit
            )
            #expect(end.status == 71, "\(end.output)")
            #expect(end.output.contains(advice), "\(end.output)")
        }
    }

    @Test(
        arguments: [
            ("calibrate compass", 69), ("get nothing --mqtt 127.0.0.1:1 --timeout 0.5", 69),
            ("export -", 66),
        ] as [(String, Int32)]
    )
    func `a verb that fails ends with its code, and nothing else`(words: String, code: Int32) async throws {
        try await withTemporaryFolder { folder in
            let state = words.hasPrefix("get") ? [] : ["--state", folder.path("state")]
            for _ in 0..<Self.loops {
                let end = try await Program.run(
                    words.split(separator: " ").map(String.init) + state,
                    in: folder,
                    shell: "exec </dev/null"
                )
                #expect(end.status == code, "\(end.output)")
                // The heap of the C library complains with words of its own.
                #expect(!end.output.contains("free()") && !end.output.contains("corrupt"), "\(end.output)")
            }
        }
    }
}
