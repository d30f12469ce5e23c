import Foundation
import HTTPListener
import JSON
import Logging
import ServiceLifecycle
import TestSupport
import Threading

/// Runs verbs of the program that was built beside these tests, on a state folder of their own.
struct VerbDesk: Sendable {
    /// A request that a verb has sent.
    struct Sent: Sendable, Hashable {
        /// Method, path below `/api/`, and query, such as `GET bindings?filter=pending`.
        let line: String
        let body: JSONValue?

        init(_ line: String, _ body: JSONValue? = nil) { (self.line, self.body) = (line, body) }
    }

    /// What a daemon answers.
    struct Answer: Sendable {
        let status: Int
        let body: JSONValue?

        init(_ status: Int, _ body: JSONValue? = nil) { (self.status, self.body) = (status, body) }

        static func refused(_ status: Int, _ code: String, _ message: String) -> Answer {
            Answer(status, ["error": .string(code), "message": .string(message)])
        }
    }

    let folder: TemporaryFolder
    private let requests = Locked<[Sent]>([])

    private static let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appending(path: "trilateral").path(percentEncoded: false)

    var state: String { folder.path("state") }

    /// The requests so far, the oldest first.
    var sent: [Sent] { requests.withLock(\.self) }

    /// A file that only its owner can read.
    ///
    /// - Returns: Its path.
    func write(_ text: String, to name: String, mode: mode_t = 0o600) throws -> String {
        try folder.write(text, to: name)
        guard chmod(folder.path(name), mode) == 0 else { throw POSIXError(.EPERM) }
        return folder.path(name)
    }

    /// Runs a verb to its end.
    ///
    /// - Returns: Its exit status, and what it wrote on standard output and standard error.
    func run(_ words: [String]) async throws -> (status: Int32?, output: String) {
        let name = "output-\(UUID().uuidString)"
        let child = try start(words, output: folder.path(name))
        let status = await child.end(within: .seconds(30))
        await child.destroy()
        return (status, folder.read(name))
    }

    /// Starts a verb; nothing of the machine's user counts.
    func start(
        _ words: [String],
        output: String? = nil,
        terminal: PseudoTerminal? = nil
    ) throws -> ChildProcess {
        let variables = [
            "TERM=xterm", "HOME=\(folder.path)", "RUNTIME_DIRECTORY=\(folder.path("run"))",
            "PATH=\(ProcessInfo.processInfo.environment["PATH"] ?? "")",
        ]
        return try ChildProcess(
            "/usr/bin/env",
            ["-i"] + variables + [Self.program] + words + ["--state", state],
            output: output,
            terminal: terminal
        )
    }

    /// Runs the body while a daemon gives the answers at the folder's socket.
    ///
    /// - Parameter answers: By the line of a request; others are 404.
    func withDaemon(_ answers: [String: Answer], _ body: () async throws -> Void) async throws {
        try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
        let (bounds, bound) = AsyncStream<Void>.makeStream()
        let service = LocalSocketService(
            path: state + "/admin.sock",
            logger: .silent,
            onBound: { bound.yield() },
            answer: { request in
                let sent = Sent(request)
                requests.withLock { $0.append(sent) }
                let answer =
                    answers[sent.line] ?? .refused(404, "unknown", "nothing answers \(sent.line) here")
                return LocalResponse(answer.status, answer.body?.bytes ?? [])
            }
        )
        let group = ServiceGroup(services: [service], logger: .silent)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                // When it cannot start, nobody waits for it any longer.
                defer { bound.finish() }
                try await group.run()
            }
            for await _ in bounds {
                let result: Result<Void, any Error>
                do { result = .success(try await body()) } catch { result = .failure(error) }
                await group.triggerGracefulShutdown()
                try result.get()
            }
            try await tasks.waitForAll()
        }
    }
}

extension VerbDesk.Sent {
    fileprivate init(_ request: LocalRequest) {
        let query = request.query.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        let path = request.path.dropFirst().joined(separator: "/")
        self.init(
            "\(request.method) \(path)" + (query.isEmpty ? "" : "?" + query.joined(separator: "&")),
            request.body.isEmpty ? nil : try? JSONValue(parsing: request.body)
        )
    }
}

/// Runs the body with a desk whose state folder is not there yet.
func withVerbDesk(_ body: (VerbDesk) async throws -> Void) async throws {
    try await withTemporaryFolder { try await body(VerbDesk(folder: $0)) }
}
