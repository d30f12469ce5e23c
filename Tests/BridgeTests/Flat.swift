import Bridge
import Controller
import Flare
import JSON
import MQTT

/// A flat with a kitchen, in which a lamp and a plant stand, and a device that walks through it.
enum Flat {
    static let home = FlareID(high: 1, low: 0)
    static let kitchen = FlareID(high: 2, low: 0)
    static let lamp = FlareID(high: 3, low: 0)
    static let plant = FlareID(high: 3, low: 1)
    static let phone = FlareID(high: 4, low: 0)

    static let model: Set<StateChange> = [
        .object(ObjectReference(.environment, home)), .object(ObjectReference(.zone, kitchen)),
        .object(ObjectReference(.thing, lamp)), .object(ObjectReference(.thing, plant)),
    ]
    static let view: Set<StateChange> = [
        .environment, .zone, .nearby, .device, .position, .angle, .location, .link, .sensor(.gps),
        .sensor(.beacons), .sensor(.cmx), .sensor(.compass),
    ]

    static func moment(_ milliseconds: Int64) -> Instant {
        Instant(wallMilliseconds: 1_790_000_000_000 + milliseconds, steadyMilliseconds: milliseconds)
    }

    /// Everything known, the device in the kitchen and nothing nearby.
    static var state: ControllerState {
        var slugs = SlugRegistry()
        slugs.restore("home", for: ObjectReference(.environment, home))
        slugs.restore("kitchen", for: ObjectReference(.zone, kitchen))
        slugs.restore("lamp", for: ObjectReference(.thing, lamp))
        slugs.restore("plant", for: ObjectReference(.thing, plant))
        var state = ControllerState(epoch: "0000000000000001", slugs: slugs)
        state.environments[home] = FlareEnvironment(id: home)
        state.environments[home]?.name = "Home"
        state.environmentID = home
        state.zones[kitchen] = FlareZone(id: kitchen)
        state.zones[kitchen]?.name = "Kitchen"
        state.zoneID = kitchen
        state.things[lamp] = FlareThing(id: lamp)
        state.things[lamp]?.name = "Lamp"
        state.things[lamp]?.data = ["on": true, "brightness": 0.5]
        state.things[lamp]?.position = Point3D(x: 3, y: 0)
        state.things[plant] = FlareThing(id: plant)
        state.things[plant]?.name = "Plant"
        state.device = FlareDevice(id: phone)
        state.device?.name = "Phone"
        state.device?.position = .zero
        state.device?.data = ["angle": 90]
        state.fix = PositionFix(accuracyMetres: 1, quality: .good, source: "beacons", at: moment(0))
        state.location = Location(point: GeoPoint(latitude: 50, longitude: 8))
        state.isPlaceKnown = true
        state.isLinkUp = true
        return state
    }
}

/// A renderer with its store, and a broker that takes everything.
struct Screen: ~Copyable {
    private var renderer: StateRenderer
    private(set) var store = RetainedTopicStore()

    init(publishesLocation: Bool = false, publishesPlace: Bool = true) {
        var configuration = BridgeConfiguration()
        configuration.base = "t"
        configuration.node = "n"
        configuration.publishesLocation = publishesLocation
        configuration.place = publishesPlace ? nil : "hall"
        renderer = StateRenderer(configuration: configuration)
    }

    /// One that has told that no alert is open.
    static func ofStart(publishesLocation: Bool = false) -> Screen {
        var screen = Screen(publishesLocation: publishesLocation)
        screen.show(Flat.state, [])
        return screen
    }

    /// One that has shown everything of the flat at time 0.
    static func ofFlat() -> Screen {
        var screen = Screen()
        screen.show(Flat.state, Flat.model.union(Flat.view))
        return screen
    }

    /// What is sent because of a snapshot: topics without `t/n/`, with their payloads.
    @discardableResult
    mutating func show(_ state: ControllerState, _ changes: Set<StateChange>, at now: Int64 = 0) -> [String:
        String]
    {
        renderer.render(StateSnapshot(state: state, changes: changes), in: &store)
        return send(at: now)
    }

    /// The same, with objects that wait for the broker's access list.
    mutating func show(
        _ state: ControllerState,
        _ changes: Set<StateChange>,
        behind gate: inout AccessListGate
    ) -> [String: String] {
        gate.observe(StateSnapshot(state: state, changes: changes), in: &store)
        return show(state, changes)
    }

    /// What is sent when the broker uses a list.
    mutating func apply(_ number: Int, _ gate: inout AccessListGate) -> [String: String] {
        gate.listApplied(number, in: &store)
        return send(at: 0)
    }

    /// What is due at a time.
    mutating func send(at now: Int64) -> [String: String] {
        var told: [String: String] = [:]
        for slot in store.due(at: now) {
            let message = store[slot]
            store.recordSent(slot, at: now)
            told[String(message.topic.dropFirst(4))] = String(decoding: message.payload, as: UTF8.self)
        }
        return told
    }

    /// The messages that wait, in their order, without sending them.
    mutating func pending(_ state: ControllerState, _ changes: Set<StateChange>) -> [MQTTMessage] {
        renderer.render(StateSnapshot(state: state, changes: changes), in: &store)
        return store.due(at: 0).map { store[$0] }
    }

    func aliveTopics(at milliseconds: Int64 = 0) -> [String] {
        renderer.aliveTopics(at: Instant(wallMilliseconds: 0, steadyMilliseconds: milliseconds))
            .map { String($0.dropFirst(4)) }
    }
}
