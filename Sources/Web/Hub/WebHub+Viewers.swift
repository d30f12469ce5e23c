import Controller
import Flare
import JSON
import Messages
import NIOCore
import People

/// Event streams of readers who may not see everything.
///
/// Events are encoded once, for readers who see everything. The others get, for what has changed, what they may see of it
/// now, and nothing if that is what they know; their events have numbers of their own. Such a stream is never resumed, and
/// it ends when its reader's rights change: the browser comes back for a new state.
extension WebHub {
    /// A stream is read by somebody from now on.
    ///
    /// - Returns: Which events are for this reader.
    func view(_ stream: Int, by requester: Requester, as audience: Audience) -> StreamScope {
        let reader = reader(for: requester.caller)
        var viewer = StreamViewer(requester: requester, audience: audience, reader: reader)
        if case .some = viewer.scope {
            let state = node.state()
            for kind in [FlareClass.environment, .zone, .thing] {
                viewer.known.formUnion(state.webObjects(kind).filter { state.isSeen($0, by: reader) })
            }
            if state.saysWhoIsInZones {
                var zones: [ObjectReference: [UInt8]] = [:]
                for zone in viewer.known where zone.kind == .zone {
                    zones[zone] = texts.text(of: zone, in: state, for: reader)
                }
                viewer.begin(with: zones)
            }
        }
        viewers[stream] = viewer
        // The right may have ended since it was asked for.
        if !isEntitled(viewer) { end(stream) }
        tellPermissions(of: stream)
        planLook()
        return viewer.scope
    }

    /// The whole state, for a reader that has nothing, and what its display shows.
    ///
    /// - Parameter stream: Its number.
    /// - Returns: `nil` when the stream has ended, perhaps because its reader's rights have.
    func snapshot(for display: DisplayName?, on stream: Int) -> (last: Int, text: ByteBuffer)? {
        guard let reader = viewers[stream]?.reader else { return nil }
        let state = node.state()
        guard !reader.seesAll else {
            var text = recorder.snapshot(state.feedJSON()).text
            if let display, let screen = recorder.screen(of: display.id, state) {
                text.writeImmutableBuffer(screen.text)
            }
            return (recorder.number, text)
        }
        let seen = state.seen(by: reader)
        viewers[stream]?.begin(with: seen)
        var text = viewers[stream]?.event(.state, seen.feed(for: reader).bytes) ?? ByteBuffer()
        if let display, let screen = seen.screenJSON(of: display.id),
            let event = viewers[stream]?.event(.screen(display: display.id), screen.bytes)
        {
            text.writeImmutableBuffer(event)
        }
        return (recorder.number, text)
    }

    /// What some events are for a reader who may not see everything; `nil` when the stream has ended.
    func text(of events: [FeedEvent], for stream: Int) -> ByteBuffer? {
        // Taken out, so that what it knows changes in place.
        guard var viewer = viewers.removeValue(forKey: stream) else { return nil }
        defer { viewers[stream] = viewer }
        let reader = reader(for: viewer.requester.caller)
        guard viewer.reader.seesSame(as: reader) else { return nil }
        let whole = node.state()
        // Most events are about one object.
        lazy var state = whole.seen(by: reader)
        var text = ByteBuffer()
        for event in events {
            let json: [UInt8]? =
                switch event.subject {
                case .state: state.feed(for: reader).bytes
                case .nearby: state.isDeviceSeen(by: reader) ? state.nearbyJSON.bytes : nil
                case .lifecycle: state.lifecycleJSON.bytes
                case .screen(let display): state.screenJSON(of: display)?.bytes
                case .object(let object): self.text(of: object, in: whole, for: &viewer)
                case .device(let name):
                    reader.sees(node: name) ? FeedRecorder.device(name, in: state).bytes : nil
                case .alert(let id): reader.seesEverything ? FeedRecorder.alert(id, in: whole).bytes : nil
                case .frame: reader.seesDevices ? event.json : nil
                // Whoever made it has chosen the display, and with it who sees it.
                case .banner: event.json
                }
            if let json, let own = viewer.event(event.subject, json) { text.writeImmutableBuffer(own) }
        }
        return text
    }

    /// An object, or that it is gone, for a reader who may not see all of them; `nil` if they never saw it.
    private func text(
        of object: ObjectReference,
        in state: ControllerState,
        for viewer: inout StreamViewer
    ) -> [UInt8]? {
        if state.isSeen(object, by: viewer.reader) {
            viewer.known.insert(object)
            return texts.text(of: object, in: state, for: viewer.reader)
        }
        return viewer.known.remove(object).map { FeedRecorder.removal(of: $0, in: state).bytes }
    }

    /// Ends the streams and displays of readers whose rights, or whose session or token, are not what they were.
    package func lookAgain() {
        for (stream, viewer) in viewers {
            if isEntitled(viewer) {
                viewers[stream]?.reader = reader(for: viewer.requester.caller)
            } else {
                end(stream)
            }
        }
        endForbiddenDisplays()
        renewPermissions()
        planLook()
    }

    /// Whether a reader may still read what the stream began with.
    private func isEntitled(_ viewer: StreamViewer) -> Bool {
        guard viewer.requester.isCurrent(node.people),
            case .success(viewer.audience) = audience(of: viewer.requester)
        else { return false }
        return viewer.reader.seesSame(as: reader(for: viewer.requester.caller))
    }

    private func end(_ stream: Int) {
        viewers[stream] = nil
        streams.end(stream)
    }

    /// Looks again when the next right begins or ends, or the next session or token ends.
    private func planLook() {
        nextLook?.cancel()
        let moments = viewers.values.flatMap { viewer in
            [viewer.reader.validUntil, viewer.requester.claim.flatMap { node.people.end($0) }]
        }
        guard !isStopping, let soonest = moments.compactMap(\.self).min() else { return }
        let delay = max(0, soonest.subtractingReportingOverflow(node.clock().wallMilliseconds).partialValue)
        // If the clock is set meanwhile, the regular look corrects it.
        nextLook = after(.milliseconds(min(delay, 86_400_000))) { $0.lookAgain() }
    }
}
