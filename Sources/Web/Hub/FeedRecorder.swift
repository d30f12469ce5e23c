import Controller
import Flare
import JSON
import Messages

/// Turns changes of the state into events, each with the next number.
struct FeedRecorder: Sendable {
    /// Names the numbers; empty before the first recording.
    private(set) var epoch = ""
    /// The number of the last event.
    private(set) var number = 0
    private(set) var isRecording = false
    private var nearby: [UInt8] = []
    private var lifecycle: [UInt8] = []
    private var pace: StatePace
    private var devices: DevicePace

    /// - Parameter interval: Of movement in the state and of each device, milliseconds.
    init(interval: Int64) {
        pace = StatePace(interval: interval)
        devices = DevicePace(interval: interval)
    }

    /// Begins to record; later events follow what is so now.
    mutating func begin(_ state: ControllerState) {
        isRecording = true
        epoch = state.epoch
        // Changes while nothing was recorded have no number: no reader can resume before this one.
        number += 1
        nearby = state.nearbyJSON.bytes
        lifecycle = state.lifecycleJSON.bytes
        pace.begin(with: state.feedJSON())
        devices.begin(with: state)
    }

    mutating func end() { isRecording = false }

    /// The whole state, for a reader that has nothing; it may continue after the last event.
    func snapshot(_ feed: JSONValue) -> FeedEvent {
        FeedEvent(.state, feed.bytes, epoch: epoch, number: number)
    }

    mutating func event(_ subject: FeedEvent.Subject, _ json: [UInt8]) -> FeedEvent {
        number += 1
        return FeedEvent(subject, json, epoch: epoch, number: number)
    }

    /// The events of a turn, except those about the state.
    /// - Parameter hasStream: Whether a display has an event stream.
    mutating func events(
        _ snapshot: StateSnapshot,
        _ texts: inout ObjectTexts,
        hasStream: (String) -> Bool
    ) -> [FeedEvent] {
        let (state, changes) = (snapshot.state, snapshot.changes)
        var events = changed(snapshot).map { object in
            let text = texts.text(of: object, in: state) ?? Self.removal(of: object, in: state).bytes
            return event(.object(object), text)
        }
        let nearby = changes.contains(.nearby) ? state.nearbyJSON.bytes : nearby
        if nearby != self.nearby {
            self.nearby = nearby
            events.append(event(.nearby, nearby))
        }
        let lifecycle = changes.contains(.lifecycle) ? state.lifecycleJSON.bytes : lifecycle
        if lifecycle != self.lifecycle {
            self.lifecycle = lifecycle
            events.append(event(.lifecycle, lifecycle))
        }
        for case .alert(let id) in changes {
            events.append(event(.alert(id), Self.alert(id, in: state).bytes))
        }
        for display in changes.compactMap({ $0.part(of: Screens.changes) }) {
            guard hasStream(display), let json = state.screenJSON(of: display) else { continue }
            events.append(event(.screen(display: display), json.bytes))
        }
        for number in changes.compactMap({ $0.part(of: Banners.changes).flatMap { Int($0) } }).sorted() {
            guard let shown = state.banner(number), let json = state.bannerJSON(number) else { continue }
            events.append(event(.banner(display: shown.banner.display, number: number), json.bytes))
        }
        return events
    }

    /// What a display shows, for a stream that has just begun; it has the number of the last event.
    func screen(of display: String, _ state: ControllerState) -> FeedEvent? {
        state.screenJSON(of: display).map {
            FeedEvent(.screen(display: display), $0.bytes, epoch: epoch, number: number)
        }
    }

    /// The changed objects of the model, in a fixed order.
    private func changed(_ snapshot: StateSnapshot) -> [ObjectReference] {
        var objects: Set<ObjectReference> = []
        for case .object(let object) in snapshot.changes where object.kind != .device {
            objects.insert(object)
        }
        for case .occupancy(let zone) in snapshot.changes { objects.insert(ObjectReference(.zone, zone)) }
        // Every thing says whether it can be reached.
        if snapshot.changes.contains(.link) { objects.formUnion(snapshot.state.webObjects(.thing)) }
        return objects.sorted { ($0.kind.rawValue, $0.id) < ($1.kind.rawValue, $1.id) }
    }

    static func removal(of object: ObjectReference, in state: ControllerState) -> JSONValue {
        var members: JSONObject = ["id": .string("\(object.id)"), "removed": true]
        members["slug"] = state.slugs[object.kind, object.id].map { .string($0) }
        return .object(members)
    }

    static func alert(_ id: String, in state: ControllerState) -> JSONValue {
        state.alerts[id]?.json(id: id) ?? ["id": .string(id), "cleared": true]
    }

    /// The event about the state, if it is due.
    ///
    /// - Returns: The event, or milliseconds after which to call again, or neither.
    mutating func stateEvent(_ state: ControllerState, at now: Int64) -> (event: FeedEvent?, wait: Int64?) {
        let feed = state.feedJSON()
        switch pace.decide(feed, at: now) {
        case .send: return (event(.state, feed.bytes), nil)
        case .wait(let milliseconds): return (nil, milliseconds)
        case .nothing: return (nil, nil)
        }
    }

    mutating func waited() { pace.waited() }

    /// The events about devices that are due, and milliseconds after which to call again.
    mutating func deviceEvents(_ state: ControllerState, at now: Int64) -> (events: [FeedEvent], wait: Int64?)
    {
        let decision = devices.decide(state, at: now)
        let events = decision.changed.map { event(.device($0), Self.device($0, in: state).bytes) }
        return (events, decision.wait)
    }

    mutating func waitedForDevices() { devices.waited() }

    /// One of several devices, or that it is none of them any more.
    static func device(_ node: String, in state: ControllerState) -> JSONValue {
        state.placedDeviceJSON(node) ?? ["node": .string(node), "removed": true]
    }
}

extension FeedRecorder {
    /// Whether a change may be seen in the state.
    static func changesState(_ change: StateChange) -> Bool {
        switch change {
        case .environment, .zone, .nearby, .device, .position, .angle: true
        case .slice: change == .lifecycle
        case .devices, .occupancy, .location, .sensor, .alert, .link, .beacon, .object: false
        }
    }
}
