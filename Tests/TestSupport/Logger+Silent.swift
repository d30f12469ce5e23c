package import Logging

extension Logger {
    /// Logs nowhere.
    package static let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
}
