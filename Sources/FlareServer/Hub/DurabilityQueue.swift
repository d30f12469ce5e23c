import DequeModule

/// What waits until the changes before it are on the disk.
package struct DurabilityQueue: Sendable {
    /// Called with why the disk did not take the changes, or `nil`.
    package typealias Delivery = @Sendable (FlareStoreError?) -> Void

    private var held: Deque<(commit: Int, deliver: Delivery)> = []
    private var commits = 0
    private var durable = 0
    private var isRunning = false

    package init() {}

    /// Whether something was committed that is not on the disk yet.
    package var isWaiting: Bool { durable < commits }

    package mutating func committed() { commits += 1 }

    /// Keeps something back until all that was committed so far is on the disk.
    package mutating func hold(_ deliver: @escaping Delivery) { held.append((commits, deliver)) }

    /// Begins to synchronize the disk.
    /// - Returns: The commit up to which it reaches; `nil` when there is nothing to do, or it is under way.
    package mutating func begin() -> Int? {
        guard isWaiting, !isRunning else { return nil }
        isRunning = true
        return commits
    }

    /// Ends what ``begin()`` began.
    /// - Returns: What may be delivered now, in order.
    package mutating func end(upTo commit: Int) -> [Delivery] {
        isRunning = false
        durable = commit
        var due: [Delivery] = []
        while let first = held.first, first.commit <= commit {
            due.append(first.deliver)
            held.removeFirst()
        }
        return due
    }
}
