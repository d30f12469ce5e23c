import Daemon
import Foundation
import MQTT
import NIOCore
import NIOPosix
import Settings

/// A mosquitto of our own on a loopback port, which ends with this process.
final class PrivateBroker: Sendable {
    let address: HostAndPort
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
            var port = await LoopbackPort.free(LoopbackPort.broker)
            if port == nil { port = await LoopbackPort.free(0) }
            guard let port else { throw failure("no free port on 127.0.0.1") }
            let broker = try PrivateBroker(program: program, folder: folder, port: port)
            if await BrokerProbe.refusal(of: broker.address, within: .seconds(5)) == nil { return broker }
            broker.stop()
        }
        throw VerbError("\(program) was started, but does not answer", .unavailable)
    }

    private init(program: String, folder: StateFolder, port: Int) throws(VerbError) {
        address = HostAndPort(host: "127.0.0.1", port: port)
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
}

/// The ports of this machine on which the demo listens if they are free, so that what a browser or a script remembers of
/// it stays true: those of a daemon with a 1 before them.
package enum LoopbackPort {
    static let broker = 11_883
    static let flare = 11_234
    static let web = 18_080

    /// The port, if it can be listened on now; `nil` if another program does, or another demo is about to.
    ///
    /// - Parameter port: 0 for one that the system chooses.
    package static func free(_ port: Int) async -> Int? {
        guard port == 0 || claim(port) else { return nil }
        let listener = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        guard let channel = try? await listener.bind(host: "127.0.0.1", port: port).get() else { return nil }
        let found = channel.localAddress?.port
        try? await channel.close()
        return found
    }

    /// Claims a port among the demos of this machine until this process ends.
    ///
    /// It is listened on only later, when another demo may have found it free as well.
    ///
    /// - Source: unix(7), abstract sockets.
    private static func claim(_ port: Int) -> Bool {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return false }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let name = "\0trilateral-demo-\(port)"
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name.utf8) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + name.utf8.count)
        let isOurs = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) == 0 }
        }
        if !isOurs { close(descriptor) }
        return isOurs
    }
}

/// Whether an MQTT broker accepts a connection.
enum BrokerProbe {
    /// Tries until the broker accepts a connection or the time is over.
    ///
    /// The first failure ends it when `isPatient` is false, and in any case one that would only happen again.
    ///
    /// - Returns: Why it does not; `nil` when it does.
    static func refusal(
        of address: HostAndPort,
        within limit: Duration,
        isPatient: Bool = true
    ) async -> String? {
        var configuration = MQTTConfiguration(to: address)
        configuration.reconnectMinimumSeconds = 0.05
        configuration.reconnectMaximumSeconds = 0.2
        do throws(VerbError) {
            _ = try await BrokerSession(configuration).retained([], within: limit, isPatient: isPatient)
            return nil
        } catch {
            return error.message
        }
    }
}

extension MQTTConfiguration {
    /// A connection without a name and a password.
    init(to broker: HostAndPort) {
        self.init()
        (host, port) = (broker.host, broker.port)
    }
}
