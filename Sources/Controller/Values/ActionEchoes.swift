import Flare
import JSON

/// Attributes the changes made by our own actions to the commands that caused them.
///
/// The server reports the changes made by an action to the client that requested it, with that client's
/// device as the sender. Other requests are not echoed. A remote server may report the change after its
/// reply.
struct ActionEchoes: Sendable {
    /// The part of an object that an action changes.
    enum Part: Sendable, Hashable {
        case position
        /// One key of the object's data.
        case data(String)
    }

    private struct Echo: Sendable {
        let object: ObjectReference
        let part: Part
        let cause: ChangeEvent.Cause
        let since: Instant
    }

    /// How long to wait for an echo, milliseconds.
    private static let patience: Int64 = 5000
    private static let capacity = 1000

    private var awaited: [Echo] = []

    /// Records a requested action; ignores an action that changes nothing.
    mutating func expect(
        _ action: String,
        on object: ObjectReference,
        position: Point3D?,
        data: JSONObject,
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

    /// Removes and returns the cause of an echoed change; `nil` if none of our actions made it.
    mutating func removeCause(_ part: Part, of object: ObjectReference, at now: Instant) -> ChangeEvent.Cause?
    {
        awaited.removeAll { now.milliseconds(since: $0.since) > Self.patience }
        guard let index = awaited.firstIndex(where: { $0.object == object && $0.part == part }) else {
            return nil
        }
        return awaited.remove(at: index).cause
    }

    /// Removes the latest action on an object, because it failed.
    mutating func forgetLast(of object: ObjectReference) {
        if let index = awaited.lastIndex(where: { $0.object == object }) { awaited.remove(at: index) }
    }

    mutating func removeAll() { awaited.removeAll() }
}
