import Flare
import JSON

/// A building of equal rooms with ten lamps each, so that a larger one has more rooms and not fuller ones.
struct BenchmarkPlace {
    let things: Int
    /// Whether every second lamp is something else: what a built-in profile says.
    var hasProfiles = false
    /// Whether some things are receivers, and no beacons; `driver/devices.c` knows where they are.
    var hasReceivers = false
    private static let (firstReceiver, thingsOfReceiver) = (62, 125)

    static let environment = FlareID(high: 0x4265_6E63, low: 0)
    /// The identifier of the lamp with this number, from 0.
    static func thing(_ number: Int) -> FlareID { FlareID(high: 0x4C61_6D70, low: UInt32(number)) }

    /// The identifier of the room that such a lamp is in.
    static func zone(of thing: Int) -> FlareID { zone(thing / lampsOfRoom) }

    private static func zone(_ room: Int) -> FlareID { FlareID(high: 0x526F_6F6D, low: UInt32(room)) }

    private static let roomSize = (width: 10.0, height: 4.0)
    private static let lampsOfRoom = 10

    private var rooms: Int { (things + Self.lampsOfRoom - 1) / Self.lampsOfRoom }
    private var columns: Int { Int(Double(rooms).squareRoot().rounded(.up)) }

    /// Metres.
    var extent: (width: Double, height: Double) {
        let rows = (rooms + columns - 1) / columns
        return (Double(columns) * Self.roomSize.width, Double(rows) * Self.roomSize.height)
    }

    /// As `trilateral import` reads it.
    var json: JSONValue {
        let zones = (0..<rooms).map { room -> JSONValue in
            let corner = corner(of: room)
            return [
                "_id": .string("\(Self.zone(room))"),
                "name": .string("Room \(room + 1)"),
                "data": ["major": JSONValue(room + 1)], "perimeter": box(at: corner, Self.roomSize),
                "things": .array(
                    (0..<min(Self.lampsOfRoom, things - room * Self.lampsOfRoom)).map { lamp($0, in: room) }
                ),
            ]
        }
        return [
            "environments": [
                [
                    "_id": .string("\(Self.environment)"), "name": "Benchmark",
                    "perimeter": box(at: .zero, extent),
                    "data": ["uuid": "2F234454-CF6D-4A0F-ADF2-F4911BA9FFA6", "distance": 1],
                    "zones": .array(zones),
                ]
            ]
        ]
    }

    private func lamp(_ index: Int, in room: Int) -> JSONValue {
        let corner = corner(of: room)
        let place = Point3D(
            x: corner.x + 1 + Double(index % 5) * 2,
            y: corner.y + 1 + Double(index / 5) * 2,
            z: 1
        )
        let number = room * Self.lampsOfRoom + index
        return [
            "_id": .string("\(Self.thing(number))"),
            "name": .string("Lamp \(number + 1)"),
            "description": "A lamp with colours", "position": place.json, "data": data(number),
        ]
    }

    /// Profiles are dealt out in an order that `driver/profiles.c` knows; what has one has no less data than a lamp.
    private func data(_ number: Int) -> JSONValue {
        var members: JSONObject =
            if !hasProfiles || number % 2 == 0 {
                ["on": true, "color": "orange", "brightness": 0.6]
            } else {
                switch number / 2 % 5 {
                case 0: ["profile": "dimmer", "on": true, "brightness": 0.6]
                case 1: ["profile": "blind", "position": 40, "movement": "stopped"]
                case 2: ["profile": "thermostat", "setpoint": 21, "temperature": 20.5]
                case 3: ["profile": "color-light", "on": true, "color": "orange", "brightness": 0.6]
                default: ["profile": "socket", "on": true, "power": 3.5, "energy": 12.5]
                }
            }
        if hasReceivers, number % Self.thingsOfReceiver == Self.firstReceiver {
            members["receiver"] = .string("r\(number / Self.thingsOfReceiver + 1)")
        } else {
            members["minor"] = JSONValue(number + 1)
        }
        members["options"] = ["red", "orange", "yellow", "green", "blue", "purple"]
        return .object(members)
    }

    private func corner(of room: Int) -> Point3D {
        Point3D(
            x: Double(room % columns) * Self.roomSize.width,
            y: Double(room / columns) * Self.roomSize.height
        )
    }

    private func box(at corner: Point3D, _ size: (width: Double, height: Double)) -> JSONValue {
        [
            "origin": corner.json,
            "size": ["width": .number(size.width), "height": .number(size.height), "depth": 3],
        ]
    }
}
