import Foundation

/// A folder of files that exists as long as this value.
///
/// See ``TemporaryFolder`` for one that closures can capture.
package struct ScratchFolder: ~Copyable {
    package let path: String

    package init() throws {
        path = NSTemporaryDirectory() + "trilateral-test-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    package func write(_ name: String, _ text: String, mode: Int = 0o600) throws -> String {
        let file = path + "/" + name
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
        return file
    }
}
