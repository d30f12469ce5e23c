import Foundation
import TestSupport
import Testing

/// The daemon as a supervisor sees it, such as systemd.
@Suite(.enabled(if: Mosquitto.isExpected), .mosquitto, .timeLimit(.minutes(3)))
struct SupervisionTests {
    /// Runs the body with a socket, and a home whose daemon knows it when it is started with `shell`.
    private func withSupervisor(
        _ body: (NotifySocket, Home, Visitor, _ shell: String) async throws -> Void
    ) async throws {
        try await withEmptyHome { home, visitor in
            let socket = try NotifySocket(home.folder.path("notify"))
            try await body(socket, home, visitor, "export NOTIFY_SOCKET=\(socket.name)")
        }
    }

    /// Waits for a line that begins so, and has a word.
    private func receive(_ line: String, naming word: String = "", at socket: NotifySocket) async throws {
        let lines = try await onThread {
            socket.receive { $0.hasPrefix(line) && (word.isEmpty || $0.contains(word)) }
        }
        #expect(lines != nil, "\(line) \(word)")
    }

    @Test func `a daemon is ready without a broker, says so, and gives signs of life`() async throws {
        try await withSupervisor { socket, home, _, shell in
            try await home.start(["mqtt.port": "1"], shell: "\(shell) WATCHDOG_USEC=200000")
            try await receive("READY=1", at: socket)
            try await receive("STATUS=broker not connected, Flare server connected", at: socket)
            for _ in 0..<3 { try await receive("WATCHDOG=1", at: socket) }
            #expect(await home.stop() == 0)
        }
    }

    @Test func `status, reloads and the stop are reported`() async throws {
        try await withSupervisor { socket, home, _, shell in
            try await home.start(shell: shell, file: "log: {level: info}")
            try await receive("READY=1", at: socket)
            try await receive("STATUS=broker connected", at: socket)
            // In place, by another daemon, and refused.
            for file in ["control: {read_only: [all]}", "mqtt: {base: other}", "nonsense: 1"] {
                try home.folder.write(file, to: "trilateral.yaml")
                await home.signal(SIGHUP)
                try await receive("RELOADING=1", at: socket)
                try await receive("READY=1", at: socket)
            }
            try await receive("STATUS=broker connected, Flare", naming: "configuration", at: socket)
            #expect(await home.stop() == 0)
            try await receive("STOPPING=1", at: socket)
        }
    }

    @Test func `after a restart the program is ready again`() async throws {
        try await withSupervisor { socket, home, visitor, shell in
            try await home.take()
            try await visitor.whileStarting { try await home.start(shell: shell) }
            try await receive("READY=1", at: socket)
            #expect(try await visitor.ask("request/restart").outcome == "ok")
            try await receive("READY=1", at: socket)
            #expect(await home.stop() == 0)
        }
    }

    @Test func `a web listener without its address does not keep the daemon from being ready`() async throws {
        try await withSupervisor { socket, home, _, shell in
            let taken = try LoopbackSocket.listening()
            try await home.start(["web.listen": "127.0.0.1:\(taken.port)"], shell: shell)
            try await receive("READY=1", at: socket)
            try await receive("STATUS=broker connected, Flare", naming: "web", at: socket)
            #expect(await home.stop() == 0)
            withExtendedLifetime(taken) {}
        }
    }

    @Test func `a broken configuration ends the start before the daemon is ready`() async throws {
        try await withSupervisor { socket, home, _, shell in
            try await home.start(shell: shell, file: "nonsense: 1")
            #expect(await home.end() == 78)
            try await home.start(shell: shell, file: "log: {level: info}")
            try await receive("READY=1", at: socket)
            #expect(await home.stop() == 0)
        }
    }
}
