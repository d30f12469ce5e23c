import Foundation
import TestSupport

/// The `trilateral` program, as it was built beside these tests.
enum Program {
    static let path = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appending(path: "trilateral").path(percentEncoded: false)

    /// What a program that has ended leaves behind.
    struct End: Sendable {
        let status: Int32?
        let output: String
    }

    /// Starts the program with an environment of its own, so that nothing of this machine's user counts.
    ///
    /// - Parameters:
    ///   - keys: Keys of the configuration, by path.
    ///   - shell: What a shell does first, in the process that becomes the program.
    static func start(
        _ arguments: [String],
        in folder: TemporaryFolder,
        keys: [String: String] = [:],
        shell: String? = nil,
        output: String? = nil,
        terminal: PseudoTerminal? = nil
    ) throws -> ChildProcess {
        // Tests must not meddle with the Bluetooth of the machine that they run on, nor hear its compass and GPS, nor
        // use its ports.
        let quiet = [
            "sensors.beacons.adapter": "none", "sensors.gps.gpsd": "null",
            "web.listen": "127.0.0.1:0",
            "sensors.compass.iio_folder": folder.path("iio"),
        ]
        let keys = quiet.merging(keys) { $1 }
        let variables = keys.sorted { $0.key < $1.key }.map { key, value in
            "TRILATERAL_\(key.uppercased().map { $0 == "." ? "_" : String($0) }.joined())=\(value)"
        }
        // The daemons of other tests, and of this machine, must not be found.
        let own = [
            "TERM=xterm", "HOME=\(folder.path)", "RUNTIME_DIRECTORY=\(folder.path("run"))",
            "PATH=\(ProcessInfo.processInfo.environment["PATH"] ?? "")",
        ]
        let command = [path] + arguments
        let body = shell.map { ["/bin/bash", "-c", "\($0); exec \"$0\" \"$@\""] } ?? []
        return try ChildProcess(
            "/usr/bin/env",
            ["-i"] + own + variables + body + command,
            output: output,
            terminal: terminal
        )
    }

    /// Runs the body with the program on a terminal.
    static func onTerminal<Result>(
        _ arguments: [String],
        in folder: TemporaryFolder,
        keys: [String: String] = [:],
        _ body: (PseudoTerminal, ChildProcess) async throws -> Result
    ) async throws -> Result {
        let terminal = try PseudoTerminal()
        let child = try start(
            arguments,
            in: folder,
            keys: keys,
            terminal: terminal
        )
        let result: Swift.Result<Result, any Error>
        do { result = .success(try await body(terminal, child)) } catch { result = .failure(error) }
        await child.destroy()
        return try result.get()
    }

    /// Runs the program to its end.
    static func run(
        _ arguments: [String],
        in folder: TemporaryFolder,
        keys: [String: String] = [:],
        shell: String? = nil,
        within limit: Duration = .seconds(30)
    ) async throws -> End {
        let name = "output-\(UUID().uuidString)"
        let child = try start(arguments, in: folder, keys: keys, shell: shell, output: folder.path(name))
        let status = await child.end(within: limit)
        await child.destroy()
        return End(status: status, output: folder.read(name))
    }
}
