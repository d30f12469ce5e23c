import Controller

/// What the program knows of itself.
package struct ProgramInfo: Sendable {
    /// The version that `--version`, `info` and the documentation name.
    package static let currentVersion = "0.1.0"

    var started: Instant
}
