import Flare
import Foundation
import JSON
import TestSupport
import Testing

/// A daemon whose place is on another daemon's server, which asks everybody for a token.
@Suite(.mosquitto, .enabled(if: Mosquitto.isExpected), .timeLimit(.minutes(2)))
struct RemoteTokenTests {
    private static let lamp = "things/table-lamp"

    /// What a verb prints.
    @discardableResult
    private func run(_ home: Home, _ words: String...) async throws -> String {
        let end = try await Program.run(words + ["--state", home.state], in: home.folder)
        #expect(end.status == 0, "\(words): \(end.output)")
        return end.output.trimmingCharacters(in: .newlines)
    }

    /// Runs the body with a server, its port, and the token of a user there with a right to all things, and to write devices.
    private func withServer(
        _ access: String = "write",
        _ body: (Home, Int, String) async throws -> Void
    ) async throws {
        let port = try LoopbackSocket.freePort()
        try await withTemporaryFolder { folder in
            let server = Home(in: folder, port: 1)
            do {
                try await server.take()
                try await server.start([
                    "flare.server.listen": "127.0.0.1:\(port)", "flare.server.access": "token",
                ])
                #expect(await server.logs("Flare server: http://127.0.0.1:"))
                try await run(server, "user", "add", "panel")
                try await run(server, "grant", "add", "panel", "all", access)
                try await run(server, "grant", "add", "panel", "devices", "write")
                try await body(server, port, try await run(server, "token", "add", "panel", "wall"))
                await server.kill()
            } catch {
                let failure = HomeFailure(error: error, log: await server.log)
                await server.kill()
                throw failure
            }
        }
    }

    @Test(arguments: ["auto", "polling"])
    func `the server accepts the token of the file, and no log has it`(transport: String) async throws {
        try await withServer { server, port, token in
            try await withEmptyHome { home, visitor in
                var keys = [
                    "flare.mode": "remote", "flare.remote.url": "http://127.0.0.1:\(port)",
                    "flare.remote.transport": transport, "flare.remote.reconnect_max_seconds": "1",
                ]
                try await home.start(keys)
                try await visitor.awaits("alert/flare-link") {
                    $0["message"]?.string?.contains("asks for a token") ?? false
                }
                #expect(await home.stop() == 0)

                try home.folder.write(token + "\n", to: "token")
                #expect(chmod(home.folder.path("token"), 0o600) == 0)
                keys["flare.remote.token_file"] = home.folder.path("token")
                await visitor.forget()
                try await visitor.whileStarting { try await home.start(keys) }
                try await visitor.awaits(Self.lamp) { $0["color_name"] == "orange" }
                #expect(try await visitor.ask("\(Self.lamp)/set/color", "red").outcome == "ok")
                #expect(try await run(server, "log", "--user", "panel").contains("table-lamp"))
                let log = await home.log
                #expect(!log.contains(token) && !log.contains("warning"))

                // Without the token the session ends, and no other begins.
                let row = try await run(server, "token", "list").split(separator: "\n").last {
                    $0.contains("wall")
                }
                let id = try #require(row?.split(separator: " ").first)
                try await run(server, "token", "rm", String(id))
                try await visitor.awaits("\(Self.lamp)/availability", "offline")
                #expect(
                    try await visitor.ask("\(Self.lamp)/set/color", "green").outcome == "server_unreachable"
                )
            }
        }
    }

    @Test func `a daemon of the same machine needs no token to bring its device and to drive`() async throws {
        let port = try LoopbackSocket.freePort()
        let keys = [
            "flare.server.listen": "127.0.0.1:\(port)", "flare.server.trusted_networks": "",
        ]
        try await withHome(keys) { _, _ in
            try await withEmptyHome { home, visitor in
                let remote = ["flare.mode": "remote", "flare.remote.url": "http://127.0.0.1:\(port)"]
                try await visitor.whileStarting { try await home.start(remote) }
                try await visitor.awaits(Self.lamp) { $0["color_name"] == "orange" }
                #expect(try await visitor.ask("\(Self.lamp)/set/color", "red").outcome == "ok")
                #expect(try await visitor.ask("\(Self.lamp)/action", "nextColor").outcome == "ok")
                visitor.say("sensors/position/raw", #"{"x":2,"y":2}"#)
                try await visitor.awaits("device") { $0["name"] == "Walker" }
                #expect(await !home.log.contains("may not"))
            }
        }
    }

    @Test func `what the token's user may not do is refused with the server's sentence`() async throws {
        try await withServer("read") { _, port, token in
            try await withEmptyHome { home, visitor in
                try home.folder.write(token, to: "token")
                #expect(chmod(home.folder.path("token"), 0o600) == 0)
                let keys = [
                    "flare.mode": "remote", "flare.remote.url": "http://127.0.0.1:\(port)",
                    "flare.remote.token_file": home.folder.path("token"),
                ]
                try await visitor.whileStarting { try await home.start(keys) }
                try await visitor.awaits(Self.lamp) { $0["color_name"] == "orange" }
                for (tail, payload) in [("set/color", "red"), ("action", "nextColor")] {
                    let answer = try await visitor.ask("\(Self.lamp)/\(tail)", payload)
                    #expect(answer.outcome == "not_allowed")
                    let message = answer["error"]?["message"]?.string
                    #expect(message?.contains("you may not write thing table-lamp") == true)
                }
                try await visitor.awaits(Self.lamp) { $0["color_name"] == "orange" }
            }
        }
    }
}
