import Flare
import People

/// Who reads an event stream, and what they may see of it.
struct StreamViewer: Sendable {
    let asker: Asker
    /// As it was when the stream began; when it differs, the stream ends.
    var reader: Reader?
    /// The objects that the reader knows; of those, removals are told.
    var known: Set<ObjectReference> = []

    /// Whether some events are not for this reader.
    var isRestricted: Bool { reader.map { !$0.seesAll } ?? false }
}
