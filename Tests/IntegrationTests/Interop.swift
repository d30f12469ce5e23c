import Foundation
import TestSupport

/// The programs of Tests/Interop, on Socket.IO libraries that others wrote.
enum Interop {
    /// What a program that has ended has to say.
    struct End: Sendable {
        let status: Int32?
        let output: String
    }

    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// True if these tests should run: also in CI when the libraries are missing, so that they fail there.
    static var isExpected: Bool {
        let environment = ProcessInfo.processInfo.environment
        return environment["CI"] == "true" || [3, 4].allSatisfy { access(python(revision: $0), X_OK) == 0 }
    }

    static let advice = "contrib/setup --tests installs what these tests need"

    /// Where contrib/setup puts the Python that has the library for a protocol.
    static func python(revision: Int) -> String { python("v\(revision)") }

    /// Where contrib/setup puts the Python that has the packages of a list.
    static func python(_ list: String) -> String {
        root.appending(path: ".build/interop/\(list)/bin/python").path
    }

    static func program(_ name: String) -> String { root.appending(path: "Tests/Interop/\(name).py").path }

    /// Runs a program to its end, by the library for a protocol.
    static func run(
        _ name: String,
        _ arguments: [String],
        revision: Int,
        in folder: TemporaryFolder,
        within limit: Duration = .seconds(280)
    ) async throws -> End {
        let output = "\(name)-\(UUID().uuidString)"
        let child = try ChildProcess(
            python(revision: revision),
            ["-B", program(name)] + arguments,
            output: folder.path(output)
        )
        let status = await child.end(within: limit)
        await child.destroy()
        return End(status: status, output: folder.read(output))
    }
}

/// Runs the body with `trilateral serve` on an empty database, and its address.
func withFlareServer<Result: Sendable>(
    _ keys: [String: String] = [:],
    _ body: (_ address: String, _ folder: TemporaryFolder) async throws -> Result
) async throws -> Result {
    try await withTemporaryFolder { folder in
        let server = try Program.start(
            ["serve", "--listen", "127.0.0.1:0", "--state", folder.path("state")],
            in: folder,
            keys: keys,
            output: folder.path("log")
        )
        let sign = "Flare server: http://127.0.0.1:"
        let isUp = await eventually { folder.read("log").contains(sign) }
        let port = folder.read("log").components(separatedBy: sign).last?.prefix { $0.isNumber } ?? ""
        do {
            guard isUp else { throw Home.NoServer() }
            let result = try await body("127.0.0.1:\(port)", folder)
            await server.terminate()
            return result
        } catch {
            await server.destroy()
            throw HomeFailure(error: error, log: folder.read("log"))
        }
    }
}
