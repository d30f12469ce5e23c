import Controller
import Flare
import JSON
import Messages
import NIOCore
import People

/// Which events a stream carries.
enum StreamScope: Sendable {
    case everything
    /// What the reader may see; frames of the device only for who sees devices.
    case some(frames: Bool)
}

/// Who reads an event stream, and what they may see of it.
struct StreamViewer: Sendable {
    let requester: Requester
    let audience: Audience
    /// As it was when the stream began; when it differs, the stream ends.
    var reader: Reader
    /// What the reader was last told that they may do.
    var permissions: Permissions?
    /// The objects that the reader knows; of those, removals are told.
    var known: Set<ObjectReference> = []
    /// Names the numbers of its events, where the reader may not see everything.
    ///
    /// Gaps in the numbers that all readers share would tell of events that this one may not see. The name is another
    /// one for each stream, so that nobody resumes by it.
    private let epoch = StreamViewer.newEpoch
    private var number = 0
    /// What the reader has, of what changes for others only as well.
    private var sent: [FeedEvent.Subject: [UInt8]] = [:]

    init(requester: Requester, audience: Audience, reader: Reader) {
        (self.requester, self.audience, self.reader) = (requester, audience, reader)
    }

    var scope: StreamScope {
        reader.seesAll ? .everything : .some(frames: reader.seesDevices)
    }

    /// The next event of this reader; `nil` if it says what they know.
    mutating func event(_ subject: FeedEvent.Subject, _ json: [UInt8]) -> ByteBuffer? {
        guard !Self.isForSome(subject) || sent.updateValue(json, forKey: subject) != json else { return nil }
        number += 1
        return FeedEvent(subject, json, epoch: epoch, number: number).text
    }

    /// Whether it may change for others without changing for this reader, who must not learn when.
    ///
    /// A zone changes when somebody enters or leaves it whom the reader may not see.
    private static func isForSome(_ subject: FeedEvent.Subject) -> Bool {
        switch subject {
        case .state, .nearby, .lifecycle, .screen, .device: true
        case .object(let object): object.kind == .zone
        case .alert, .frame, .banner: false
        }
    }

    /// Remembers what the reader can read of zones as the stream begins.
    mutating func begin(with zones: [ObjectReference: [UInt8]]) {
        for (zone, text) in zones { sent[.object(zone)] = text }
    }

    /// Remembers what a snapshot of the state has told.
    mutating func begin(with state: ControllerState) {
        sent[.nearby] = state.nearbyJSON.bytes
        sent[.lifecycle] = state.lifecycleJSON.bytes
    }

    private static var newEpoch: String {
        let digits = String(UInt64.random(in: .min ... .max), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
