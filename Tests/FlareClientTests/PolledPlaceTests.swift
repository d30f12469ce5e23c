import Flare
import FlareClient
import JSON
import Testing

/// Which notices tell of the difference between two readings.
@Suite struct PolledPlaceTests {
    private static let loadPlace = FlareRequest.loadPlace(environment: Home.house)
    private static let loadDevice = FlareRequest.loadDevice(Home.phone, environment: Home.house)
    private static let loadEnvironments = FlareRequest.loadEnvironments(near: nil)

    private static var lamp: FlareThing {
        var lamp = FlareThing(id: Home.lamp)
        lamp.name = "Lamp"
        lamp.data = ["on": false, "color": "red"]
        lamp.position = Point3D(x: 2, y: 2)
        return lamp
    }

    private static var kitchen: FlareZone {
        var kitchen = FlareZone(id: Home.kitchen)
        kitchen.data = ["major": 4]
        return kitchen
    }

    private static var house: FlareEnvironment {
        var house = FlareEnvironment(id: Home.house)
        house.data = ["distance": 2]
        return house
    }

    private static var phone: FlareDevice {
        var phone = FlareDevice(id: Home.phone)
        phone.environment = Home.house
        phone.position = Point3D(x: 1, y: 1)
        phone.zone = Home.kitchen
        phone.nearest = Home.lamp
        return phone
    }

    private static func known() -> PolledPlace {
        var place = PolledPlace()
        place.subscribe(Home.house)
        place.replied(loadEnvironments, .environments([house]))
        place.replied(loadPlace, .place(zones: [kitchen], things: [lamp]))
        place.replied(loadDevice, .device(phone))
        return place
    }

