import Daemon
import Foundation
import Logging
import MQTT

/// A mosquitto of our own on a free loopback port, which ends with this process.
final class PrivateBroker: Sendable {
    let port: Int
    /// Closing it, also by dying, ends the broker.
    private let lifeline: Pipe
    private let process: Process

    /// Starts the broker and waits until it answers.
    static func start(in folder: StateFolder) async throws(VerbError) -> PrivateBroker {
        guard let program = find("mosquitto") else {
            throw VerbError(
                "no broker answers on localhost:1883, and mosquitto is not installed; install it (apt install mosquitto), or name a broker with --mqtt HOST:PORT",
                .unavailable
            )
        }
        for _ in 0..<5 {
            let broker = try PrivateBroker(program: program, folder: folder)
            let reason = await BrokerProbe.refusal(of: "127.0.0.1", port: broker.port, within: .seconds(5))
            if reason == nil { return broker }
            broker.stop()
        }
        throw VerbError("\(program) was started, but does not answer", .unavailable)
    }

    private init(program: String, folder: StateFolder) throws(VerbError) {
        guard let port = Self.freePort() else { throw Self.failure("no free port on 127.0.0.1") }
        self.port = port
        let file = folder.url.appending(path: "mosquitto.conf")
        let text = """
            # Written by trilateral demo, for the broker that it starts and ends.
            listener \(port) 127.0.0.1
            allow_anonymous true
            persistence false
            set_tcp_nodelay true
            """
        lifeline = Pipe()
        process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        // The shell waits for the end of its input, which comes when we end, however that happens. Children inherit
        // the blocked signals of the thread that starts them: the broker would not hear SIGTERM, nor the shell's
        // `wait` SIGCHLD, for ever. So it is killed; it has nothing to save.
        process.arguments = [
            "-c",
            "\"$0\" -c \"$1\" >/dev/null 2>&1 & broker=$!; read -r line; kill -9 $broker",
            program, file.path(percentEncoded: false),
        ]
        process.standardInput = lifeline
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        do {
            try Data(text.utf8).write(to: file)
            try process.run()
        } catch {
            throw Self.failure("\(error)")
        }
    }

    private static func failure(_ why: String) -> VerbError {
        VerbError("mosquitto cannot be started: \(why)", .unavailable)
    }

    /// Ends the broker and waits until it has ended.
    func stop() {
        try? lifeline.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    private static func find(_ program: String) -> String? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let folders = path.split(separator: ":").map(String.init) + ["/usr/sbin", "/usr/local/sbin"]
        return folders.map { "\($0)/\(program)" }.first { access($0, X_OK) == 0 }
    }

    private static func freePort() -> Int? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
            }
        }
        return isBound ? Int(UInt16(bigEndian: address.sin_port)) : nil
    }
}

/// Whether an MQTT broker accepts a connection.
enum BrokerProbe {
    /// - Returns: Why it does not; `nil` when it does.
    static func refusal(of host: String, port: Int, within limit: Duration) async -> String? {
        var configuration = MQTTConfiguration()
        configuration.host = host
        configuration.port = port
        configuration.reconnectMinimumSeconds = 0.05
        configuration.reconnectMaximumSeconds = 0.2
        return await refusal(by: configuration, within: limit)
    }

    /// Tries until the broker accepts a connection or the time is over.
    ///
    /// The first failure ends it when `isPatient` is false, and in any case one that would only happen again.
    ///
    /// - Returns: Why it does not; `nil` when it does.
    static func refusal(
        by configuration: MQTTConfiguration,
        within limit: Duration,
        isPatient: Bool = true
    ) async -> String? {
        await BrokerSession(configuration).run(filters: [], timeout: limit) { visit in
            var reason = "the broker at \(configuration.address) did not answer within \(limit.inSeconds)"
            for await event in visit.events {
                switch event {
                case .link(.connected): return nil
                case .link(.disconnected(let error)):
                    reason = "\(error)"
                    guard isPatient, !error.isFinal else { return reason }
                case .deadline: return reason
                case .link(.refused), .link(.drained), .message, .woken, .signal: continue
                }
            }
            return reason
        }
    }
}
