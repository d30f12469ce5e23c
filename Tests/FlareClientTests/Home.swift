import Flare
import FlareServer
import JSON
import Logging
import TestSupport
import Threading

extension FlareHub {
    /// A hub in memory with the objects of ``Home``.
    static func home() async throws -> FlareHub {
        let hub = try FlareHub(
            on: LoopExecutor(),
            store: FlareStore(),
            clock: { 1_700_000_000_123 },
            logger: .silent
        )
        try await hub.insert(Home.records)
        return hub
    }
}

/// A house with a kitchen and a hall, a lamp and a sofa in the kitchen, a sign in the hall, and a phone outside.
enum Home {
    static let house = id(1)
    static let kitchen = id(2)
    static let hall = id(3)
    static let lamp = id(4)
    static let sofa = id(5)
    static let sign = id(6)
    static let phone = id(7)
    static let nobody = id(99)

    static let houseObject = ObjectReference(.environment, house)
    static let lampObject = ObjectReference(.thing, lamp)
    static let sofaObject = ObjectReference(.thing, sofa)
    static let phoneObject = ObjectReference(.device, phone)

    static func id(_ number: UInt32) -> FlareID { FlareID(high: 0xABC, low: number) }

    static func text(_ id: FlareID) -> JSONValue { .string(id.description) }

    static let records: [FlareRecord] = [
        FlareRecord(
            .environment,
            house,
            [
                "name": "House", "data": ["distance": 2],
                "geofence": ["latitude": 48, "longitude": 2, "radius": 100],
            ]
        ),
        zone(kitchen, "Kitchen", x: 0),
        zone(hall, "Hall", x: 20),
        thing(
            lamp,
            "Lamp",
            in: kitchen,
            x: 2,
            data: ["color": "red", "brightness": 0.5, "on": false, "é": "ü"]
        ),
        thing(sofa, "Sofa", in: kitchen, x: 6),
        thing(sign, "Sign", in: hall, x: 25),
        FlareRecord(
            .device,
            phone,
            ["environment": text(house), "name": "Phone", "position": ["x": 15, "y": 15, "z": 0]]
        ),
    ]

    private static func zone(_ id: FlareID, _ name: String, x: Double) -> FlareRecord {
        let origin: JSONValue = ["x": .number(x), "y": 0]
        let perimeter: JSONValue = ["origin": origin, "size": ["width": 10, "height": 10]]
        return FlareRecord(
            .zone,
            id,
            ["name": .string(name), "environment": text(house), "perimeter": perimeter]
        )
    }

    private static func thing(
        _ id: FlareID,
        _ name: String,
        in zone: FlareID,
        x: Double,
        data: JSONObject? = nil
    ) -> FlareRecord {
        var members: JSONObject = [
            "name": .string(name), "environment": text(house), "zone": text(zone),
            "position": ["x": .number(x), "y": 2, "z": 0],
        ]
        if let data { members["data"] = .object(data) }
        return FlareRecord(.thing, id, members)
    }
}
