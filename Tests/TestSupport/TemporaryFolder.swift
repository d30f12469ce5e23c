package import Foundation

/// A new folder, for one test.
package struct TemporaryFolder: Sendable {
    package let url: URL
    package var path: String { url.path }

    package init(_ name: String = "trilateral-test") throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("\(name)-\(UUID().uuidString)")
        let owner: [FileAttributeKey: Any] = [.posixPermissions: 0o700]
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true, attributes: owner)
    }

    /// The path of a file inside.
    package func path(_ name: String) -> String { url.appendingPathComponent(name).path }

    package func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: url.appendingPathComponent(name))
    }

    package func read(_ name: String) -> String {
        let data = (try? Data(contentsOf: url.appendingPathComponent(name))) ?? Data()
        return String(decoding: data, as: UTF8.self)
    }

    package func remove() { try? FileManager.default.removeItem(at: url) }
}

/// Runs the body with a folder that is removed afterwards.
package func withTemporaryFolder<Result>(_ body: (TemporaryFolder) async throws -> Result) async throws
    -> Result
{
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    return try await body(folder)
}

/// Runs the body with the path of a file that does not exist yet, and removes the file afterwards.
package func withTemporaryFile<Result>(_ body: (String) async throws -> Result) async throws -> Result {
    try await withTemporaryFolder { try await body($0.path("file")) }
}
