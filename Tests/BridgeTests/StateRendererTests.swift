import Bridge
import Controller
import Flare
import JSON
import MQTT
import Messages
import Testing

struct StateRendererTests {
    private static let model: Set<String> = [
        "environments/home", "zones/kitchen", "things/lamp", "things/lamp/data", "things/lamp/availability",
        "things/plant", "things/plant/data", "things/plant/availability",
    ]
    private static let view: Set<String> = [
        "alerts", "state", "environment", "zone", "device", "device/position", "device/angle", "nearby",
        "nearby/availability", "sensors/gps", "sensors/beacons", "sensors/cmx", "sensors/compass",
    ]

    // MARK: Which topics

    @Test func `the first snapshot tells everything, the model before the view`() {
        var screen = Screen()
        let messages = screen.pending(Flat.state, Flat.model.union(Flat.view))
        let topics = messages.map { String($0.topic.dropFirst(4)) }
        #expect(Set(topics) == Self.model.union(Self.view))
        #expect(topics.count == Self.model.count + Self.view.count)
        #expect(Set(topics.prefix(Self.model.count)) == Self.model)
        #expect(messages.allSatisfy { $0.isRetained })
        #expect(
            Set(messages.filter { $0.qos == .atMostOnce }.map(\.topic)) == [
                "t/n/device/position", "t/n/device/angle",
            ]
        )
    }

    @Test func `the payloads are those of the contract`() throws {
        var screen = Screen()
        let told = screen.show(Flat.state, Flat.model.union(Flat.view))
        #expect(told["device/angle"] == "90")
        #expect(told["sensors/beacons"] == "ON")
        #expect(told["things/lamp/availability"] == "online")
        #expect(told["things/lamp/data"] == #"{"brightness":0.5,"on":true}"#)
        #expect(told["things/plant/data"] == "{}")
        #expect(try JSONValue(parsing: told["zone"] ?? "")["slug"] == "kitchen")
        #expect(try JSONValue(parsing: told["state"] ?? "")["zone"]?["slug"] == "kitchen")
    }

    @Test(
        arguments: [
            (.environment, ["environment", "state"]), (.zone, ["zone", "state"]),
            (.sensor(.gps), ["sensors/gps"]), (.alert("memory"), ["alert/memory", "alerts"]),
            (.object(ObjectReference(.zone, Flat.kitchen)), ["zones/kitchen"]),
            (.object(ObjectReference(.environment, Flat.home)), ["environments/home"]),
            (.object(ObjectReference(.device, Flat.phone)), []),
            (
                .object(ObjectReference(.thing, Flat.lamp)),
                ["things/lamp", "things/lamp/data", "things/lamp/availability"]
            ), (.location, []),
        ] as [(StateChange, Set<String>)]
    )
    func `a facet touches its own topics only`(facet: StateChange, topics: Set<String>) {
        var screen = Screen.ofStart()
        var state = Flat.state
        state.alerts["memory"] = Alert(severity: .error, message: "full", since: Flat.moment(0))
        #expect(Set(screen.show(state, [facet]).keys) == topics)
    }

    @Test func `the place on the earth is told to those only who wanted it`() {
        var open = Screen.ofStart(publishesLocation: true)
        #expect(
            open.show(Flat.state, [.location])["device/location"] == #"{"latitude":50,"longitude":8}"#
        )
        var state = Flat.state
        state.location = nil
        #expect(open.show(state, [.location])["device/location"] == "")
        var closed = Screen.ofStart()
        #expect(closed.show(Flat.state, [.location]).isEmpty)
    }

    @Test func `without a device there is no position and no angle to clear`() {
        var screen = Screen.ofStart()
        var state = Flat.state
        state.device = nil
        let told = screen.show(state, [.device, .position, .angle])
        #expect(Set(told.keys) == ["device", "state"])
        #expect(told["device"] == #"{"id":null}"#)
    }

    @Test func `a position and an angle that are gone are cleared`() {
        var screen = Screen.ofFlat()
        var state = Flat.state
        state.device = nil
        state.fix = nil
        let told = screen.show(state, [.device, .position, .angle], at: 1000)
        #expect(told["device/position"] == "")
        #expect(told["device/angle"] == "")
    }

    // MARK: Nearby

    @Test func `with nothing nearby the null form is told and nothing can be driven`() {
        var screen = Screen()
        let told = screen.show(Flat.state, [.nearby])
        #expect(told["nearby"] == #"{"id":null,"state":null}"#)
        #expect(told["nearby/availability"] == "offline")
    }

    @Test func `the nearby thing is available while the link is up and it can be driven`() throws {
        var screen = Screen.ofFlat()
        var state = Flat.state
        state.nearbyID = Flat.lamp
        let near = screen.show(state, [.nearby])
        #expect(near["nearby/availability"] == "online")
        #expect(try JSONValue(parsing: near["nearby"] ?? "")["distance_m"] == 3)
        state.isLinkUp = false
        #expect(screen.show(state, [.link])["nearby/availability"] == "offline")
        state.isLinkUp = true
        state.nearbyID = Flat.plant
        #expect(screen.show(state, [.link, .nearby])["nearby/availability"] == nil)
        state.nearbyID = nil
        #expect(screen.show(state, [.nearby])["nearby"] == #"{"id":null,"state":null}"#)
    }

    // MARK: What is gone

    @Test func `a thing that is removed has state, data and availability cleared`() {
        var screen = Screen.ofFlat()
        var state = Flat.state
        state.things[Flat.lamp] = nil
        #expect(
            screen.show(state, [.object(ObjectReference(.thing, Flat.lamp))]) == [
                "things/lamp": "", "things/lamp/data": "", "things/lamp/availability": "",
            ]
        )
        #expect(!screen.store.holds("t/n/things/lamp"))
    }

    @Test func `a zone and an environment that are removed are cleared`() {
        var screen = Screen.ofFlat()
        var state = Flat.state
        state.zones = [:]
        state.environments = [:]
        let told = screen.show(
            state,
            [
                .object(ObjectReference(.zone, Flat.kitchen)),
                .object(ObjectReference(.environment, Flat.home)),
            ]
        )
        #expect(told == ["zones/kitchen": "", "environments/home": ""])
    }

    @Test func `a thing that took over a topic keeps it when the one before is cleared`() {
        var screen = Screen()
        var state = Flat.state
        let old = ObjectReference(.thing, FlareID(high: 3, low: 9))
        #expect(
            screen.show(state, Flat.model).filter { $0.key.hasPrefix("things/lamp") }.values.allSatisfy {
                !$0.isEmpty
            }
        )
        state.things[old.id] = nil
        #expect(screen.show(state, [.object(old)]).isEmpty)
    }

    @Test func `what has a short name from earlier and is gone is cleared once the place is known`() {
        var screen = Screen()
        var state = Flat.state
        state.slugs.restore("radio", for: ObjectReference(.thing, FlareID(high: 3, low: 9)))
        state.slugs.restore("attic", for: ObjectReference(.zone, FlareID(high: 2, low: 9)))
        state.isPlaceKnown = false
        #expect(screen.show(state, [.sensor(.gps)]).values.allSatisfy { !$0.isEmpty })
        state.isPlaceKnown = true
        let gone = [
            "things/radio": "", "things/radio/data": "", "things/radio/availability": "", "zones/attic": "",
            "zones/attic/lights": "", "things/radio/beacon": "",
        ]
        #expect(screen.show(state, []) == gone)
        #expect(screen.show(state, [.sensor(.gps)]).isEmpty)
    }

    @Test func `until the server answers, the things of the last run are unavailable`() {
        var screen = Screen()
        var state = Flat.state
        let radio = ObjectReference(.thing, FlareID(high: 3, low: 9))
        let clock = ObjectReference(.thing, FlareID(high: 3, low: 10))
        state.slugs.restore("radio", for: radio, home: Flat.home)
        state.slugs.restore("clock", for: clock, home: FlareID(high: 1, low: 9))
        (state.lastPlace, state.formerPlaces) = (Flat.home, [Flat.home])
        (state.isPlaceKnown, state.isLinkUp, state.environmentID) = (false, false, nil)
        #expect(screen.show(state, [.sensor(.gps)])["things/radio/availability"] == nil)
        state.alerts["flare-link"] = Alert(severity: .warning, message: "gone", since: Flat.moment(0))
        let told = screen.show(state, [.alert("flare-link")])
        #expect(told["things/radio/availability"] == "offline")
        #expect(told["things/clock/availability"] == nil)
        state.alerts["flare-link"] = nil
        (state.isPlaceKnown, state.isLinkUp, state.environmentID) = (true, true, Flat.home)
        state.things[radio.id] = FlareThing(id: radio.id)
        #expect(screen.show(state, [.object(radio)])["things/radio/availability"] == "online")
    }

    @Test func `a rename keeps the topic`() throws {
        var screen = Screen.ofFlat()
        var state = Flat.state
        state.things[Flat.lamp]?.name = "Sun"
        let told = screen.show(state, [.object(ObjectReference(.thing, Flat.lamp))])
        #expect(Set(told.keys) == ["things/lamp"])
        #expect(try JSONValue(parsing: told["things/lamp"] ?? "")["name"] == "Sun")
    }

    // MARK: Alerts

    @Test func `an alert is told while it is open and then cleared`() throws {
        var screen = Screen.ofFlat()
        var state = Flat.state
        state.alerts["memory"] = Alert(severity: .error, message: "disk full", since: Flat.moment(0))
        let texts = screen.show(state, [.alert("memory")])
        let told = try JSONValue(parsing: texts["alert/memory"] ?? "")
        #expect(told["message"] == "disk full")
        #expect(told["severity"] == "error")
        #expect(
            texts["alerts"] == #"{"count":1,"ids":["memory"],"message":"disk full","severity":"error"}"#
        )
        state.alerts = [:]
        #expect(
            screen.show(state, [.alert("memory")]) == [
                "alert/memory": "", "alerts": #"{"count":0,"ids":[]}"#,
            ]
        )
    }

    @Test func `of several alerts the gravest is told first, then the oldest`() throws {
        var screen = Screen.ofFlat()
        var state = Flat.state
        for (id, severity, time) in [
            ("gps", .warning, 0), ("memory", .error, 2), ("beacons", .error, 1),
        ] as [(String, Alert.Severity, Int64)] {
            state.alerts[id] = Alert(severity: severity, message: "\(id)!", since: Flat.moment(time))
        }
        let told = try JSONValue(parsing: screen.show(state, [.alert("gps")])["alerts"] ?? "")
        #expect(told["ids"] == ["beacons", "memory", "gps"])
        #expect(told["message"] == "beacons!")
    }

    @Test func `how a beacon is heard has a topic of its own, which goes with its thing`() {
        var screen = Screen.ofFlat()
        var state = Flat.state
        state.beacons[Flat.lamp] = BeaconCondition(rssi: -71, batteryVolts: 2.954, seenAt: Flat.moment(0))
        #expect(
            screen.show(state, [.beacon(Flat.lamp)]) == [
                "things/lamp/beacon":
                    #"{"battery_v":2.95,"last_seen":"\#(Flat.moment(0).timestamp)","rssi":-71}"#
            ]
        )
        state.beacons[Flat.lamp] = nil
        state.things[Flat.lamp] = nil
        #expect(screen.show(state, [.object(ObjectReference(.thing, Flat.lamp))])["things/lamp/beacon"] == "")
    }

    // MARK: The link

    @Test func `a link that is lost takes every availability with it, and brings it back`() {
        var screen = Screen.ofFlat()
        var state = Flat.state
        state.isLinkUp = false
        let down = ["things/lamp/availability": "offline", "things/plant/availability": "offline"]
        #expect(screen.show(state, [.link]) == down)
        state.isLinkUp = true
        #expect(screen.show(state, [.link]) == down.mapValues { _ in "online" })
    }
}
