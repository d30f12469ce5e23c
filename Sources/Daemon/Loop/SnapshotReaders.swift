package import Controller

/// Those who look at the state: each gets the newest, with all that changed since it last looked.
///
/// Nobody waits for a reader. A reader hears only of what it is interested in, so that one who looks at lamps costs
/// nothing while somebody walks.
package struct SnapshotReaders: Sendable {
    private struct Reader: Sendable {
        let continuation: AsyncStream<StateSnapshot>.Continuation
        /// `nil`: in everything.
        let isInterested: (@Sendable (StateChange) -> Bool)?
    }

    private var readers: [Reader] = []

    package init() {}

    /// A new reader's snapshots; those from before it came are not among them.
    package mutating func add(
        where isInterested: (@Sendable (StateChange) -> Bool)? = nil
    ) -> AsyncStream<StateSnapshot> {
        let (snapshots, continuation) = AsyncStream.makeStream(
            of: StateSnapshot.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        readers.append(Reader(continuation: continuation, isInterested: isInterested))
        return snapshots
    }

    /// Gives all the newest state; what a slow reader has not looked at is folded into it.
    package func publish(_ snapshot: StateSnapshot) {
        for reader in readers {
            var snapshot = snapshot
            if let isInterested = reader.isInterested {
                snapshot.changes = snapshot.changes.filter(isInterested)
                if snapshot.changes.isEmpty { continue }
            }
            guard case .dropped(let unread) = reader.continuation.yield(snapshot) else { continue }
            snapshot.changes.formUnion(unread.changes)
            reader.continuation.yield(snapshot)
        }
    }

    package func finish() {
        for reader in readers { reader.continuation.finish() }
    }
}
