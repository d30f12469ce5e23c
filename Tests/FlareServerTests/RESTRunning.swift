import FlareServer
import HTTPListener
import JSON
import Logging
import ServiceLifecycle
import TestSupport

/// Serves a hub on a free port while the body runs, then shuts down gracefully.
func withREST<Value: Sendable>(
    _ hub: FlareHub? = nil,
    publicFolder: String? = nil,
    sockets: SocketSettings = SocketSettings(),
    _ change: (inout HTTPListenerConfiguration) -> Void = { _ in },
    _ body: @escaping @Sendable (RESTClient) async throws -> Value
) async throws -> Value {
    var configuration = HTTPListenerConfiguration(section: "flare.server", port: 0)
    change(&configuration)
    let logger = Logger.silent
    let (ports, port) = AsyncStream.makeStream(of: Int.self)
    let server = FlareListener(
        hub: try hub ?? FlareHub(FlareStore()),
        configuration,
        publicFolder: publicFolder,
        sockets: sockets,
        logger: logger
    ) {
        port.yield($0)
        port.finish()
    }
    let group = ServiceGroup(services: [server], logger: logger)
    return try await withThrowingTaskGroup(of: Void.self) { tasks in
        tasks.addTask {
            defer { port.finish() }
            try await group.run()
        }
        for await port in ports {
            let value = try await body(RESTClient(port: port, publicFolder: publicFolder))
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
            return value
        }
        try await tasks.waitForAll()
        throw WireClient.Failure(what: "the server ended before it listened")
    }
}

/// A client of a server.
struct RESTClient: Sendable {
    let port: Int
    var publicFolder: String?

    func send(
        _ method: String,
        _ path: String,
        json: JSONValue? = nil,
        headers: [String] = []
    ) async throws -> WireClient.Reply {
        guard let json else {
            // Like browsers, so that reads can be answered immediately.
            return try await request(method, path, port: port, connection: "keep-alive", headers: headers)
        }
        return try await request(
            method,
            path,
            port: port,
            headers: headers + ["Content-Type: application/json"],
            body: json.text
        )
    }

    /// The JSON of the response; `nil` for an empty body.
    func json(_ method: String, _ path: String, json: JSONValue? = nil) async throws -> JSONValue? {
        let reply = try await send(method, path, json: json)
        guard reply.status == 200, reply.headers["content-type"] == "application/json; charset=utf-8" else {
            throw WireClient.Failure(what: "\(method) \(path): \(reply)")
        }
        return reply.body.isEmpty ? nil : try JSONValue(parsing: reply.body)
    }

    /// The list in the response; empty if it is not a list.
    func list(_ path: String) async throws -> [JSONValue] {
        guard let list = try await json("GET", path)?.array else { return [] }
        return list
    }

    /// Creates an object and returns its identifier.
    func make(_ path: String, _ body: JSONValue) async throws -> String {
        guard let id = try await json("POST", path, json: body)?["_id"]?.string else {
            throw WireClient.Failure(what: "nothing was made at \(path)")
        }
        return id
    }
}
