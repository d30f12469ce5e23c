import Flare
import People

/// Which events a stream carries.
enum StreamScope: Sendable {
    case everything
    /// What the reader may see; frames of the device only for who sees devices.
    case some(frames: Bool)
}

/// Who reads an event stream, and what they may see of it.
struct StreamViewer: Sendable {
    let asker: Asker
    /// As it was when the stream began; when it differs, the stream ends.
    var reader: Reader?
    /// The objects that the reader knows; of those, removals are told.
    var known: Set<ObjectReference> = []

    var scope: StreamScope {
        guard let reader, !reader.seesAll else { return .everything }
        return .some(frames: reader.seesDevices)
    }
}
