package import Controller
import Flare
import JSON
import MQTT
import Messages

/// Renders changes of the state into retained topics.
package struct StateRenderer: ~Copyable, Sendable {
    private var configuration: BridgeConfiguration
    let topics: Topics
    /// Whether the place was read: everything that exists has been rendered.
    var isSettled = false
    private var zoneLights = ZoneLights()
    private var thingTopics: [FlareID: ThingTopics] = [:]
    private var zoneTopics: [FlareID: (slug: String, lights: RetainedTopicStore.Topic)] = [:]
    private var buffer = JSONBuffer()
    /// Objects whose topics were cleared, until ``drainCleared()``.
    var cleared: Set<ObjectName> = []
    private var hasRenderedAlerts = false
    /// Whether the topics of a device were cleared where there is none.
    var hasClearedDevice = false
    private var (hasPosition, hasAngle) = (false, false)
    private var isSensing = false
    private var headingAt: Instant?
    /// Changes of the view that wait until the place was read; `nil` from then on.
    private var held: Set<StateChange>? = []
    /// The last rendered device and nearby thing.
    private var lastDevice: JSONObject?
    private var lastNearby: JSONObject?
    private var devicesPace = DevicesPace()

    package init(configuration: BridgeConfiguration) {
        self.configuration = configuration
        topics = Topics(root: configuration.root)
    }

    /// Follows another configuration from now on.
    mutating func use(
        _ configuration: BridgeConfiguration,
        _ state: ControllerState,
        in store: inout RetainedTopicStore
    ) {
        self.configuration = configuration
        location(state, in: &store)
    }

    /// The topics to repeat because their sensor is alive.
    package func aliveTopics(at now: Instant) -> [String] {
        let isCompassAlive = headingAt.map { now.milliseconds(since: $0) < Self.compassLife } ?? false
        return (isSensing && hasPosition ? [topics.devicePosition] : [])
            + (isCompassAlive && hasAngle ? [topics.deviceAngle] : [])
    }

    /// Milliseconds without a heading after which a compass is not alive.
    private static let compassLife: Int64 = 15_000

    /// Renders what changed: first ``model(_:in:)``, then ``rest(_:in:)``.
    package mutating func render(_ snapshot: StateSnapshot, in store: inout RetainedTopicStore) {
        model(snapshot, in: &store)
        rest(snapshot, in: &store)
    }

    /// Renders the changed objects, for which a command waits.
    mutating func model(_ snapshot: StateSnapshot, in store: inout RetainedTopicStore) {
        guard configuration.publishesPlace else { return }
        for change in snapshot.changes {
            switch change {
            case .object(let object): self.object(object, snapshot.state, in: &store)
            case .occupancy(let zone): object(ObjectReference(.zone, zone), snapshot.state, in: &store)
            default: break
            }
        }
    }

    /// Renders everything else that changed: what is derived from the objects, and the view.
    mutating func rest(_ snapshot: StateSnapshot, in store: inout RetainedTopicStore) {
        let (state, changes) = (snapshot.state, snapshot.changes)
        var zones: [FlareID] = []
        for case .object(let object) in changes where configuration.publishesPlace {
            switch object.kind {
            case .thing:
                withTopics(of: object.id, state) { topics, buffer, state in
                    buffer.removeAll()
                    if let data = state.things[object.id]?.data { buffer.write(data) }
                    Self.put(buffer, on: &topics.data, in: &store)
                    Self.beacon(of: object.id, &topics, &buffer, state, in: &store)
                }
                zones += zoneLights.update(object.id, in: state)
            case .zone: zones.append(object.id)
            case .environment, .device: break
            }
        }
        zones.sort()
        for (index, zone) in zones.enumerated() where index == 0 || zones[index - 1] != zone {
            lights(of: zone, state, in: &store)
        }
        if let viewChanges = viewChanges(snapshot) { view(state, viewChanges, in: &store) }
        if !hasRenderedAlerts || changes.contains(where: \.isAlert) {
            hasRenderedAlerts = true
            put(topics.alerts, .json(state.alertsJSON), in: &store)
        }
        for change in changes {
            switch change {
            case .sensor(let sensor) where state.hasDevice:
                put(topics.sensor(sensor), .text(state.sensorText(sensor)), in: &store)
            case .alert(let id):
                put(topics.alert(id), .json(state.alerts[id]?.json(id: id)), in: &store)
            case .beacon(let id):
                withTopics(of: id, state) { Self.beacon(of: id, &$0, &$1, $2, in: &store) }
            case .devices:
                if configuration.publishesPlace { devices(state, in: &store) }
            case .link where configuration.publishesPlace:
                for id in state.things.keys {
                    withTopics(of: id, state) { Self.availability(of: id, &$0, &$1, $2, in: &store) }
                }
                for id in state.zones.keys.sorted() { lights(of: id, state, in: &store) }
            default:
                break
            }
        }
        guard !isSettled else { return }
        guard configuration.publishesPlace else {
            isSettled = state.isPlaceKnown && !state.isStale || state.alerts["no-environment"] != nil
            return
        }
        suspendThings(state, in: &store)
        settle(state, in: &store)
    }

    /// All devices: at once when somebody is elsewhere, and rarely when only somebody was heard again.
    private mutating func devices(_ state: ControllerState, in store: inout RetainedTopicStore) {
        let isPublished = store.holds(topics.devices)
        guard state.saysWhoIsInZones || isPublished,
            let perSecond = devicesPace.perSecond(state, isPublished: isPublished)
        else { return }
        put(topics.devices, .json(state.devicesJSON), every: perSecond, in: &store)
    }

    /// The changes of the view to render now.
    ///
    /// Until the place was read for the first time, "no environment" would briefly overwrite the retained view of an
    /// earlier run.
    private mutating func viewChanges(_ snapshot: StateSnapshot) -> Set<StateChange>? {
        guard let held else { return snapshot.changes }
        let state = snapshot.state
        let isReading =
            state.isLinkUp && !state.isPlaceKnown
            && state.alerts.keys.allSatisfy { $0 != "no-environment" && $0 != "flare-load" }
        self.held = isReading ? held.union(snapshot.changes) : nil
        return isReading ? nil : held.union(snapshot.changes)
    }

    // MARK: The model

    private mutating func object(
        _ object: ObjectReference,
        _ state: ControllerState,
        in store: inout RetainedTopicStore
    ) {
        guard let slug = state.slugs[object.kind, object.id] else { return }
        if !state.holds(object) { cleared.insert(ObjectName(object.kind, slug)) }
        switch object.kind {
        case .environment, .zone:
            let json =
                object.kind == .zone ? state.zoneJSON(object.id) : state.environmentJSON(object.id)
            put(topics.object(object.kind, slug), .json(json), rank: .model, in: &store)
        case .thing:
            withTopics(of: object.id, state) { topics, buffer, state in
                Self.availability(of: object.id, &topics, &buffer, state, in: &store)
                buffer.removeAll()
                state.writeThing(object.id, to: &buffer)
                Self.put(buffer, on: &topics.state, in: &store)
            }
        case .device: break
        }
    }

    /// - Parameter render: Called with the state, because a closure that captures it would copy it.
    private mutating func withTopics(
        of id: FlareID,
        _ state: ControllerState,
        _ render: (inout ThingTopics, inout JSONBuffer, ControllerState) -> Void
    ) {
        guard let slug = state.slugs[.thing, id] else { return }
        let all = topics
        func update(_ topics: inout ThingTopics, _ buffer: inout JSONBuffer) {
            if topics.slug != slug { topics = ThingTopics(slug, all) }
            render(&topics, &buffer, state)
        }
        update(&thingTopics[id, default: ThingTopics(slug, all)], &buffer)
        if !state.things.keys.contains(id) { thingTopics[id] = nil }
    }

    /// The telemetry of a thing's beacon: QoS 0 is enough.
    private static func beacon(
        of id: FlareID,
        _ topics: inout ThingTopics,
        _ buffer: inout JSONBuffer,
        _ state: ControllerState,
        in store: inout RetainedTopicStore
    ) {
        let json = state.thingBeaconJSON(id)
        guard json != nil || store.holds(&topics.beacon) else { return }
        buffer.removeAll()
        if let json { buffer.write(json) }
        put(buffer, on: &topics.beacon, qos: .atMostOnce, in: &store)
    }

    private static func availability(
        of id: FlareID,
        _ topics: inout ThingTopics,
        _ buffer: inout JSONBuffer,
        _ state: ControllerState,
        in store: inout RetainedTopicStore
    ) {
        buffer.removeAll()
        if state.things.keys.contains(id) { buffer.write(plain: state.thingAvailability(id)) }
        put(buffer, on: &topics.availability, in: &store)
    }

    /// The lights of a zone as one.
    private mutating func lights(
        of zone: FlareID,
        _ state: ControllerState,
        in store: inout RetainedTopicStore
    ) {
        guard let slug = state.slugs[.zone, zone] else { return }
        var topics =
            zoneTopics[zone].flatMap { $0.slug == slug ? $0 : nil }
            ?? (slug: slug, lights: RetainedTopicStore.Topic(topics.lights(zone: slug)))
        let isHere = state.zones.keys.contains(zone)
        defer { zoneTopics[zone] = isHere ? topics : nil }
        let hasLights = isHere && zoneLights.hasLights(zone)
        guard hasLights || store.holds(&topics.lights) else { return }
        let isLinkUp = state.isLinkUp && !state.isStale
        buffer.removeAll()
        if hasLights { buffer.writeObject { zoneLights.write(zone, isLinkUp: isLinkUp, to: &$0) } }
        Self.put(buffer, on: &topics.lights, every: 10, in: &store)
    }

    /// Removes and returns the objects whose topics were cleared.
    mutating func drainCleared() -> [ObjectName] { Array(exchange(&cleared, with: [])) }

    // MARK: The view

    private mutating func view(
        _ state: ControllerState,
        _ changes: Set<StateChange>,
        in store: inout RetainedTopicStore
    ) {
        guard !changes.allSatisfy(\.isObject) else { return }
        guard state.hasDevice else { return placeAlone(state, changes, in: &store) }
        var (isUrgent, isMoving) = (false, false)
        for change in changes {
            switch change {
            case .environment, .zone, .lifecycle: isUrgent = true
            case .nearby, .device, .position, .angle: isMoving = true
            default: break
            }
        }
        let (device, nearby) = isUrgent || isMoving ? (state.deviceJSON, state.nearbyJSON) : (.null, .null)
        let hasOtherChange = hasOtherChange(device, nearby, changes)
        if changes.contains(.environment) {
            put(topics.environment, .json(state.environmentJSON), in: &store)
        }
        if changes.contains(.zone) { put(topics.zone, .json(state.zoneJSON), in: &store) }
        if changes.contains(.device) || changes.contains(.position) || changes.contains(.angle) {
            self.device(state, device, hasOtherChange: hasOtherChange, in: &store)
        }
        if changes.contains(.nearby) || changes.contains(.link) {
            put(topics.nearbyAvailability, .text(state.nearbyAvailability), in: &store)
        }
        if changes.contains(.nearby) {
            put(topics.nearby, .json(nearby), in: &store)
        }
        if changes.contains(.location) { location(state, in: &store) }
        if isUrgent || isMoving {
            let rate = hasOtherChange || isUrgent ? .infinity : configuration.copiesPerSecond
            feed(state, device, nearby, every: rate, in: &store)
        }
    }

    private mutating func location(_ state: ControllerState, in store: inout RetainedTopicStore) {
        guard configuration.publishesLocation || store.holds(topics.deviceLocation) else { return }
        let json = configuration.publishesLocation ? state.locationJSON : nil
        put(topics.deviceLocation, .json(json), in: &store)
    }

    /// Whether the device or the nearby thing changed in more than position and angle, whose copies may wait.
    private mutating func hasOtherChange(
        _ device: JSONValue,
        _ nearby: JSONValue,
        _ changes: Set<StateChange>
    ) -> Bool {
        var isOther = false
        if changes.contains(.device) {
            let (old, new) = (lastDevice, device.object)
            isOther = JSONObject.differ(old, new, without: ["position", "angle", "accuracy_m", "ts"])
            lastDevice = new
        }
        if changes.contains(.nearby) {
            let (old, new) = (lastNearby, nearby.object)
            isOther = JSONObject.differ(old, new, without: ["distance_m", "bearing_deg"]) || isOther
            lastNearby = new
        }
        return isOther
    }

    /// Renders the state feed.
    mutating func feed(_ state: ControllerState, in store: inout RetainedTopicStore) {
        feed(state, state.deviceJSON, state.nearbyJSON, every: .infinity, in: &store)
    }

    private mutating func feed(
        _ state: ControllerState,
        _ device: JSONValue,
        _ nearby: JSONValue,
        every perSecond: Double,
        in store: inout RetainedTopicStore
    ) {
        var topic = RetainedTopicStore.Topic(topics.state)
        buffer.removeAll()
        state.writeFeed(device: device, nearby: nearby, to: &buffer)
        Self.put(buffer, on: &topic, rank: .view, every: perSecond, in: &store)
    }

    private mutating func device(
        _ state: ControllerState,
        _ json: JSONValue,
        hasOtherChange: Bool,
        in store: inout RetainedTopicStore
    ) {
        // The position that an earlier run stored on the server is not a reading.
        let position = state.fix == nil ? nil : state.positionJSON
        let angle = state.compassDegrees
        hasPosition = position != nil
        hasAngle = angle != nil
        isSensing = state.fix.map { $0.quality != .lost && $0.source == "beacons" } ?? false
        headingAt = state.headingAt
        if position != nil || store.holds(topics.devicePosition) {
            put(
                topics.devicePosition,
                .json(position),
                qos: .atMostOnce,
                every: configuration.positionsPerSecond,
                in: &store
            )
        }
        if angle != nil || store.holds(topics.deviceAngle) {
            put(
                topics.deviceAngle,
                angle.map { .text(String($0)) } ?? .json(nil),
                qos: .atMostOnce,
                every: configuration.anglesPerSecond,
                in: &store
            )
        }
        let rate = hasOtherChange ? .infinity : configuration.copiesPerSecond
        put(topics.device, .json(json), every: rate, in: &store)
    }

    // MARK: Into the store

    private enum Content {
        case text(String)
        /// `nil` clears the topic.
        case json(JSONValue?)
    }

    private mutating func put(
        _ topic: String,
        _ content: Content,
        qos: MQTTQoS = .atLeastOnce,
        rank: RetainedTopicStore.Rank = .view,
        every perSecond: Double = .infinity,
        in store: inout RetainedTopicStore
    ) {
        var topic = RetainedTopicStore.Topic(topic)
        buffer.removeAll()
        switch content {
        case .text(let text): buffer.write(plain: text)
        case .json(let json?): buffer.write(json)
        case .json(nil): break
        }
        Self.put(buffer, on: &topic, qos: qos, rank: rank, every: perSecond, in: &store)
    }

    /// The topic gets what was written to a buffer.
    private static func put(
        _ buffer: borrowing JSONBuffer,
        on topic: inout RetainedTopicStore.Topic,
        qos: MQTTQoS = .atLeastOnce,
        rank: RetainedTopicStore.Rank = .model,
        every perSecond: Double = .infinity,
        in store: inout RetainedTopicStore
    ) {
        store.set(&topic, buffer, qos: qos, rank: rank, spacing: Int64((1000 / perSecond).rounded()))
    }
}
