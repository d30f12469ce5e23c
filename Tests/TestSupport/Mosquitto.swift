import Foundation

/// A real broker of our own on a free loopback port.
package actor Mosquitto {
    package nonisolated let port: Int
    /// The port for TLS; 0 without certificates.
    package nonisolated let tlsPort: Int
    package nonisolated let folder: TemporaryFolder
    private let hasStore: Bool
    private var child: ChildProcess?

    /// True if the tests that need a broker should run: also in CI when the program is missing, so that they fail there.
    package static var isExpected: Bool {
        ChildProcess.find("mosquitto") != nil || getenv("CI").map { String(cString: $0) } == "true"
    }

    fileprivate init(_ options: MosquittoOptions, in folder: TemporaryFolder) async throws {
        self.folder = folder
        port = try options.port ?? LoopbackSocket.freePort()
        tlsPort = options.certificates == nil ? 0 : try LoopbackSocket.freePort()
        hasStore = options.hasStore
        var lines = [
            "user root", "log_dest stderr", "log_type all", "set_tcp_nodelay true",
            "allow_anonymous \(options.users.isEmpty)",
        ]
        if options.hasStore { lines += ["persistence true", "persistence_location \(folder.path)/"] }
        if !options.users.isEmpty { lines += ["password_file \(folder.path("users"))"] }
        lines += ["listener \(port) 127.0.0.1"] + options.lines
        if let certificates = options.certificates {
            lines += [
                "listener \(tlsPort) 127.0.0.1", "cafile \(certificates.caFile)",
                "certfile \(certificates.serverCertificate)", "keyfile \(certificates.serverKey)",
                "require_certificate \(options.needsClientCertificate)",
            ]
        }
        try folder.write(lines.joined(separator: "\n") + "\n", to: "mosquitto.conf")
        if !options.users.isEmpty { try await setUsers(options.users) }
    }

    /// Starts it (again), on the same port, and returns when it answers a CONNECT.
    ///
    /// - Parameter withStore: False forgets what it had stored.
    package func start(withStore: Bool = true) async throws {
        await kill()
        if hasStore, !withStore { try? FileManager.default.removeItem(atPath: folder.path("mosquitto.db")) }
        guard let program = ChildProcess.find("mosquitto") else {
            throw ChildProcess.Failure(description: "the mosquitto program is missing")
        }
        let child = try ChildProcess(
            program,
            ["-c", folder.path("mosquitto.conf")],
            output: folder.path("log")
        )
        self.child = child
        guard await eventually(within: .seconds(30), { self.answers }) else {
            throw ChildProcess.Failure(description: "mosquitto does not answer on port \(port)")
        }
    }

    /// Ends it in good order: its store is written, its clients are disconnected.
    package func stop() async {
        await child?.terminate()
        child = nil
    }

    /// Ends it with SIGKILL.
    package func kill() async {
        await child?.destroy()
        child = nil
    }

    /// Halts it: the connections stay open, and nothing is answered.
    package func freeze() { child?.signal(SIGSTOP) }

    package func thaw() { child?.signal(SIGCONT) }

    /// Has it read its access lists again.
    package func reload() { child?.signal(SIGHUP) }

    /// Other users and passwords, from now on.
    package func setUsers(_ users: [String: String]) async throws {
        guard let program = ChildProcess.find("mosquitto_passwd") else {
            throw ChildProcess.Failure(description: "the mosquitto_passwd program is missing")
        }
        try folder.write("", to: "users")
        for (name, password) in users {
            try await ChildProcess.run(program, ["-b", folder.path("users"), name, password])
        }
        child?.signal(SIGHUP)
    }

    package nonisolated var log: String { folder.read("log") }

    /// True if a CONNECT gets its CONNACK, be it a refusal.
    private var answers: Bool {
        guard let socket = try? LoopbackSocket.connected(to: port) else { return false }
        let connect: [UInt8] =
            [0x10, 16, 0, 4, 0x4d, 0x51, 0x54, 0x54, 4, 2, 0, 10, 0, 4] + Array("test".utf8)
        guard (try? socket.send(connect)) != nil else { return false }
        return socket.receive().first == 0x20
    }
}

/// What a test wants of its broker.
package struct MosquittoOptions: Sendable {
    /// Further lines of the configuration file, in the part of the plain listener.
    package var lines: [String] = []
    /// Retained messages survive a restart.
    package var hasStore = false
    /// Names and passwords; without any, everybody may do everything.
    package var users: [String: String] = [:]
    /// With them there is a second listener, which speaks TLS.
    package var certificates: TestCertificates?
    package var needsClientCertificate = false
    /// A port of the test's choice; a free one if `nil`.
    package var port: Int?

    package init() {}
}

/// What a body threw, and what the broker had to say.
package struct MosquittoFailure: Error, CustomStringConvertible {
    package let error: any Error
    package let log: String

    package var description: String { "\(error)\nThe broker's log:\n\(log.suffix(10_000))" }
}

/// Runs the body with a broker, which is ended whatever the body does.
package func withMosquitto<Result: Sendable>(
    _ options: MosquittoOptions = MosquittoOptions(),
    _ body: (Mosquitto) async throws -> Result
) async throws -> Result {
    try await withTemporaryFolder { folder in
        let broker = try await Mosquitto(options, in: folder)
        do {
            try await broker.start()
            let result = try await body(broker)
            await broker.kill()
            return result
        } catch {
            await broker.kill()
            throw MosquittoFailure(error: error, log: broker.log)
        }
    }
}
