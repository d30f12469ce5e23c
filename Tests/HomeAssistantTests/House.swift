import Controller
import Flare
import HomeAssistant
import JSON
import Messages
import Things

/// A house with two zones and things of every kind, and a publisher for it.
enum House {
    static let home = FlareID(high: 1, low: 0)
    static let hut = FlareID(high: 1, low: 1)
    static let hall = FlareID(high: 2, low: 0)
    static let attic = FlareID(high: 2, low: 1)
    static let lamp = FlareID(high: 3, low: 0)
    static let strip = FlareID(high: 3, low: 1)
    static let plug = FlareID(high: 3, low: 2)
    static let television = FlareID(high: 3, low: 3)
    static let statue = FlareID(high: 3, low: 4)

    /// The payloads of the daemon's own device in this house.
    static let ownTopics = [
        "homeassistant/device/trilateral_n1/config", "homeassistant/device/trilateral_n1__diagnostics/config",
        zoneTopic("attic"), zoneTopic("hall"),
    ]

    static let stripTopic = "homeassistant/device/trilateral_n1_strip/config"

    static func zoneTopic(_ slug: String) -> String {
        "homeassistant/device/trilateral_n1__zone_\(slug)/config"
    }

    /// The house with more zones, each with a light, and long names.
    static func withZones(_ count: Int) -> ControllerState {
        var state = state
        for index in 0..<count {
            let name =
                "The \(index)th room of the house that nobody could ever find "
                + String(repeating: "x", count: 60)
            let (zone, lamp) = (FlareID(high: 6, low: UInt32(index)), FlareID(high: 7, low: UInt32(index)))
            state.zones[zone] = FlareZone(id: zone)
            state.zones[zone]?.name = name
            _ = state.slugs.assign(to: ObjectReference(.zone, zone), name: name)
            add(lamp, "Lamp of \(name)", zone, ["on": true, "color": "red", "brightness": 1], &state)
        }
        return state
    }

    /// The house with a hundred more lamps, with ids of high 8.
    static var withHundredLamps: ControllerState {
        var state = state
        for index in 0..<100 {
            let id = FlareID(high: 8, low: UInt32(index))
            state.things[id] = FlareThing(id: id)
            state.things[id]?.data = ["on": true]
            _ = state.slugs.assign(to: ObjectReference(.thing, id), name: "Lamp \(index)")
        }
        return state
    }

    static var state: ControllerState { state(.none) }

    static var withoutStrip: ControllerState {
        var state = state
        state.things[strip] = nil
        return state
    }

    /// That a thing has changed.
    static func facet(_ id: FlareID) -> Set<StateChange> { [.object(ObjectReference(.thing, id))] }

    static func state(_ catalog: ThingCatalog) -> ControllerState {
        var state = ControllerState(epoch: "e", catalog: catalog)
        for (id, name) in [(home, "Home"), (hut, "Summer hut")] {
            state.environments[id] = FlareEnvironment(id: id)
            state.environments[id]?.name = name
            _ = state.slugs.assign(to: ObjectReference(.environment, id), name: name)
        }
        state.environmentID = home
        for (id, name) in [(hall, "Hall"), (attic, "Attic")] {
            state.zones[id] = FlareZone(id: id)
            state.zones[id]?.name = name
            _ = state.slugs.assign(to: ObjectReference(.zone, id), name: name)
        }
        add(
            lamp,
            "Lamp",
            hall,
            ["on": true, "color": "red", "brightness": 1, "options": ["red", "Ocean"]],
            &state
        )
        add(strip, "Strip", hall, ["brightness": 0.5], &state)
        add(plug, "Plug", attic, ["on": false], &state)
        add(
            television,
            "TV set",
            attic,
            ["volume": 12, "source": "hdmi1", "muted": false, "inputs": ["hdmi1"], "minor": 4],
            &state,
            actions: ["nextChannel", "off"]
        )
        add(statue, "Statue", nil, [:], &state)
        state.zoneID = hall
        state.device = FlareDevice(id: FlareID(high: 4, low: 0))
        state.device?.name = "Panel"
        state.isPlaceKnown = true
        state.isLinkUp = true
        return state
    }

