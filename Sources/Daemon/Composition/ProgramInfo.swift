package import Controller
import OperatingSystem

/// The program's version and start time.
package struct ProgramInfo: Sendable {
    /// The version in `--version`, `info` and the documentation.
    package static let currentVersion = ProgramVersion.current.description

    package let version = Self.currentVersion
    package let started: Instant

    package init(started: Instant) { self.started = started }
}
