import Foundation

/// Runs the body with the path of a file that does not exist yet, and removes it afterwards.
func withTemporaryFile<Result>(_ body: (String) async throws -> Result) async throws -> Result {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent(
        "trilateral-\(UUID().uuidString)"
    ).path
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try await body(path)
}
