import HTTPListener
import NIOCore
import Threading

/// The open event streams, on the event loop of the listener's connections.
///
/// A stream is a place in the ``EventLog``, not a queue: a reader that is behind holds nothing but what is being written to
/// it.
actor EventStreams {
    /// What a stream does next.
    enum Step: Sendable {
        case write(ByteBuffer)
        /// For a reader who may not see everything: send what they may see of it.
        case filter([FeedEvent])
        /// The reader has missed something, or has just come: send it everything.
        case startOver
        case end
    }

    private struct Stream {
        let display: DisplayName?
        let holder: StreamHolder
        var scope = StreamScope.everything
        /// The last event that the reader has; `nil` if it has to start over.
        var position: Int?
        var waiter: CheckedContinuation<Void, Never>?
        var needsPing = false
        /// What its viewer may do now, if they have not been told yet.
        var permissions: [UInt8]?
    }

    /// Most bytes of a write.
    private static let writeLimit = 64 * 1024
    /// With data, or browsers would not tell their pages; without an identifier, so that nothing is missed by it.
    private static let ping = event("ping", Array("{}".utf8))

    private static func event(_ name: String, _ json: [UInt8]) -> ByteBuffer {
        var text = ByteBuffer(string: "event: \(name)\ndata: ")
        text.writeBytes(json)
        text.writeString("\n\n")
        return text
    }

    nonisolated let loop: any EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.executor.asUnownedSerialExecutor() }

    private let share: Share
    private var log: EventLog
    private var streams: [Int: Stream] = [:]
    private var lastID = 0
    private var visible: Set<DisplayName> = []
    private var isStopping = false

    init(_ configuration: WebConfiguration, on loop: any EventLoop) {
        self.loop = loop
        share = Share(of: configuration.maximumStreams)
        log = EventLog(
            maximumBytes: configuration.maximumLogBytes,
            maximumEvents: configuration.maximumLogEvents
        )
    }

    // MARK: From the hub, in order

    nonisolated func publish(_ events: [FeedEvent]) {
        perform { streams in
            for event in events { streams.log.append(event) }
            streams.wake(onlyVisible: events.allSatisfy { $0.subject == .frame })
        }
    }

    /// Nothing was recorded before this number.
    nonisolated func startOver(at number: Int) { perform { $0.log.startOver(at: number) } }

    /// The displays that somebody can see.
    nonisolated func setVisible(_ displays: Set<DisplayName>) { perform { $0.visible = displays } }

    private nonisolated func perform(_ body: @escaping @Sendable (isolated EventStreams) -> Void) {
        loop.execute { self.onExecutor { body($0) } }
    }

    private func wake(onlyVisible: Bool = false) {
        for (id, stream) in streams where stream.waiter != nil && (!onlyVisible || isVisible(stream)) {
            resume(id)
        }
    }

    private func resume(_ id: Int) {
        let waiter = streams[id]?.waiter
        streams[id]?.waiter = nil
        waiter?.resume()
    }

    private func isVisible(_ stream: Stream) -> Bool { stream.display.map(visible.contains) ?? false }

    // MARK: Streams

    /// Opens a stream that starts over; `nil` if there are too many.
    func open(display: DisplayName?, for holder: StreamHolder) -> Int? {
        let own = streams.values.count { $0.holder == holder }
        guard !isStopping, share.admits(holder, all: streams.count, own: own) else { return nil }
        lastID += 1
        streams[lastID] = Stream(display: display, holder: holder)
        return lastID
    }

    /// Ends the stream when its peer closes the connection.
    func end(_ id: Int, with channel: any Channel) {
        channel.onPeerClose { [weak self] in self?.onExecutor { $0.close(id) } }
    }

    /// Ends a stream.
    nonisolated func end(_ id: Int) { perform { $0.close(id) } }

    /// Says which events a stream carries, and continues after one that the reader has.
    ///
    /// It starts over if that is not possible, or if some events are not for the reader.
    func begin(_ id: Int, _ scope: StreamScope, after number: Int?) {
        streams[id]?.scope = scope
        guard case .everything = scope, let number, log.canResume(after: number) else { return }
        streams[id]?.position = number
    }

    /// The reader has been sent everything up to an event.
    func setPosition(_ id: Int, _ number: Int) { streams[id]?.position = number }

    /// Waits for the next step.
    func next(_ id: Int) async -> Step {
        while !isStopping, let stream = streams[id] {
            guard let position = stream.position else { return .startOver }
            guard log.canResume(after: position) else { return .end }
            if case .some(let frames) = stream.scope {
                let isShown = frames && isVisible(stream)
                let part = log.events(after: position, frames: isShown, display: stream.display?.id)
                streams[id]?.position = part.last
                if !part.events.isEmpty { return .filter(part.events) }
            } else if let part = log.part(
                after: position,
                upTo: Self.writeLimit,
                frames: isVisible(stream),
                display: stream.display?.id
            ) {
                streams[id]?.position = part.last
                if part.text.readableBytes > 0 { return .write(part.text) }
            }
            if let permissions = stream.permissions {
                streams[id]?.permissions = nil
                return .write(Self.event("permissions", permissions))
            }
            if stream.needsPing {
                streams[id]?.needsPing = false
                return .write(Self.ping)
            }
            await withCheckedContinuation { waiter in
                // The call may have been suspended: look again, or what happened meanwhile wakes nobody.
                if isWaiting(id) { streams[id]?.waiter = waiter } else { waiter.resume() }
            }
        }
        return .end
    }

    /// Whether a stream has nothing to do.
    private func isWaiting(_ id: Int) -> Bool {
        guard !isStopping, let stream = streams[id] else { return false }
        return stream.position == log.last && !stream.needsPing && stream.permissions == nil
    }

    func close(_ id: Int) {
        streams.removeValue(forKey: id)?.waiter?.resume()
    }

    /// Says on a stream what its viewer may do: a newer one replaces one that is not written yet.
    nonisolated func tell(_ permissions: [UInt8], on id: Int) {
        perform { streams in
            streams.streams[id]?.permissions = permissions
            streams.resume(id)
        }
    }

    /// Says on every stream that the daemon lives.
    func ping() {
        for id in streams.keys { streams[id]?.needsPing = true }
        wake()
    }

    /// Ends all streams and refuses new ones.
    nonisolated func stop() {
        perform { streams in
            streams.isStopping = true
            for id in Array(streams.streams.keys) { streams.close(id) }
        }
    }
}