    struct Change: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let request: FlareRequest
        let reply: FlareReply
        let notices: [FlareNotice]
    }

    private static func thing(
        _ name: String,
        _ change: (inout FlareThing) -> Void,
        _ notices: [FlareNotice]
    ) -> Change {
        var lamp = lamp
        change(&lamp)
        let reply = FlareReply.place(zones: [kitchen], things: [lamp])
        return Change(testDescription: name, request: loadPlace, reply: reply, notices: notices)
    }

    private static func whole(_ name: String, _ change: (inout FlareThing) -> Void) -> Change {
        var lamp = lamp
        change(&lamp)
        return thing(name, { $0 = lamp }, [.thingChanged(Home.lamp, lamp, environment: Home.house)])
    }

    private static func zone(_ name: String, _ zones: [FlareZone], _ notices: [FlareNotice]) -> Change {
        let reply = FlareReply.place(zones: zones, things: [lamp])
        return Change(testDescription: name, request: loadPlace, reply: reply, notices: notices)
    }

    private static func device(
        _ name: String,
        _ change: (inout FlareDevice) -> Void,
        _ notices: [FlareNotice]
    ) -> Change {
        var phone = phone
        change(&phone)
        return Change(
            testDescription: name,
            request: loadDevice,
            reply: .device(phone),
            notices: notices
        )
    }

    static let changes: [Change] = {
        let (lampObject, phoneObject) = (Home.lampObject, Home.phoneObject)
        let (sofa, far) = (FlareThing(id: Home.sofa), Point3D(x: 9, y: 9))
        let kitchenObject = ObjectReference(.zone, Home.kitchen)
        var brighter = kitchen
        brighter.data["brightness"] = 1
        var named = kitchen
        named.name = "Kitchen"
        var wide = house
        wide.data["distance"] = 3
        var turned = house
        turned.angle = 90
        let replaced = FlareNotice.modelChanged(Home.houseObject, environment: Home.house)
        let zoneReplaced = FlareNotice.modelChanged(kitchenObject, environment: Home.house)
        let office = FlareEnvironment(id: Home.nobody)
        func environments(_ name: String, _ found: [FlareEnvironment], _ notice: FlareNotice) -> Change {
            Change(
                testDescription: name,
                request: loadEnvironments,
                reply: .environments(found),
                notices: [notice]
            )
        }
        return [
            thing("nothing", { _ in }, []),
            thing("a value", { $0.data["on"] = true }, [.data(lampObject, ["on": true], sender: nil)]),
            thing("a new value", { $0.data["a"] = 1 }, [.data(lampObject, ["a": 1], sender: nil)]),
            thing("a position", { $0.position = far }, [.position(lampObject, far, sender: nil)]),
            thing(
                "a value and a position",
                {
                    $0.data["on"] = true
                    $0.position = far
                },
                [.data(lampObject, ["on": true], sender: nil), .position(lampObject, far, sender: nil)]
            ),
            whole("a name") { $0.name = "Light" },
            whole("a value that is gone") { $0.data["on"] = nil },
            whole("a null") { $0.data["on"] = .null },
            whole("a key with a dot") { $0.data["a.b"] = 1 },
            whole("a position that is gone") { $0.position = nil },
            Change(
                testDescription: "another thing",
                request: loadPlace,
                reply: .place(zones: [kitchen], things: [sofa]),
                notices: [
                    .thingChanged(Home.lamp, nil, environment: Home.house),
                    .thingChanged(Home.sofa, sofa, environment: Home.house),
                ]
            ),
            zone("a zone's value", [brighter], [.data(kitchenObject, ["brightness": 1], sender: nil)]),
            zone("a zone's name", [named], [zoneReplaced]),
            zone("a zone less", [], [zoneReplaced]),
            zone(
                "a zone more",
                [kitchen, FlareZone(id: Home.hall)],
                [.modelChanged(ObjectReference(.zone, Home.hall), environment: Home.house)]
            ),
            environments(
                "an environment's value",
                [wide],
                .data(Home.houseObject, ["distance": 3], sender: nil)
            ),
            environments("an environment's angle", [turned], replaced),
            environments("an environment less", [], replaced),
            environments(
                "an environment more",
                [house, office],
                .modelChanged(ObjectReference(.environment, Home.nobody), environment: Home.nobody)
            ),
            device(
                "a device's value",
                { $0.data["angle"] = 9 },
                [.data(phoneObject, ["angle": 9], sender: nil)]
            ),
            device("a device's position", { $0.position = far }, [.position(phoneObject, far, sender: nil)]),
            device(
                "a device's name",
                { $0.name = "New" },
                [.modelChanged(phoneObject, environment: Home.house)]
            ),
            device(
                "another zone and another near thing",
                { ($0.zone, $0.nearest) = (Home.hall, Home.sign) },
                [
                    .exit(zone: Home.kitchen, device: Home.phone),
                    .enter(zone: Home.hall, device: Home.phone),
                    .far(thing: Home.lamp, device: Home.phone),
                    .near(thing: Home.sign, device: Home.phone, distance: 0),
                ]
            ),
            Change(
                testDescription: "no device",
                request: loadDevice,
                reply: .device(nil),
                notices: [.modelChanged(phoneObject, environment: Home.house)]
            ),
        ]
    }()

    @Test(arguments: changes)
    func `a difference is told once`(change: Change) {
        var place = Self.known()
        #expect(place.read(change.request, change.reply) == change.notices)
        #expect(place.read(change.request, change.reply).isEmpty)
    }

    @Test func `what the owner wrote or heard is no difference, and its reversal is one`() {
        var place = Self.known()
        let before = FlareReply.place(zones: [Self.kitchen], things: [Self.lamp])
        place.replied(.setData(Home.lampObject, values: ["on": true], sender: Home.phone), .done)
        place.noticed(.data(Home.lampObject, ["color": "blue"], sender: nil))
        place.replied(.setPosition(Home.lampObject, Point3D(x: 3, y: 3), sender: nil), .done)
        var after = Self.lamp
        after.data = ["on": true, "color": "blue"]
        after.position = Point3D(x: 3, y: 3)
        var same = place
        #expect(same.read(Self.loadPlace, .place(zones: [Self.kitchen], things: [after])).isEmpty)
        #expect(
            place.read(Self.loadPlace, before) == [
                .data(Home.lampObject, ["on": false, "color": "red"], sender: nil),
                .position(Home.lampObject, Point3D(x: 2, y: 2), sender: nil),
            ]
        )
    }

    @Test func `what the owner has not read is not compared, and not read`() {
        var place = PolledPlace()
        #expect(place.readings.isEmpty)
        let reply = FlareReply.place(zones: [], things: [Self.lamp])
        #expect(place.read(Self.loadPlace, reply).isEmpty)
        place.subscribe(Home.house)
        #expect(place.read(Self.loadPlace, reply).isEmpty && place.readings.isEmpty)
        place.replied(Self.loadEnvironments, .environments([Self.house]))
        place.replied(Self.loadPlace, reply)
        #expect(place.readings == [Self.loadEnvironments, Self.loadPlace])
        place.replied(Self.loadDevice, .device(Self.phone))
        #expect(place.readings == [Self.loadEnvironments, Self.loadPlace, Self.loadDevice])
        place.unsubscribe(Home.house)
        #expect(place.readings == [Self.loadEnvironments])
    }
}
