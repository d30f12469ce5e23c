import Directory
import Foundation
import Logging
import Resolution
import TestSupport

/// A resolver on a free port of loopback, with a database in a folder of its own.
struct Resolver: Sendable {
    let server: ResolverServer
    let database: ResolverDatabase
    let port: Int
    let path: String

    var client: DirectoryClient { DirectoryClient(host: "127.0.0.1", port: port) }

    /// Sends a text and reads what comes until the resolver closes.
    func say(_ text: String) async throws -> String {
        let port = port
        return try await onThread {
            let socket = try LoopbackSocket.connected(to: port)
            try socket.send(Array(text.utf8))
            return String(decoding: socket.readToEnd(), as: UTF8.self)
        }
    }

    static let greeting = #"{"DDNSConnected":[{"Connected":true}]}"#
}

extension LoopbackSocket {
    /// Everything until the peer closes.
    func readToEnd() -> [UInt8] {
        var all: [UInt8] = []
        while case let part = receive(), !part.isEmpty { all += part }
        return all
    }
}

/// - Parameters:
///   - path: The database; without one, a file in a folder of its own.
///   - later: By how much its steady clock is ahead, milliseconds.
func withResolver(
    _ change: (inout ResolverConfiguration) -> Void = { _ in },
    path: String? = nil,
    wall: @escaping @Sendable () -> Int = { Int(Date().timeIntervalSince1970) },
    later: @escaping @Sendable () -> Int64 = { 0 },
    onDatabase: @escaping @Sendable (String?) -> Void = { _ in },
    _ body: (Resolver) async throws -> Void
) async throws {
    try await withTemporaryFolder { folder in
        var configuration = ResolverConfiguration()
        let everywhere = [NetworkRange([0, 0, 0, 0], length: 0), NetworkRange([127, 0, 0, 0], length: 8)]
        configuration.requestFrom = everywhere.compactMap(\.self)
        configuration.updateFrom = configuration.requestFrom
        change(&configuration)
        let path = path ?? folder.path("r.db")
        let database = try ResolverDatabase(path: path)
        let start = ContinuousClock.now
        let server = ResolverServer(
            configuration,
            database: database,
            clocks: .init(
                steady: { Int64(start.duration(to: .now) / .milliseconds(1)) + later() },
                wall: wall
            ),
            onDatabase: onDatabase,
            logger: .silent
        )
        let port = try await server.listen(.init(host: "127.0.0.1", port: 0))
        try await body(Resolver(server: server, database: database, port: port, path: path))
        await server.stop()
        database.close()
    }
}
