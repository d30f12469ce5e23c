import DequeModule

/// Notices and replies that wait until the changes before them are durable.
package struct DurabilityQueue: Sendable {
    /// Called with the error if the disk did not confirm the changes.
    package typealias Delivery = @Sendable (FlareStoreError?) -> Void

    private var pending: Deque<(commit: Int, deliver: Delivery)> = []
    private var commits = 0
    private var durable = 0
    private var isRunning = false

    package init() {}

    /// Whether a commit is not durable yet.
    package var isWaiting: Bool { durable < commits }

    package mutating func committed() { commits += 1 }

    /// Delays a delivery until all commits so far are durable.
    package mutating func enqueue(_ deliver: @escaping Delivery) { pending.append((commits, deliver)) }

    /// Begins a synchronization of the disk.
    /// - Returns: The last commit that it covers; `nil` when there is nothing to do or one is in progress.
    package mutating func begin() -> Int? {
        guard isWaiting, !isRunning else { return nil }
        isRunning = true
        return commits
    }

    /// Ends the synchronization.
    /// - Returns: The deliveries that are due, in order.
    package mutating func end(upTo commit: Int) -> [Delivery] {
        isRunning = false
        durable = commit
        var due: [Delivery] = []
        while let first = pending.first, first.commit <= commit {
            due.append(first.deliver)
            pending.removeFirst()
        }
        return due
    }
}
