import Controller
import Flare
import JSON
import Messages
import Testing
import Things

struct RenderingTests {
    private func parsed(_ text: String) throws -> JSONValue { try JSONValue(parsing: text) }

    private static let ts = "2026-11-21T10:18:53.456Z"
    private static let lamp = #"""
        "id":"000000000000000300000000","slug":"lamp","name":"Lamp","zone":"hall","state":"ON",
        "brightness":128,"color_mode":"rgb","color":{"r":0,"g":128,"b":128},"color_name":"teal","palette":["red","teal"],
        "actions":["on","off","nextColor","previousColor","lighter","darker"],
        "settable":["state","brightness","level","color"],"ts":"\#(ts)"
        """#
    private static let device = #"""
        {"id":"000000000000000500000000","name":"Panel","zone":"hall","position":{"x":1,"y":1,"z":0},"angle":0,
        "accuracy_m":0.46,"quality":"good","source":"beacons","moving":true,"ts":"\#(ts)"}
        """#

    @Test func `a lamp has the shape of a JSON light`() throws {
        #expect(
            Place.state.thingJSON(Place.lamp)
                == (try parsed(
                    "{\(Self.lamp),\"description\":\"By the door\",\"position\":{\"x\":4,\"y\":5,\"z\":0}}"
                ))
        )
    }

    @Test(arguments: [Place.lamp, Place.door]) func `what is sent of a thing is its value, by sorted names`(
        id: FlareID
    ) {
        for goals in [[:], [id: ThingPatch(state: .on, level: 0.5)]] as [[FlareID: ThingPatch]] {
            var state = Place.state
            state.goals = goals
            var buffer = JSONBuffer()
            state.writeThing(id, to: &buffer)
            #expect(buffer.bytes == state.thingJSON(id)?.bytes)
        }
    }

    @Test func `a thing's position is rounded to the millimetre, and left out if it is not finite`() {
        var state = Place.state
        state.things[Place.lamp]?.position = Point3D(x: 1.23456, y: -0.0001, z: 2)
        #expect(state.thingJSON(Place.lamp)?["position"] == ["x": 1.235, "y": 0, "z": 2])
        state.things[Place.lamp]?.position = Point3D(x: .infinity, y: 0)
        #expect(state.thingJSON(Place.lamp)?["position"] == nil)
    }

    @Test func `a lamp in white light has its temperature and no colour`() {
        var state = Place.state
        state.things[Place.lamp]?.data.merge([
            "colorTemperature": 2700, "color": .string(ColourTemperature(kelvin: 2700)?.stored ?? ""),
        ]) { $1 }
        let shown = state.thingJSON(Place.lamp)
        #expect(shown?["color_mode"] == "color_temp" && shown?["color_temp"] == 2700)
        #expect(shown?["color"] == nil && shown?["color_name"] == nil)
        state.goals[Place.lamp] = ThingPatch(colour: "red")
        #expect(state.thingJSON(Place.lamp)?["target"]?["color_name"] == "red")
        state.things[Place.lamp]?.data["color"] = "red"
        #expect(state.thingJSON(Place.lamp)?["color_mode"] == "rgb")
        #expect(state.thingJSON(Place.lamp)?["color_temp"] == nil)
    }

    @Test func `a thing that is no light has only what it has`() throws {
        #expect(
            Place.state.thingJSON(Place.door)
                == (try parsed(
                    #"{"id":"000000000000000400000000","slug":"door","name":"Door","description":"","#
                        + #""settable":["locked"],"ts":"2026-11-21T10:18:53.456Z"}"#
                ))
        )
    }

    @Test func `the nearby thing has its distance and bearing too`() throws {
        // 3 to the right and 4 up is 36.87 degrees clockwise from the plan's y axis, itself turned by 30.
        #expect(
            Place.state.nearbyJSON
                == (try parsed(
                    "{\(Self.lamp),\"description\":\"By the door\",\"distance_m\":5,\"bearing_deg\":67}"
                ))
        )
    }

    @Test(arguments: [
        (0.0, 1.0, 0.0, false, 0), (1, 0, 0, false, 90), (0, -1, 0, false, 180), (-1, 0, 0, false, 270),
        (0, 1, 90, false, 90), (1, 0, 300, false, 30), (-0.001, 1, 0, false, 0), (0, 1, 0, true, 180),
        (0, 1, -30, false, 330),
        (0, 1, 725, false, 5),
    ])
    func `a bearing is clockwise from north, with the environment's angle applied`(
        dx: Double,
        dy: Double,
        angle: Double,
        isFlipped: Bool,
        bearing: Int
    ) {
        var state = Place.state
        state.environments[Place.home]?.angle = angle
        state.environments[Place.home]?.data["flipped"] = isFlipped ? 1 : 0
        state.things[Place.lamp]?.position = Point3D(x: 1 + dx, y: 1 + dy)
        #expect(state.nearbyJSON["bearing_deg"] == JSONValue(bearing))
    }

    @Test func `at the very place of the thing there is no bearing, and none without positions`() {
        var state = Place.state
        state.things[Place.lamp]?.position = Point3D(x: 1, y: 1, z: 2)
        #expect(state.nearbyJSON["bearing_deg"] == nil)
        #expect(state.nearbyJSON["distance_m"] == 2)
        state.things[Place.lamp]?.position = nil
        #expect(state.nearbyJSON["distance_m"] == nil)
    }

    @Test func `a transition's goal stands in target`() throws {
        var state = Place.state
        state.goals[Place.lamp] = ThingPatch(level: 1, colour: "red", values: ["price": 4])
        #expect(
            state.thingJSON(Place.lamp)?["target"]
                == (try parsed(
                    #"{"brightness":255,"color":{"r":255,"g":0,"b":0},"color_name":"red","price":4}"#
                ))
        )
        state.goals[Place.lamp] = ThingPatch(state: .off)
        #expect(state.thingJSON(Place.lamp)?["target"] == ["state": "OFF"])
    }

    @Test
    func `what a real lamp has not confirmed stands in target, and a lamp that is away makes it offline`()
        throws
    {
        var state = Place.state
        state.things[Place.lamp]?.data = ["on": true, "brightness": 0.2, "price": 4]
        state.conditions[Place.lamp] = ThingCondition(isOnline: true, isUnconfirmed: true)
        #expect(state.thingJSON(Place.lamp)?["target"] == ["state": "ON", "brightness": 51])
        #expect(state.thingAvailability(Place.lamp) == "online")
        #expect(state.nearbyAvailability == "online")
        // A transition's goal is the newer one.
        state.goals[Place.lamp] = ThingPatch(state: .off)
        #expect(state.thingJSON(Place.lamp)?["target"] == ["state": "OFF"])
        state.goals[Place.lamp] = nil
        state.conditions[Place.lamp] = ThingCondition(isOnline: false)
        #expect(state.thingJSON(Place.lamp)?["target"] == nil)
        #expect(state.thingAvailability(Place.lamp) == "offline")
        #expect(state.nearbyAvailability == "offline")
    }

    @Test func `environment and zone show where they are`() throws {
        #expect(
            Place.state.environmentJSON
                == (try parsed(
                    #"{"id":"000000000000000100000000","slug":"home","name":"Home","description":"A house","angle":30,"#
                        + #""data":{"uuid":"u"},"geofence":{"latitude":48.5,"longitude":2.25,"radius":100},"#
                        + #""perimeter":{"origin":{"x":0,"y":0,"z":0},"size":{"width":10,"height":8,"depth":3}},"#
                        + "\"ts\":\"\(Self.ts)\"}"
                ))
        )
        #expect(
            Place.state.zoneJSON
                == (try parsed(
                    #"{"id":"000000000000000200000000","slug":"hall","name":"Hall","description":"","data":{},"#
                        + #""environment":"home","perimeter":{"origin":{"x":0,"y":0,"z":0},"#
                        + #""size":{"width":5,"height":8,"depth":0}},"#
                        + "\"since\":\"\(Self.ts)\",\"ts\":\"\(Self.ts)\"}"
                ))
        )
        #expect(Place.state.zoneJSON(Place.hall)?["since"] == nil)
    }

    @Test func `the device shows where it is and how well that is known`() throws {
        #expect(Place.state.deviceJSON == (try parsed(Self.device)))
        #expect(
            Place.state.positionJSON
                == (try parsed(
                    #"{"x":1,"y":1,"z":0,"accuracy_m":0.46,"quality":"good","source":"beacons","ts":"\#(Self.ts)"}"#
                ))
        )
    }

    @Test func `a position shows whether a survey was used, and how old that is`() {
        var state = Place.state
        guard let now = state.fix?.at.wallMilliseconds else {
            Issue.record("no position")
            return
        }
        state.fix?.model = .plain
        #expect(state.positionJSON?["map"] == "plain" && state.positionJSON?["survey_days"] == nil)
        for (age, days) in [(0, 0), (86_399_999, 0), (3 * 86_400_000, 3), (-86_400_000, 0)] {
            state.fix?.model = .survey(takenAt: now - Int64(age))
            #expect(state.positionJSON?["map"] == "survey")
            #expect(state.positionJSON?["survey_days"] == JSONValue(days))
        }
        state.fix?.model = .survey(takenAt: nil)
        #expect(state.positionJSON?["map"] == "survey" && state.positionJSON?["survey_days"] == nil)
        state.fix?.model = .survey(takenAt: .min)
        #expect(state.positionJSON?["survey_days"]?.number?.isFinite == true)
    }

    @Test(
        arguments: [(359.4, 359), (359.5, 0), (0, 0), (-0.4, 0), (-1, 359), (725, 5), (1e300, nil)]
            as [(Double, Int?)]
    )
    func `angles are whole degrees from 0 to 359`(angle: Double, shown: Int?) throws {
        var state = Place.state
        state.device?.data["angle"] = .number(angle)
        let degrees = try #require(state.compassDegrees)
        #expect((0..<360).contains(degrees))
        if let shown { #expect(degrees == shown) }
    }

    @Test func `what is not there is shown as null`() {
        let state = ControllerState(epoch: "e1")
        #expect(state.environmentJSON.text == #"{"id":null}"#)
        #expect(state.zoneJSON.text == #"{"id":null}"#)
        #expect(state.deviceJSON.text == #"{"id":null}"#)
        #expect(state.nearbyJSON.text == #"{"id":null,"state":null}"#)
        #expect(state.positionJSON == nil)
        #expect(state.compassDegrees == nil)
        #expect(state.locationJSON == nil)
        #expect(state.thingJSON(Place.lamp) == nil)
        #expect(
            state.feedJSON().text
                == #"{"audio":{"gain":0,"state":"notAudible"},"device":{"id":null},"environment":{"id":null},"epoch":"e1","#
                + #""lifecycle":{"audio":"notAudible","context":"main","level":"DISCONNECTED","state":"disconnected"},"#
                + #""nearby":{"id":null,"state":null},"seq":0,"zone":{"id":null}}"#
        )
    }

    @Test func `availability follows the link and what can be driven`() {
        var state = Place.state
        #expect(state.nearbyAvailability == "online")
        #expect(state.thingAvailability(Place.lamp) == "online")
        #expect(state.thingAvailability(Place.home) == "offline")
        state.things[Place.lamp]?.data = [:]
        #expect(state.nearbyAvailability == "offline")
        state = Place.state
        state.nearbyID = nil
        #expect(state.nearbyAvailability == "offline")
        state = Place.state
        state.isLinkUp = false
        #expect(state.nearbyAvailability == "offline")
        #expect(state.thingAvailability(Place.lamp) == "offline")
    }

    @Test func `sensors and the place on the earth`() {
        var state = Place.state
        state.sensors[.gps] = false
        #expect(state.sensorText(.gps) == "OFF")
        #expect(state.sensorText(.beacons) == "ON")
        state.location = Location(
            point: GeoPoint(latitude: 48.123_456_789, longitude: 2),
            accuracyMetres: 4.96
        )
        #expect(state.locationJSON?.text == #"{"gps_accuracy":5,"latitude":48.1234568,"longitude":2}"#)
    }

    @Test func `the feed has everything about here`() throws {
        #expect(
            Place.state.feedJSON()
                == (try parsed(
                    #"{"environment":{"id":"000000000000000100000000","slug":"home","name":"Home"},"zone":{"#
                        + #""id":"000000000000000200000000","slug":"hall","name":"Hall","since":"\#(Self.ts)"},"device":"#
                        + Self.device + ",\"nearby\":{\(Self.lamp),\"distance_m\":5,\"bearing_deg\":67},"
                        + #""lifecycle":{"state":"disconnected","level":"DISCONNECTED","audio":"notAudible","context":"main"},"#
                        + #""audio":{"state":"notAudible","gain":0},"#
                        + #""epoch":"e1","seq":12,"ts":"\#(Self.ts)"}"#
                ))
        )
    }

    @Test(arguments: [10, 300, 1500, 5000])
    func `the feed that is sent is its value, however short`(length: Int) {
        var state = Place.state
        let long = String(repeating: "x", count: length)
        state.environments[Place.home]?.name = long
        state.things[Place.lamp]?.name = long
        state.things[Place.lamp]?.actions = [long]
        state.isStale = true
        var buffer = JSONBuffer()
        state.writeFeed(device: state.deviceJSON, nearby: state.nearbyJSON, to: &buffer)
        #expect(buffer.bytes == state.feedJSON().bytes)
    }

    @Test(arguments: ["x", "é", "😀", "\u{1}", "\"", "👨‍👩‍👧‍👦"])
    func `the feed stays below 2 KB whatever the names are, and slugs and epoch stay whole`(letter: String) {
        var state = Place.state
        let long = String(repeating: letter, count: 5000)
        state.environments[Place.home]?.name = long
        state.zones[Place.hall]?.name = long
        state.device?.name = long
        state.things[Place.lamp]?.name = long
        state.things[Place.lamp]?.description = long
        state.things[Place.lamp]?.actions = [long, long]
        state.things[Place.lamp]?.data = [
            "color": .string(long), "options": .array([.string(long)]), long: 1,
        ]
        state.goals[Place.lamp] = ThingPatch(values: [long: .string(long)])
        let feed = state.feedJSON()
        #expect(feed.bytes.count < 2048)
        #expect(feed["nearby"]?["slug"] == "lamp")
        #expect(feed["epoch"] == "e1")
        #expect(feed["device"]?["ts"] == .string(Self.ts))
    }
}
