import Flare
import NIOCore

/// An event of the stream, encoded once for all of its readers.
struct FeedEvent: Sendable {
    /// What an event is about: a newer one with the same subject replaces it for readers that are behind.
    enum Subject: Sendable, Hashable {
        case state, nearby, lifecycle
        case object(ObjectReference)
        /// Where one of several devices is, by its node.
        case device(String)
        case alert(String)
        /// What a display shows; only for its own streams.
        case screen(display: String)
        /// A banner on a display, or on every one for `nil`; only for streams of displays. None replaces another.
        case banner(display: String?, number: Int)
        /// The motion of the device; only for visible displays, and never stored.
        case frame

        /// The name of the event.
        var name: String {
            switch self {
            case .state: "state"
            case .nearby: "nearby"
            case .lifecycle: "lifecycle"
            case .object(let object): object.kind.rawValue
            case .device: "device"
            case .alert: "alert"
            case .screen: "screen"
            case .banner: "banner"
            case .frame: "frame"
            }
        }

        /// Whether its data are the same for all who get it.
        fileprivate var isSame: Bool {
            switch self {
            case .frame, .banner: true
            case .state, .nearby, .lifecycle, .object, .device, .alert, .screen: false
            }
        }
    }

    /// Whether it is meant for the streams of a display; `nil` for those of none.
    func isMeant(for display: String?) -> Bool {
        switch subject {
        case .screen(let own): own == display
        case .banner(let own, _): display != nil && (own == nil || own == display)
        case .state, .nearby, .lifecycle, .object, .device, .alert, .frame: true
        }
    }

    /// Counts the events of an epoch, from 1.
    let number: Int
    let subject: Subject
    let text: ByteBuffer
    /// The data of a frame or a banner, for readers whose events have other numbers.
    let json: [UInt8]?

    /// - Parameter json: Compact, so without line breaks.
    /// - Source: the HTML standard, 9.2 (server-sent events).
    init(_ subject: Subject, _ json: [UInt8], epoch: String, number: Int) {
        (self.number, self.subject) = (number, subject)
        self.json = subject.isSame ? json : nil
        let head = "id: \(epoch)-\(number)\nevent: \(subject.name)\ndata: "
        var text = ByteBufferAllocator().buffer(capacity: head.utf8.count + json.count + 2)
        text.writeString(head)
        text.writeBytes(json)
        text.writeString("\n\n")
        self.text = text
    }

    /// The number in a Last-Event-ID; `nil` for an identifier of another epoch, and for no identifier.
    static func number(in identifier: String?, epoch: String) -> Int? {
        guard let identifier, identifier.hasPrefix(epoch + "-"),
            let number = Int(identifier.dropFirst(epoch.count + 1)), number >= 0
        else { return nil }
        return number
    }
}
