package import Settings

/// The configuration that runs, and the one to go back to when it turns out not to work.
package struct RunningConfiguration: Sendable {
    package private(set) var loaded: LoadedConfiguration
    /// The last one that has worked, while it is not known whether the current one does.
    private var proven: LoadedConfiguration?
    private var hasWorked = false

    package init(_ loaded: LoadedConfiguration) { self.loaded = loaded }

    /// A daemon with it has bound its ports: what fails from now on is not the configuration's fault.
    package mutating func worked() {
        hasWorked = true
        proven = nil
    }

    /// The next daemon runs with another one.
    package mutating func replace(with next: LoadedConfiguration) {
        if hasWorked { proven = loaded }
        loaded = next
        hasWorked = false
    }

    /// The daemon has failed.
    ///
    /// - Returns: Whether another one is to be tried, with the last configuration that has worked.
    package mutating func fallBack() -> Bool {
        guard let proven else { return false }
        loaded = proven
        self.proven = nil
        return true
    }
}
