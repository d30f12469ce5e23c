import Foundation
import JSON
import TestSupport

/// The Flare server of Tests/Interop, which is made of others' libraries, in the ``Place``.
actor InteropServer {
    nonisolated let port: Int
    private let revision: Int
    private let folder: TemporaryFolder
    private var child: ChildProcess?

    init(revision: Int, in folder: TemporaryFolder) async throws {
        self.revision = revision
        self.folder = folder
        port = try LoopbackSocket.freePort()
        try folder.write(Place.model, to: "model.json")
        try await start()
    }

    /// Starts it (again), on the same port, with the objects that it had at first.
    func start() async throws {
        let listen = "127.0.0.1:\(port)"
        child = try ChildProcess(
            Interop.python(revision: revision),
            [
                "-B", Interop.program("flare_server"), "--listen", listen, "--model",
                folder.path("model.json"),
            ],
            output: folder.path("server")
        )
        let isUp = await eventually { (try? LoopbackSocket.connected(to: port)) != nil }
        guard isUp else { throw HomeFailure(error: Home.NoServer(), log: folder.read("server")) }
    }

    /// Ends it at once.
    func kill() async {
        await child?.destroy()
        child = nil
    }

    /// One of the commands that the server understands.
    nonisolated func command(_ line: String) async throws {
        let reply = try await request("POST", "/command", port: port, body: line)
        guard reply.body == "done \(line)" else { throw WireClient.Failure(what: reply.body) }
    }

    /// What REST has to say of a path.
    nonisolated func value(_ path: String) async throws -> JSONValue {
        try JSONValue(parsing: try await request("GET", path, port: port).body)
    }
}
