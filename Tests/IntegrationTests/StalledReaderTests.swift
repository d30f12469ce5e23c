import Flare
import Foundation
import JSON
import TestSupport
import Testing

/// A pipe that is full and that nobody reads, as a log has when its reader stalls.
private struct StalledPipe {
    let path: String
    private let descriptor: Int32

    struct Failure: Error { let code: Int32 }

    init(in folder: TemporaryFolder) throws {
        path = folder.path("pipe")
        guard mkfifo(path, 0o600) == 0 else { throw Failure(code: errno) }
        descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure(code: errno) }
        for size in [4096, 1] {
            while write(descriptor, Array(repeating: UInt8(ascii: "."), count: size), size) > 0 {}
        }
    }

    /// What has come so far, with the filling.
    func read() -> String {
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        let count = Foundation.read(descriptor, &buffer, buffer.count)
        return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
    }

    /// Reads on until a text has come.
    func reads(_ text: String) async -> Bool {
        var all = ""
        return await eventually {
            all += read()
            return all.contains(text)
        }
    }

    func end() { close(descriptor) }
}

/// Whoever reads what the daemon prints may stop reading: that holds nothing up.
@Suite(.enabled(if: Mosquitto.isExpected), .mosquitto, .timeLimit(.minutes(1)))
struct StalledReaderTests {
    @Test func `a daemon whose log nobody reads answers, falls back from a bad reload, and ends`()
        async throws
    {
        try await withEmptyHome { home, visitor in
            let pipe = try StalledPipe(in: home.folder)
            defer { pipe.end() }
            try await home.take()
            try await visitor.whileStarting {
                try await home.start(
                    ["log.level": "trace", "flare.server.listen": ""],
                    shell: "exec >'\(pipe.path)' 2>&1",
                    file: "flare:\n  server:\n    listen: 127.0.0.1:0\n"
                )
            }
            for colour in ["red", "blue", "green"] {
                #expect(try await visitor.ask("things/table-lamp/set/color", colour).outcome == "ok")
            }
            try await visitor.awaits("health") { $0["counters"]?["log_lines_dropped"] == 0 }

            let taken = try LoopbackSocket.listening()
            try home.folder.write(
                "flare:\n  server:\n    listen: 127.0.0.1:\(taken.port)\n",
                to: "trilateral.yaml"
            )
            #expect(try await visitor.ask("request/reload").outcome == "ok")
            try await visitor.awaits("alert/configuration") { $0["message"] != nil }
            #expect(try await visitor.ask("things/table-lamp/set/color", "red").outcome == "ok")

            await home.signal(SIGTERM)
            #expect(await home.end(within: .seconds(5)) == 0)
        }
    }

    @Test func `what a daemon said last is there when the reader goes on`() async throws {
        try await withTemporaryFolder { folder in
            let pipe = try StalledPipe(in: folder)
            defer { pipe.end() }
            let taken = try LoopbackSocket.listening()
            let home = Home(in: folder, port: 1)
            try await home.start(
                ["flare.server.listen": "127.0.0.1:\(taken.port)"],
                shell: "exec >'\(pipe.path)' 2>&1"
            )
            #expect(await pipe.reads("is in use"))
            #expect(await home.end() == 69)
        }
    }

    @Test func `a demo whose screen nobody reads walks on, and ends`() async throws {
        try await withTemporaryFolder { folder in
            let pipe = try StalledPipe(in: folder)
            defer { pipe.end() }
            let node = "t\(UInt32.random(in: .min ... .max))"
            let port = try SharedMosquitto.broker.port
            try await withVisitor(to: "trilateral/\(node)", port: port) { visitor in
                let demo = try Program.start(
                    [
                        "demo", "--node", node, "--mqtt", "127.0.0.1:\(port)", "--state",
                        folder.path("state"), "--web", "127.0.0.1:0", "--flare", "127.0.0.1:0",
                    ],
                    in: folder,
                    shell: "exec >'\(pipe.path)' 2>&1",
                    output: folder.path("nothing")
                )
                try await visitor.awaits("nearby") { $0["id"]?.string != nil }
                demo.signal(SIGTERM)
                #expect(await demo.end(within: .seconds(5)) == 0)
                await demo.destroy()
            }
        }
    }
}
