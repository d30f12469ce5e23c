import DequeModule
import NIOCore

/// The last events, for streams that are behind or come back.
///
/// It is bounded in bytes and events. When it is full, events are removed that a newer one with the same subject has
/// replaced; when that is not enough, the oldest are, and who has not seen them must start over.
struct EventLog: Sendable {
    /// Consecutive events, and the number of the last event that they bring the reader to.
    struct Part {
        let text: ByteBuffer
        let last: Int
    }

    private let maximumBytes: Int
    private let maximumEvents: Int
    /// By number.
    private var events: Deque<FeedEvent> = []
    private var bytes = 0
    private var frame: FeedEvent?
    /// The number of the last event.
    private(set) var last = 0
    /// Readers behind this number have missed something that is not here any more.
    private var floor = 0

    init(maximumBytes: Int, maximumEvents: Int) {
        (self.maximumBytes, self.maximumEvents) = (maximumBytes, maximumEvents)
    }

    /// Adds an event; its number is greater than all before.
    mutating func append(_ event: FeedEvent) {
        last = event.number
        guard event.subject != .frame else {
            frame = event
            return
        }
        events.append(event)
        bytes += event.text.readableBytes
        guard isTooLarge else { return }
        removeReplaced()
        while isTooLarge, let oldest = events.popFirst() {
            bytes -= oldest.text.readableBytes
            floor = oldest.number
        }
    }

    /// Forgets everything: events before this number were not recorded.
    mutating func startOver(at number: Int) {
        (events, bytes, frame) = ([], 0, nil)
        (last, floor) = (number, number)
    }

    private var isTooLarge: Bool { bytes > maximumBytes || events.count > maximumEvents }

    private mutating func removeReplaced() {
        var seen: Set<FeedEvent.Subject> = []
        let newest = events.reversed().filter { seen.insert($0.subject).inserted }
        events = Deque(newest.reversed())
        bytes = events.reduce(0) { $0 + $1.text.readableBytes }
    }

    /// Whether a reader who has seen everything up to a number can be brought up to date.
    func canResume(after number: Int) -> Bool { number >= floor && number <= last }

    /// What follows a number; `nil` if nothing does.
    ///
    /// - Parameters:
    ///   - limit: Bytes; the first event is given even if it is longer.
    ///   - frames: Whether the reader sees frames.
    ///   - display: The reader's.
    func part(after number: Int, upTo limit: Int, frames: Bool, display: String? = nil) -> Part? {
        guard number < last else { return nil }
        var found: [FeedEvent] = []
        var size = 0
        var next = firstIndex(after: number)
        var reached = number
        while next < events.endIndex, size == 0 || size + events[next].text.readableBytes <= limit {
            let event = events[next]
            if event.isMeant(for: display) {
                found.append(event)
                size += event.text.readableBytes
            }
            reached = event.number
            next += 1
        }
        let isComplete = next == events.endIndex
        if frames, isComplete, let frame, frame.number > number {
            let place = found.firstIndex { $0.number > frame.number } ?? found.endIndex
            found.insert(frame, at: place)
        }
        let end = isComplete ? last : reached
        guard let first = found.first else { return Part(text: ByteBuffer(), last: end) }
        guard found.count > 1 else { return Part(text: first.text, last: end) }
        var text = ByteBufferAllocator().buffer(
            capacity: found.reduce(0) { $0 + $1.text.readableBytes }
        )
        for event in found { text.writeImmutableBuffer(event.text) }
        return Part(text: text, last: end)
    }

    /// The newest event of each subject that follows a number, and the number that they bring the reader to.
    func events(after number: Int, frames: Bool, display: String?) -> (events: [FeedEvent], last: Int) {
        guard number < last else { return ([], number) }
        var seen: Set<FeedEvent.Subject> = []
        var found = events[firstIndex(after: number)...].reversed()
            .filter { $0.isMeant(for: display) && seen.insert($0.subject).inserted }
        if frames, let frame, frame.number > number { found.append(frame) }
        return (found.sorted { $0.number < $1.number }, last)
    }

    /// The index of the first event with a greater number.
    private func firstIndex(after number: Int) -> Int {
        var (low, high) = (events.startIndex, events.endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if events[middle].number > number { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
