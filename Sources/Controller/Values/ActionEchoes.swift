import Flare

/// What our own actions are about to change, so that the change is told as theirs.
///
/// What an action did is told to whoever performed it, with that one's device as the sender; nothing else that we ask
/// for comes back to us. From a server elsewhere it may come after the action was answered.
struct ActionEchoes: Sendable {
    /// What an action changes.
    enum Part: Sendable, Hashable {
        case position
        /// One key of the data.
        case data(String)
    }

    private struct Echo: Sendable {
        let object: ObjectReference
        let part: Part
        let cause: ChangeEvent.Cause
        let since: Instant
    }

    /// How long one is waited for, milliseconds.
    private static let patience: Int64 = 5000
    private static let capacity = 1000

    private var awaited: [Echo] = []

    /// An action is asked for; nothing comes of one that changes nothing.
    mutating func expect(
        _ action: String,
        on object: ObjectReference,
        position: Point3D?,
        data: [String: JSONValue],
        cause: ChangeEvent.Cause,
        at now: Instant
    ) {
        awaited.removeAll { now.milliseconds(since: $0.since) > Self.patience }
        let part: Part
        switch BuiltInAction(rawValue: action)?.effect(position: position, data: data) {
        case .position(let point)? where point != position: part = .position
        case .data(let key, let value)? where value != data[key]: part = .data(key)
        case .position?, .data?, nil: return
        }
        guard awaited.count < Self.capacity else { return }
        awaited.append(Echo(object: object, part: part, cause: cause, since: now))
    }

    /// The cause of a change that came back to us; `nil` when no action of ours is known for it.
    mutating func removeCause(_ part: Part, of object: ObjectReference, at now: Instant) -> ChangeEvent.Cause?
    {
        awaited.removeAll { now.milliseconds(since: $0.since) > Self.patience }
        guard let index = awaited.firstIndex(where: { $0.object == object && $0.part == part }) else {
            return nil
        }
        return awaited.remove(at: index).cause
    }

    /// The last action on an object was not done.
    mutating func forgetLast(of object: ObjectReference) {
        if let index = awaited.lastIndex(where: { $0.object == object }) { awaited.remove(at: index) }
    }

    mutating func removeAll() { awaited.removeAll() }
}
