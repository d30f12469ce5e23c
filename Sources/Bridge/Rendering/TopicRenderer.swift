package import Controller

/// Renders a capability's own retained topics from the state.
package protocol TopicRenderer: Sendable {
    /// Follows the changes of a turn; must not keep the snapshot.
    mutating func observe(_ snapshot: StateSnapshot)

    /// Puts what is due into the store.
    /// - Parameter now: Steady milliseconds.
    mutating func render(into store: inout RetainedTopicStore, at now: Int64)

    /// When to render again without a change, steady milliseconds; `nil` for never.
    var nextDue: Int64? { get }

    /// Whether all topics that this run publishes are known: until then nothing of earlier runs is cleared.
    var isSettled: Bool { get }

    /// Whether a topic will be published, so that what an earlier run left there stays until then.
    func isExpected(_ topic: String) -> Bool
}

extension TopicRenderer {
    package var isSettled: Bool { true }
    package func isExpected(_ topic: String) -> Bool { false }
}
