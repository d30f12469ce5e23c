import Foundation
import TestSupport

/// One daemon as a user has it: a node, a state folder, a configuration; started and ended as often as one likes.
actor Home {
    nonisolated let node = "t\(UInt32.random(in: .min ... .max))"
    nonisolated let folder: TemporaryFolder
    private let broker: [String: String]
    private var child: ChildProcess?
    private var runs = 0

    init(in folder: TemporaryFolder, port: Int) {
        self.folder = folder
        broker = [
            "mqtt.host": "127.0.0.1", "mqtt.port": "\(port)", "mqtt.reconnect_min_seconds": "0.1",
            "mqtt.reconnect_max_seconds": "1", "flare.server.listen": "127.0.0.1:0", "device.name": "Walker",
            // Tests change things as the owner; "" for what everybody on this machine may do.
            "flare.server.trusted_networks": "127.0.0.0/8",
        ]
    }

    nonisolated var root: String { "trilateral/\(node)" }
    nonisolated var state: String { folder.path("state") }

    /// Puts a model into the database.
    func take(_ model: String = Place.model) async throws {
        try folder.write(model, to: "place.json")
        let end = try await Program.run(["import", folder.path("place.json"), "--state", state], in: folder)
        guard end.status == 0 else { throw ImportFailure(output: end.output) }
    }

    /// Starts the daemon, or only its Flare server with `verb` as `serve`.
    ///
    /// - Parameter file: A configuration file, for what variables cannot say.
    func start(
        _ keys: [String: String] = [:],
        verb: String = "run",
        shell: String? = nil,
        file: String? = nil
    ) throws {
        runs += 1
        if let file { try folder.write(file, to: "trilateral.yaml") }
        let options = file == nil ? [] : ["--config", folder.path("trilateral.yaml")]
        var keys = broker.merging(["mqtt.node": node]) { $1 }.merging(keys) { $1 }
        keys = keys.filter { !$0.value.isEmpty }
        child = try Program.start(
            [verb, "--state", state] + options,
            in: folder,
            keys: keys,
            shell: shell,
            output: folder.path("log-\(runs)")
        )
    }

    /// SIGTERM, and the exit code; `nil` when it does not end in time.
    @discardableResult
    func stop(within limit: Duration = .seconds(5)) async -> Int32? {
        child?.signal(SIGTERM)
        return await end(within: limit)
    }

    /// The exit code of a daemon that ends by itself.
    func end(within limit: Duration = .seconds(10)) async -> Int32? {
        let status = await child?.end(within: limit) ?? nil
        await child?.destroy()
        child = nil
        return status
    }

    func signal(_ signal: Int32) { child?.signal(signal) }

    /// SIGKILL.
    func kill() async {
        await child?.destroy()
        child = nil
    }

    var processID: pid_t? { child?.processID }

    var isRunning: Bool {
        guard let child else { return false }
        return Glibc.kill(child.processID, 0) == 0
    }

    /// What the daemon's latest run has printed.
    var log: String { folder.read("log-\(runs)") }

    func logs(_ text: String) async -> Bool { await eventually { log.contains(text) } }

    // MARK: The Flare server

    struct ImportFailure: Error { let output: String }
    struct NoServer: Error {}

    /// The status and body of a REST request.
    @discardableResult
    func rest(_ method: String, _ path: String, _ body: String = "") async throws -> (
        status: Int, body: String
    ) {
        guard let port = await serverPort() else { throw NoServer() }
        let socket = try LoopbackSocket.connected(to: port)
        let head = [
            "\(method) \(path) HTTP/1.1", "Host: 127.0.0.1:\(port)", "Connection: close",
            "Content-Type: application/json", "Content-Length: \(body.utf8.count)", "", "",
        ]
        try socket.send(Array((head.joined(separator: "\r\n") + body).utf8))
        var answer: [UInt8] = []
        while case let part = socket.receive(), !part.isEmpty { answer += part }
        let text = String(decoding: answer, as: UTF8.self)
        let parts = text.components(separatedBy: "\r\n\r\n")
        let status = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return (status, parts.dropFirst().joined(separator: "\r\n\r\n"))
    }

    /// `nil` when it does not listen.
    func serverURL() async -> String? { await serverPort().map { "http://127.0.0.1:\($0)" } }

    // MARK: The page

    struct NoLink: Error { let output: String }

    /// The link that `trilateral sign-in` prints.
    nonisolated func signInLink(_ user: String? = nil) async throws -> String {
        let words = ["sign-in"] + (user.map { [$0] } ?? []) + ["--state", state]
        let end = try await Program.run(words, in: folder)
        guard end.status == 0 else { throw NoLink(output: end.output) }
        return end.output.trimmingCharacters(in: .newlines)
    }

    /// Signs in with such a link; the header of the session.
    nonisolated func signIn(_ user: String? = nil, port: Int) async throws -> String {
        let link = try await signInLink(user)
        let secret = link.components(separatedBy: "link=").last?.prefix { $0 != "&" } ?? ""
        let type = ["Content-Type: application/json"]
        let body = #"{"link":"\#(secret)"}"#
        let reply = try await request("POST", "/api/session", port: port, headers: type, body: body)
        guard reply.status == 200, let cookie = reply.headers["set-cookie"] else {
            throw NoLink(output: "\(reply)")
        }
        return "Cookie: \(cookie.prefix { $0 != ";" })"
    }

    func serverPort() async -> Int? {
        guard await logs("Flare server: http://127.0.0.1:") else { return nil }
        let digits = log.components(separatedBy: "Flare server: http://127.0.0.1:").last?.prefix {
            $0.isNumber
        }
        return digits.flatMap { Int($0) }
    }
}

/// What a test threw, and what the daemon had to say.
struct HomeFailure: Error, CustomStringConvertible {
    let error: any Error
    let log: String

    var description: String { "\(error)\nThe daemon's log:\n\(log.suffix(5000))" }
}

/// Runs the body with a home on the suite's broker, and somebody who listens; nothing runs in it yet.
func withEmptyHome<Result: Sendable>(
    port: Int? = nil,
    waits: Bool = true,
    _ body: (Home, Visitor) async throws -> Result
) async throws -> Result {
    let port = try port ?? SharedMosquitto.broker.port
    return try await withTemporaryFolder { folder in
        let home = Home(in: folder, port: port)
        do {
            let result = try await withVisitor(to: home.root, port: port, waits: waits) {
                try await body(home, $0)
            }
            await home.kill()
            return result
        } catch {
            await home.kill()
            throw HomeFailure(error: error, log: await home.log)
        }
    }
}

/// Runs the body with a daemon that has started, in the ``Place``.
func withHome<Result: Sendable>(
    _ keys: [String: String] = [:],
    file: String? = nil,
    port: Int? = nil,
    _ body: (Home, Visitor) async throws -> Result
) async throws -> Result {
    try await withEmptyHome(port: port) { home, visitor in
        try await home.take()
        try await visitor.whileStarting { try await home.start(keys, file: file) }
        return try await body(home, visitor)
    }
}
