import Controller
import Flare
import Messages
import NIOCore
import People

/// Event streams of readers who may not see everything.
///
/// Events are encoded once, for readers who see everything. The others get, for what has changed, what they may see of it
/// now. Such a stream is never resumed, and it ends when its reader's rights change: the browser comes back for a new state.
extension WebHub {
    /// A stream is read by somebody from now on.
    ///
    /// - Returns: Which events are for this reader.
    func view(_ stream: Int, by asker: Asker) -> StreamScope {
        let reader = reader(for: asker.speaker)
        var viewer = StreamViewer(asker: asker, reader: reader)
        if case .some = viewer.scope, let reader {
            let state = node.state()
            for kind in [FlareClass.environment, .zone, .thing] {
                viewer.known.formUnion(state.webObjects(kind).filter { state.isSeen($0, by: reader) })
            }
        }
        viewers[stream] = viewer
        planLook()
        return viewer.scope
    }

    /// What some events are for a reader who may not see everything; `nil` when the stream has ended.
    func text(of events: [FeedEvent], for stream: Int) -> ByteBuffer? {
        // Taken out, so that what it knows changes in place.
        guard var viewer = viewers.removeValue(forKey: stream) else { return nil }
        defer { viewers[stream] = viewer }
        guard let reader = reader(for: viewer.asker.speaker),
            viewer.reader.map({ $0.seesSame(as: reader) }) ?? false
        else { return nil }
        let whole = node.state()
        // Most events are about one object.
        lazy var state = whole.seen(by: reader)
        var text = ByteBuffer()
        for event in events {
            switch event.subject {
            case .state: text.writeFeed(event, state.feed(for: reader).bytes, epoch: recorder.epoch)
            case .nearby:
                guard reader.seesDevices else { continue }
                text.writeFeed(event, state.nearbyJSON.bytes, epoch: recorder.epoch)
            case .object(let object):
                if whole.isSeen(object, by: reader) {
                    viewer.known.insert(object)
                    guard let json = texts.text(of: object, in: whole) else { continue }
                    text.writeFeed(event, json, epoch: recorder.epoch)
                } else if viewer.known.remove(object) != nil {
                    let json = FeedRecorder.removal(of: object, in: whole)
                    text.writeFeed(event, json.bytes, epoch: recorder.epoch)
                }
            case .alert: if reader.seesEverything { text.writeImmutableBuffer(event.text) }
            // Frames are here only if this reader sees devices.
            case .frame, .lifecycle, .screen: text.writeImmutableBuffer(event.text)
            }
        }
        return text
    }

    /// Ends the streams of readers whose rights, or whose session or token, are not what they were.
    package func lookAgain() {
        for (stream, viewer) in viewers {
            let speaker = viewer.asker.claim.flatMap { node.people?.identify($0) }
            let reader = reader(for: speaker)
            let isSame = viewer.reader.map { old in reader.map { old.seesSame(as: $0) } ?? false } ?? true
            if speaker == viewer.asker.speaker, isSame {
                viewers[stream]?.reader = reader
            } else {
                viewers[stream] = nil
                streams.end(stream)
            }
        }
        planLook()
    }

    /// Looks again when the next right begins or ends.
    private func planLook() {
        nextLook?.cancel()
        guard !isStopping, let soonest = viewers.values.compactMap({ $0.reader?.validUntil }).min() else {
            return
        }
        let delay = max(0, soonest.subtractingReportingOverflow(node.clock().wallMilliseconds).partialValue)
        // Unstructured, because it waits for one moment; replaced by the next one. A clock that is set is met by the
        // regular look.
        nextLook = Task {
            guard (try? await Task.sleep(for: .milliseconds(min(delay, 86_400_000)))) != nil else { return }
            self.lookAgain()
        }
    }
}

extension ByteBuffer {
    /// An event with other content.
    fileprivate mutating func writeFeed(_ event: FeedEvent, _ json: [UInt8], epoch: String) {
        writeImmutableBuffer(FeedEvent(event.subject, json, epoch: epoch, number: event.number).text)
    }
}
