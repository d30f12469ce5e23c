package import Controller

/// What the program knows of itself.
package struct ProgramInfo: Sendable {
    /// The version that `--version`, `info` and the documentation name.
    package static let currentVersion = "0.1.0"

    package let version = Self.currentVersion
    package let started: Instant

    package init(started: Instant) { self.started = started }
}