    private static func add(
        _ id: FlareID,
        _ name: String,
        _ zone: FlareID?,
        _ data: JSONObject,
        _ state: inout ControllerState,
        actions: [String] = []
    ) {
        var thing = FlareThing(id: id)
        thing.name = name
        thing.zone = zone
        thing.data = data
        thing.actions = actions
        state.things[id] = thing
        _ = state.slugs.assign(to: ObjectReference(.thing, id), name: name)
    }

    static func configuration(
        _ node: String = "n1",
        _ change: (inout DiscoveryConfiguration) -> Void = { _ in }
    ) -> DiscoveryConfiguration {
        var configuration = DiscoveryConfiguration(
            node: node,
            installation: "0badcafe",
            topics: Topics(root: "trilateral/\(node)")
        )
        configuration.version = "1.2.3"
        change(&configuration)
        return configuration
    }
}

/// A publisher, and the retained messages on Home Assistant's broker.
struct Desk {
    var announcer: DiscoveryPublisher
    private(set) var held: JSONObject = [:]
    private(set) var sent: [(topic: String, payload: String)] = []

    init(_ configuration: DiscoveryConfiguration = House.configuration(), remembered: [String: String] = [:])
    {
        announcer = DiscoveryPublisher(configuration, remembered: remembered)
    }

    /// A publisher that has announced the whole house.
    static func ofHouse(_ change: (inout DiscoveryConfiguration) -> Void = { _ in }) -> Desk {
        var desk = Desk(House.configuration("n1", change))
        desk.announce(House.state)
        return desk
    }

    mutating func announce(_ state: ControllerState, isBirth: Bool = false, at now: Int64 = 0) {
        take(announcer.announceAll(state, isBirth: isBirth, at: now))
        tell(at: now)
    }

    /// Publishes everything that is pending.
    mutating func tell(at now: Int64) {
        while case let messages = announcer.next(7, at: now), !messages.isEmpty { take(messages) }
    }

    /// - Returns: The topics published at once; cleared ones with a minus.
    @discardableResult
    mutating func change(_ state: ControllerState, _ changes: Set<StateChange>, at now: Int64 = 0) -> [String]
    {
        let urgent = announcer.update(with: StateSnapshot(state: state, changes: changes), at: now)
        take(urgent)
        return urgent.map { ($0.isRemoval ? "-" : "") + $0.topic }
    }

    mutating func take(_ messages: [Announcement]) {
        for message in messages {
            sent.append((message.topic, String(decoding: message.payload, as: UTF8.self)))
            held[message.topic] = try? JSONValue(parsing: message.payload)
        }
    }

    /// The device payload of a thing, or our own.
    func device(_ slug: String? = nil) -> JSONValue? {
        held["homeassistant/device/trilateral_n1\(slug.map { "_\($0)" } ?? "")/config"]
    }

    /// A component of a thing, or of our own device in any of its payloads.
    func component(_ key: String, of slug: String? = nil) -> JSONValue? {
        guard slug == nil else { return device(slug)?["components"]?[key] }
        let found = ownPayloads.compactMap { $0["components"]?[key] }
        return found.count == 1
            ? found.first : found.isEmpty ? nil : .string("announced \(found.count) times")
    }

    /// The payloads of our own device.
    var ownPayloads: [JSONValue] {
        held.filter { $0.key.hasSuffix("trilateral_n1/config") || $0.key.contains("trilateral_n1__") }
            .sorted { $0.key < $1.key }.map(\.value)
    }

    /// The components of our own device, in all of its payloads.
    var ownComponents: Set<String> {
        Set(ownPayloads.flatMap { $0["components"]?.object?.keys.map { $0 } ?? [] })
    }

    mutating func forget() { sent.removeAll() }

    /// Empties a topic, as Home Assistant does for each entity of a removed device that is switched off.
    mutating func empty(_ topic: String) { held[topic] = nil }
}
