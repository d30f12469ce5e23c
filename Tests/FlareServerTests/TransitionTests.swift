import Flare
import FlareServer
import JSON
import Testing

/// Zones, nearness and what follows a move.
/// - Source: contrib/contract/flare-protocol.md, "5. Places".
@Suite struct TransitionTests {
    private func hub(_ more: [FlareRecord] = [], data: JSONValue? = nil) async throws -> FlareHub {
        let hub = try FlareHub(FlareStore())
        try await hub.insert(Hall.records + more)
        if let data { try await hub.update(Hall.hallObject) { $0["data"] = data } }
        return hub
    }

    private func presence(_ hub: FlareHub, x: Double, y: Double, z: Double = 0) async throws -> FlareRecord? {
        try await hub.setPosition(Hall.phoneObject, Point3D(x: x, y: y, z: z))
        return await hub.record(Hall.phoneObject)
    }

    @Test(
        arguments: [
            (0, 0, 0, true), (10, 10, 3, true), (10.000001, 5, 0, false), (5, 5, 3.01, false),
            (-0.000001, 5, 0, false), (5, 5, -0.01, false), (1e300, -1e300, 0, false),
        ] as [(Double, Double, Double, Bool)]
    )
    func `a zone includes its borders; the default depth is 3 and the default floor 0`(
        x: Double,
        y: Double,
        z: Double,
        isInside: Bool
    ) async throws {
        let phone = try await presence(hub(), x: x, y: y, z: z)
        #expect(phone?.zone == (isInside ? Hall.west : nil))
        #expect((phone?.members["zone"] == nil) == !isInside)
    }

    @Test func `a depth of 0 is valid`() async throws {
        let hub = try await hub()
        try await hub.update(Hall.westObject) {
            $0["perimeter"] = [
                "origin": ["x": 0, "y": 0], "size": ["width": 10, "height": 10, "depth": 0],
            ]
        }
        #expect(try await presence(hub, x: 5, y: 5)?.zone == Hall.west)
        #expect(try await presence(hub, x: 5, y: 5, z: 0.1)?.zone == nil)
    }

    @Test func `of overlapping zones the first created is entered, until it is moved or removed`()
        async throws
    {
        let all = Hall.zone(Hall.id(30), x: -1e15, width: 1e300)
        let hub = try await hub([all])
        #expect(try await presence(hub, x: 5, y: 5)?.zone == Hall.west)
        #expect(try await presence(hub, x: 15, y: 5)?.zone == all.id)
        try await hub.remove(Hall.westObject)
        #expect(try await presence(hub, x: 5, y: 5)?.zone == all.id)
        try await hub.update(all.reference) { $0["perimeter"] = .null }
        #expect(try await presence(hub, x: 5, y: 5)?.zone == nil)
    }

    @Test(
        arguments: [
            (["distance": 2], 1.9999, true), (["distance": 2], 2, false), (["distance": 0], 1.49, true),
            (["distance": 0], 1.5, false), ([:], 1.49, true), (nil, 1.49, true), (nil, 1.5, false),
            ("text", 1.49, true), (["distance": "x"], 1.49, true), (["distance": -1], 0, false),
            (["distance": 1e9], 4, true), (["distance": "3"], 2.9, true), (.null, 1.5, false),
        ] as [(JSONValue?, Double, Bool)]
    )
    func `near means less than the environment's distance, by default 1.5`(
        data: JSONValue?,
        distance: Double,
        isNear: Bool
    ) async throws {
        let hub = try await hub()
        try await hub.update(Hall.hallObject) { $0["data"] = data }
        try await hub.remove(ObjectReference(.thing, Hall.sofa))
        let phone = try await presence(hub, x: 2, y: 2 + distance)
        #expect(phone?.nearest == (isNear ? Hall.lamp : nil))
    }

    @Test func `of equally near things the first created is the nearest`() async throws {
        let twin = Hall.thing(Hall.id(31), in: Hall.east, x: 2)
        let hub = try await hub([twin])
        #expect(try await presence(hub, x: 2, y: 2)?.nearest == Hall.lamp)
        try await hub.remove(Hall.lampObject)
        #expect(try await presence(hub, x: 2, y: 2)?.nearest == twin.id)
    }

