package import Controller

/// A part of the state on retained topics of its own, beside those of the model: a value that the bridge carries along.
package protocol StatePublisher: Sendable {
    /// Follows what a turn has changed. Must not keep the snapshot.
    mutating func observe(_ snapshot: StateSnapshot)

    /// Puts what is due into the store.
    /// - Parameter now: Steady milliseconds.
    mutating func render(into store: inout RetainedTopicStore, at now: Int64)

    /// When to render again though nothing has changed, steady milliseconds; `nil` for never.
    var nextDue: Int64? { get }
}
