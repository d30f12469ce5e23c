import Flare
import TestSupport
import Testing

/// The verbs that talk to a running daemon.
@Suite(.enabled(if: Mosquitto.isExpected), .mosquitto, .timeLimit(.minutes(1)))
struct CommandLineTests {
    private func run(_ words: String, _ home: Home) async throws -> Program.End {
        let port = try SharedMosquitto.broker.port
        let arguments =
            words.split(separator: " ").map(String.init) + [
                "--mqtt", "127.0.0.1:\(port)", "--node", home.node,
            ]
        return try await Program.run(arguments, in: home.folder)
    }

    @Test func `set, action and get wait for the answer`() async throws {
        try await withHome { home, visitor in
            #expect(try await run("set table-lamp color=red brightness=40%", home).status == 0)
            try await visitor.awaits("things/table-lamp") {
                $0["color_name"] == "red" && $0["brightness"] == 102
            }
            #expect(try await run("set table-lamp toggle", home).status == 0)
            try await visitor.awaits("things/table-lamp") { $0["state"] == "OFF" }
            #expect(try await run("action table-lamp nextColor", home).status == 0)
            try await visitor.awaits("things/table-lamp") { $0["color_name"] == "orange" }
            let got = try await run("get table-lamp --json", home)
            #expect(got.status == 0 && got.output.contains("orange"), "\(got.output)")
            #expect(try await run("get environment", home).output.contains("Flat"))
            #expect(try await run("set environment next", home).status == 0)
            try await visitor.awaits("environment") { $0["slug"] == "hut" }
            #expect(try await run("set sensors/gps OFF", home).status == 0)
            try await visitor.awaits("sensors/gps", "OFF")
        }
    }

    @Test(arguments: [
        ("set nearby color=red", "nearby"), ("set tabel-lamp color=red", "table-lamp"),
        ("set table-lamp color=rde", "rde"), ("action table-lamp dance", "dance"),
        ("get tabel-lamp", "table-lamp"),
        ("set device angle=90", "allow_set"),
    ])
    func `what is refused ends with 1 and the daemon's message`(words: String, told: String) async throws {
        try await withHome { home, _ in
            let end = try await run(words, home)
            #expect(end.status == 1)
            #expect(end.output.contains(told), "\(end.output)")
        }
    }

    @Test func `without a broker or a daemon it ends with 69`() async throws {
        try await withTemporaryFolder { folder in
            let port = try SharedMosquitto.broker.port
            for address in ["127.0.0.1:1", "127.0.0.1:\(port)"] {
                let end = try await Program.run(
                    ["get", "state", "--mqtt", address, "--node", "nobody", "--timeout", "1"],
                    in: folder
                )
                #expect(end.status == 69, "\(end.output)")
            }
        }
    }
}