    @Test func `a thing without a position, in another environment, or moved away is not near`() async throws
    {
        let hub = try await hub()
        try await hub.update(Hall.lampObject) { $0["position"] = ["x": 2] }
        #expect(try await presence(hub, x: 2, y: 2)?.nearest == nil)
        try await hub.setPosition(Hall.lampObject, Point3D(x: 2, y: 2))
        #expect(try await presence(hub, x: 2, y: 2)?.nearest == Hall.lamp)
        try await hub.update(Hall.lampObject) { $0["environment"] = Hall.text(Hall.id(99)) }
        #expect(try await presence(hub, x: 2, y: 2)?.nearest == nil)
    }

    @Test func `a move announces position, exit, far, enter, near in this order`() async throws {
        let hub = try await hub()
        try await hub.setPosition(Hall.phoneObject, Point3D(x: 2, y: 2))
        let collector = Collector<ReceivedNotice>()
        _ = await hub.listen("all", to: Hall.hallObject, all: true, collector)
        try await hub.setPosition(Hall.phoneObject, Point3D(x: 25, y: 1))
        try await hub.setPosition(Hall.phoneObject, Point3D(x: 25, y: 1.5))
        let phone = Hall.phone
        #expect(
            await collector.all().map(\.notice) == [
                .position(Hall.phoneObject, Point3D(x: 25, y: 1), sender: nil),
                .exit(zone: Hall.west, device: phone), .far(thing: Hall.lamp, device: phone),
                .enter(zone: Hall.east, device: phone),
                .near(thing: Hall.sign, device: phone, distance: 1),
                .position(Hall.phoneObject, Point3D(x: 25, y: 1.5), sender: nil),
            ]
        )
    }

    @Test func `a move by REST is not announced, and the next move announces the transitions`() async throws {
        let hub = try await hub()
        let collector = Collector<ReceivedNotice>()
        _ = await hub.listen("all", to: Hall.hallObject, all: true, collector)
        let moved = try await hub.update(Hall.phoneObject) { $0["position"] = ["x": 2, "y": 2] }
        #expect(moved?.zone == nil)
        try await hub.setPosition(Hall.phoneObject, Point3D(x: 2, y: 2))
        #expect(await collector.all().map(\.description) == ["all position", "all enter", "all near"])
    }

    @Test func `devices without an existing environment can move`()
        async throws
    {
        let hub = try await hub([FlareRecord(.device, Hall.id(40))])
        #expect(try await hub.setPosition(ObjectReference(.device, Hall.id(40)), Point3D(x: 1, y: 1)))
        try await hub.remove(Hall.hallObject)
        #expect(try await presence(hub, x: 2, y: 2)?.nearest == Hall.lamp)
    }

    @Test func `a position for a zone or an environment is announced but not stored`() async throws {
        let hub = try await hub()
        try await hub.update(Hall.westObject) { $0["modified"] = "long ago" }
        let before = await hub.record(Hall.westObject)
        let collector = Collector<ReceivedNotice>()
        _ = await hub.listen("west", to: Hall.westObject, collector)
        #expect(try await hub.setPosition(Hall.westObject, Point3D(x: 1, y: 1)))
        #expect(await hub.record(Hall.westObject) == before)
        #expect(await collector.all().map(\.description) == ["west position"])
    }

    @Test func `a position must be finite, and an unknown object is reported`() async throws {
        let hub = try await hub()
        await #expect(throws: FlareHubError.notFinite(Hall.phoneObject)) {
            try await hub.setPosition(Hall.phoneObject, Point3D(x: .nan, y: 0))
        }
        #expect(try await !hub.setPosition(ObjectReference(.device, Hall.lamp), .zero))
    }

    @Test func `CMX keeps the height and answers with the zone before the move`() async throws {
        let hub = try await hub([
            Hall.device(Hall.id(50), x: 0, y: 0, data: ["mac": "aa"]),
            Hall.device(Hall.id(51), x: 0, y: 0, data: ["mac": "aa"]),
        ])
        try await hub.setPosition(ObjectReference(.device, Hall.id(50)), Point3D(x: 15, y: 15, z: 1))
        let answer = try await hub.cmx(environment: Hall.hall, mac: "AA", x: 2, y: 2)
        #expect(answer?.id == Hall.id(50))
        #expect(answer?.members["position"] == ["x": 2, "y": 2])
        #expect(answer?.zone == nil)
        let stored = await hub.record(ObjectReference(.device, Hall.id(50)))
        #expect(stored?.position == Point3D(x: 2, y: 2, z: 1))
        #expect(stored?.zone == Hall.west)
        #expect(try await hub.cmx(environment: Hall.hall, mac: "bb", x: 2, y: 2) == nil)
    }
}
