import Foundation
package import Logging

/// What a logger was told, for tests that ask for it.
// @unchecked: `lines` is touched only while the lock is held.
package final class LogRecorder: @unchecked Sendable {
    private let lock = NSLock()
    private var lines: [String] = []

    package init() {}

    /// A logger that remembers everything, from trace on.
    package var logger: Logger { Logger(label: "test") { _ in Handler(recorder: self) } }

    /// `level message`, in order.
    package var recorded: [String] { lock.withLock { lines } }

    fileprivate func add(_ line: String) { lock.withLock { lines.append(line) } }
}

private struct Handler: LogHandler {
    let recorder: LogRecorder
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { recorder.add("\(event.level) \(event.message)") }
}
