package import Flare

/// The environments whose zones and things are still to be read for their names, one after the other.
package struct PlacesElsewhere: Sendable {
    /// The next one first.
    private var waiting: [FlareID] = []
    private var running: FlareID?
    private var read: Set<FlareID> = []

    package init() {}

    /// Whether nothing is left to read.
    package var isEmpty: Bool { waiting.isEmpty && running == nil }

    /// A new link: everything may have changed meanwhile.
    package mutating func restart() { self = PlacesElsewhere() }

    /// Environments that there are, in the order in which they are read.
    package mutating func found(_ environments: [FlareID]) {
        let known = Set(waiting).union([running].compactMap(\.self)).union(read)
        waiting += environments.filter { !known.contains($0) }
    }

    /// What is in an environment has changed.
    package mutating func changed(_ environment: FlareID) {
        read.remove(environment)
        if !waiting.contains(environment) { waiting.append(environment) }
    }

    /// Removes and returns the next one, unless one is being read.
    ///
    /// - Parameter current: The current environment, which is read anyway.
    package mutating func next(besides current: FlareID?) -> FlareID? {
        guard running == nil else { return nil }
        waiting.removeAll { $0 == current }
        guard !waiting.isEmpty else { return nil }
        running = waiting.removeFirst()
        return running
    }

    /// An environment was read, or could not be: then it waits until it is found again.
    package mutating func ended(_ environment: FlareID, isRead: Bool) {
        if running == environment { running = nil }
        if isRead { read.insert(environment) } else { read.remove(environment) }
    }
}
