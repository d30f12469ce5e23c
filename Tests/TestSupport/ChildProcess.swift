package import Foundation
import Synchronization

/// A program that a test has started, and that does not outlive the test process.
package final class ChildProcess: Sendable {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    package let processID: pid_t
    /// While it is open the child may live: a shell at the other end waits for the end of file.
    private let leash: Int32
    private let guardID: pid_t?
    private let hasEnded = Atomic(false)
    private let lastStatus = Atomic<Int32>(0)

    /// - Parameters:
    ///   - output: A file for what the program prints; nowhere if `nil`.
    ///   - terminal: The terminal that the program controls and talks with, instead of a file.
    package init(
        _ program: String,
        _ arguments: [String],
        output: String? = nil,
        terminal: PseudoTerminal? = nil
    ) throws {
        processID = try Self.spawn(program, arguments, output: output, terminal: terminal)
        // The end of the test process closes the leash, whatever way it ends; a line means that all is well.
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            kill(processID, SIGKILL)
            throw Failure(description: "no socket: errno \(errno)")
        }
        leash = ends[1]
        defer { close(ends[0]) }
        guardID = try? Self.spawn("/bin/sh", ["-c", "read line || kill -9 \(processID)"], input: ends[0])
    }

    /// Sends a signal, unless the child has ended and its number may be another's.
    package func signal(_ signal: Int32) {
        guard !hasEnded.load(ordering: .acquiring) else { return }
        kill(processID, signal)
    }

    /// Waits for the end.
    ///
    /// - Returns: The exit status, 128 + the signal for a signal; `nil` if it still runs after the time.
    package func end(within limit: Duration = .seconds(10)) async -> Int32? {
        if hasEnded.load(ordering: .acquiring) { return lastStatus.load(ordering: .acquiring) }
        guard let status = await Self.end(of: processID, within: limit) else { return nil }
        lastStatus.store(status, ordering: .releasing)
        hasEnded.store(true, ordering: .releasing)
        return status
    }

    private static func end(of processID: pid_t, within limit: Duration) async -> Int32? {
        var status: Int32 = 0
        let hasEnded = await eventually(within: limit) {
            let result = waitpid(processID, &status, WNOHANG)
            return result == processID || result < 0 && errno == ECHILD
        }
        guard hasEnded else { return nil }
        return status & 0x7f == 0 ? status >> 8 & 0xff : 128 + status & 0x7f
    }

    /// Ends it, by force if it does not want to.
    package func terminate() async {
        signal(SIGTERM)
        if await end(within: .seconds(5)) == nil { return await destroy() }
        await release()
    }

    package func destroy() async {
        signal(SIGKILL)
        _ = await end()
        await release()
    }

    private func release() async {
        send(leash, "\n", 1, Int32(MSG_NOSIGNAL))
        if let guardID { _ = await Self.end(of: guardID, within: .seconds(10)) }
    }

    deinit { close(leash) }

    /// Runs a program to its end.
    ///
    /// - Throws: When it does not end with 0; with what it printed.
    package static func run(_ program: String, _ arguments: [String]) async throws {
        try await withTemporaryFolder { folder in
            let child = try ChildProcess(program, arguments, output: folder.path("output"))
            let status = await child.end(within: .seconds(30))
            if status == nil { await child.destroy() }
            await child.release()
            guard status != 0 else { return }
            let line = ([program] + arguments).joined(separator: " ")
            throw Failure(description: "\(line): status \(status ?? -1)\n\(folder.read("output"))")
        }
    }

    /// Where a program is: in PATH or one of the folders for system programs.
    package static func find(_ name: String) -> String? {
        let path = getenv("PATH").map { String(cString: $0) } ?? ""
        let folders = path.split(separator: ":").map(String.init) + ["/usr/local/sbin", "/usr/sbin", "/sbin"]
        return folders.map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
    }

    private static func spawn(
        _ program: String,
        _ arguments: [String],
        input: Int32? = nil,
        output: String? = nil,
        terminal: PseudoTerminal? = nil
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let input {
            posix_spawn_file_actions_adddup2(&actions, input, 0)
        } else {
            // The first terminal that a session opens is the one that it controls.
            posix_spawn_file_actions_addopen(
                &actions,
                0,
                terminal?.path ?? "/dev/null",
                terminal == nil ? O_RDONLY : O_RDWR,
                0
            )
        }
        if terminal != nil {
            posix_spawn_file_actions_adddup2(&actions, 0, 1)
        } else {
            let file = output ?? "/dev/null"
            posix_spawn_file_actions_addopen(&actions, 1, file, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        }
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        // Sockets of libraries would be inherited, and with them ports that are to be free again. Closing what is not
        // open is no error.
        for descriptor in 3..<Int32(clamping: min(sysconf(Int32(_SC_OPEN_MAX)), 4096)) {
            posix_spawn_file_actions_addclose(&actions, descriptor)
        }
        var argv: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) }
        argv.append(nil)
        defer { for argument in argv { free(argument) } }
        // Threads of the Swift runtime block signals, and a child inherits that.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        // It inherits what is ignored, too, as under nohup.
        var ignored = sigset_t()
        sigemptyset(&ignored)
        for signal in [SIGHUP, SIGINT, SIGQUIT] { sigaddset(&ignored, signal) }
        posix_spawnattr_setsigdefault(&attributes, &ignored)
        // 0x80 is POSIX_SPAWN_SETSID.
        let session: Int32 = terminal == nil ? 0 : 0x80
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | session))
        var processID: pid_t = 0
        let failure = posix_spawn(&processID, program, &actions, &attributes, argv, environ)
        guard failure == 0 else {
            throw Failure(description: "\(program): \(String(cString: strerror(failure)))")
        }
        return processID
    }
}
