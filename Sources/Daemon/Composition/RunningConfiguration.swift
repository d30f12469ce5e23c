package import Settings

/// The configuration in use, and the previous one in case it does not work.
package struct RunningConfiguration: Sendable {
    package private(set) var loaded: LoadedConfiguration
    /// The last configuration that worked, until the current one has worked.
    private var proven: LoadedConfiguration?
    private var hasWorked = false

    package init(_ loaded: LoadedConfiguration) { self.loaded = loaded }

    /// The daemon has bound its ports: later failures are not caused by the configuration.
    package mutating func worked() {
        hasWorked = true
        proven = nil
    }

    /// The next daemon uses another configuration.
    package mutating func replace(with next: LoadedConfiguration) {
        if hasWorked { proven = loaded }
        loaded = next
        hasWorked = false
    }

    /// The daemon uses another configuration without having been built again.
    package mutating func applied(_ next: LoadedConfiguration) { loaded = next }

    /// The daemon has failed.
    ///
    /// - Returns: Whether to try the previous configuration, which is now the current one.
    package mutating func fallBack() -> Bool {
        guard let proven else { return false }
        loaded = proven
        self.proven = nil
        return true
    }
}
