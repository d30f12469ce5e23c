import Flare
import FlareServer
import JSON
import Testing

/// The table of built-in actions.
/// - Source: contrib/contract/flare-protocol.md, "6. Actions".
@Suite struct BuiltInActionTests {
    @Test(
        arguments: [
            ("north", 1, 3, 3), ("south", 1, 1, 3), ("east", 2, 2, 3), ("west", 0, 2, 3), ("up", 1, 2, 4),
            ("down", 1, 2, 2),
        ] as [(String, Double, Double, Double)]
    )
    func `movements are one metre long`(name: String, x: Double, y: Double, z: Double) {
        let action = BuiltInAction(rawValue: name)
        #expect(
            action?.effect(position: Point3D(x: 1, y: 2, z: 3), data: [:])
                == .position(Point3D(x: x, y: y, z: z))
        )
        #expect(action?.effect(position: nil, data: [:]) == nil)
    }

    @Test(
        arguments: [
            ("lighter", "brightness", 0.5, 0.6), ("darker", "brightness", 0.35, 0.25),
            ("lighter", "brightness", 0.95, 1), ("darker", "brightness", 0.05, 0),
            ("lighter", "brightness", nil, .null), ("lighter", "brightness", "0.5", 0.6),
            ("darker", "brightness", .null, 0), ("lighter", "brightness", [1], .null),
            ("darker", "brightness", "dim", .null), ("lighter", "brightness", 1e308, 1),
            ("clockwise", "angle", 0, 30), ("clockwise", "angle", 330, 0), ("clockwise", "angle", 725, 395),
            ("clockwise", "angle", "10", 670), ("clockwise", "angle", nil, .null),
            ("clockwise", "angle", "north", .null), ("clockwise", "angle", true, 31),
            ("counterclockwise", "angle", 30, 0), ("counterclockwise", "angle", 0, -30),
            ("counterclockwise", "angle", -30, 300), ("counterclockwise", "angle", 300, 270),
            ("counterclockwise", "angle", "10", -20), ("counterclockwise", "angle", nil, .null),
            ("on", "on", false, true), ("on", "on", nil, true), ("off", "on", true, false),
        ] as [(String, String, JSONValue?, JSONValue)]
    )
    func `values change as in the original server`(
        name: String,
        key: String,
        before: JSONValue?,
        after: JSONValue
    ) {
        let effect = BuiltInAction(rawValue: name)?
            .effect(position: nil, data: before.map { [key: $0] } ?? [:])
        #expect(effect == .data(key: key, value: after))
    }

    @Test(
        arguments: [
            (["color": "red"], "orange", "purple"), (["color": "purple", "options": .null], "red", "blue"),
            (["color": "oak", "options": ["oak", "teak"]], "teak", "teak"), (["color": "pink"], nil, nil),
            ([:], nil, nil), (["color": "red", "options": []], nil, nil),
            (["color": "red", "options": "red"], nil, nil), (["color": 1, "options": [1, 2, 3]], 2, 3),
        ] as [(JSONObject, JSONValue?, JSONValue?)]
    )
    func `colours cycle through the options`(
        data: JSONObject,
        next: JSONValue?,
        previous: JSONValue?
    ) {
        #expect(
            BuiltInAction.nextColor.effect(position: nil, data: data)
                == next.map { .data(key: "color", value: $0) }
        )
        #expect(
            BuiltInAction.previousColor.effect(position: nil, data: data)
                == previous.map { .data(key: "color", value: $0) }
        )
    }

    @Test func `other actions have no effect`() {
        for name in ["rainbow", "invert", "hasOwnProperty", "", "On", "constructor"] {
            #expect(BuiltInAction(rawValue: name) == nil)
        }
    }

    @Test func `a movement causes transitions, and an unknown action is only announced`() async throws {
        let hub = try FlareHub(FlareStore())
        try await hub.insert(Hall.records)
        try await hub.setPosition(Hall.phoneObject, Point3D(x: 2, y: -1))
        let collector = Collector<ReceivedNotice>()
        let sender = await hub.listen("sender", collector)
        _ = await hub.listen("phone", to: Hall.phoneObject, collector)
        #expect(try await hub.performAction(Hall.phoneObject, "north", from: sender))
        #expect(try await hub.performAction(Hall.phoneObject, "hasOwnProperty", from: sender))
        #expect(try await !hub.performAction(ObjectReference(.zone, Hall.phone), "north", from: sender))
        #expect(
            await collector.all().map(\.description) == [
                "phone handleAction", "sender position", "phone position", "sender enter", "phone enter",
                "phone handleAction",
            ]
        )
        #expect(await hub.record(Hall.phoneObject)?.position == Point3D(x: 2, y: 0))
    }

    @Test func `an action that cannot be performed changes nothing`() async throws {
        let hub = try FlareHub(FlareStore())
        try await hub.insert(Hall.records)
        try await hub.update(Hall.lampObject) {
            $0["data"] = "text"
            $0["position"] = nil
        }
        let before = await hub.record(Hall.lampObject)
        for action in BuiltInAction.allCases {
            #expect(try await hub.performAction(Hall.lampObject, action.rawValue))
        }
        #expect(await hub.record(Hall.lampObject) == before)
    }
}
