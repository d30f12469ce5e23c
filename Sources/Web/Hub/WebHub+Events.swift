import Controller
import JSON
import Messages
import NIOCore
import Threading

/// The event streams' side of the hub.
extension WebHub {
    /// Turns the changes of a turn into events, and frames.
    func record(_ snapshot: StateSnapshot) {
        animate(snapshot)
        followPermissions(snapshot)
        guard recorder.isRecording else { return }
        var events = recorder.events(snapshot, &texts, hasStream: displays.hasStream)
        if snapshot.changes.contains(where: FeedRecorder.changesState) {
            events += stateEvents(snapshot.state)
        }
        publish(events + deviceEvents(snapshot.state))
    }

    private func publish(_ events: [FeedEvent]) {
        guard !events.isEmpty else { return }
        counters.withLock { $0.events += events.count }
        streams.publish(events)
    }

    private func stateEvents(_ state: ControllerState) -> [FeedEvent] {
        let (event, wait) = recorder.stateEvent(state, at: now)
        if let wait { after(.milliseconds(wait)) { $0.stateIsDue() } }
        return event.map { [$0] } ?? []
    }

    private func stateIsDue() {
        recorder.waited()
        guard recorder.isRecording else { return }
        publish(stateEvents(node.state()))
    }

    private func deviceEvents(_ state: ControllerState) -> [FeedEvent] {
        let (events, wait) = recorder.deviceEvents(state, at: now)
        if let wait { after(.milliseconds(wait)) { $0.devicesAreDue() } }
        return events
    }

    private func devicesAreDue() {
        recorder.waitedForDevices()
        guard recorder.isRecording else { return }
        publish(deviceEvents(node.state()))
    }

    private var now: Int64 { node.clock().steadyMilliseconds }

    // MARK: Streams

    /// A stream was opened; from now on events are recorded.
    ///
    /// - Returns: The epoch of the events.
    func streamOpened(by page: DisplayPage?) -> String {
        openStreams += 1
        counters.withLock { $0.streams += 1 }
        forgetting?.cancel()
        forgetting = nil
        if !recorder.isRecording {
            recorder.begin(node.state())
            streams.startOver(at: recorder.number)
        }
        if let page { perform(displays.streamOpened(page), on: page) }
        return recorder.epoch
    }

    func streamClosed(_ stream: Int, by page: DisplayPage?) {
        openStreams -= 1
        viewers[stream] = nil
        counters.withLock { $0.streams -= 1 }
        if let page { perform(displays.streamClosed(page), on: page) }
        guard openStreams == 0, !isStopping else { return }
        forgetting = after(Self.patience) { if $0.openStreams == 0 { $0.recorder.end() } }
    }

    /// How long events are recorded for a reader that may come back.
    private static let patience = Duration.seconds(60)

    // MARK: Frames

    /// Shows the motion of the device to visible displays: as frames while the lifecycle is active, else where it is now.
    private func animate(_ snapshot: StateSnapshot) {
        let state = snapshot.state
        animator.follow(state, at: now)
        guard openStreams > 0, !displays.visible.isEmpty, recorder.isRecording else {
            return animator.settle()
        }
        guard state.lifecycle.level == .active else {
            animator.settle()
            if snapshot.changes.contains(.position) || snapshot.changes.contains(.angle) {
                publish(DeviceFrame(state))
            }
            return
        }
        guard animation == nil, !animator.isStill else { return }
        // Unstructured, because it lasts as long as the motion.
        animation = Task { await self.runAnimation() }
    }

    private func runAnimation() async {
        while let due = animator.nextDue {
            let delay = due - now
            if delay > 0, (try? await Task.sleep(for: .milliseconds(delay))) == nil { break }
            if let frame = animator.frame(at: now) { publish(frame) }
        }
        animation = nil
    }

    private func publish(_ frame: DeviceFrame) {
        publish([recorder.event(.frame, frame.json.bytes)])
    }
}
