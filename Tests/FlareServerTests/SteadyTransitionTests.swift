import Flare
import FlareServer
import JSON
import TestSupport
import Testing

/// Zones and nearness with `flare.server.steady`; the west zone is 0 to 10 m, its lamp at 5, 5.
/// - Source: contrib/contract/positioning.md, "7. Zones and the nearest thing".
@Suite struct SteadyTransitionTests {
    private let received = Collector<ReceivedNotice>()

    private func hub(_ settings: SteadyPresence.Settings = .init()) async throws -> FlareHub {
        let hub = try FlareHub(FlareStore(), steady: settings)
        try await hub.insert(Hall.records)
        return hub
    }

    @discardableResult
    private func move(_ hub: FlareHub, _ x: Double, _ y: Double) async throws -> FlareRecord? {
        try await hub.setPosition(Hall.phoneObject, Point3D(x: x, y: y))
        return await hub.record(Hall.phoneObject)
    }

    @Test func `a zone is entered and left with the second consecutive position`() async throws {
        let hub = try await hub()
        #expect(try await move(hub, 9.5, 1)?.zone == nil)
        #expect(try await move(hub, 9.6, 1)?.zone == Hall.west)
        for x in [10.2, 9.9, 10.4, 10.5, 10.6, 10.4, 10.6] {
            #expect(try await move(hub, x, 1)?.zone == Hall.west)
        }
        #expect(try await move(hub, 10.7, 1)?.zone == nil)
    }

    @Test(arguments: [2, 3])
    func `a lamp on the ceiling is near in the plane, one of another floor is not`(dimensions: Int)
        async throws
    {
        var settings = SteadyPresence.Settings()
        settings.nearDimensions = dimensions
        let hub = try await hub(settings)
        func lamp() async -> FlareID? { await hub.record(Hall.phoneObject)?.nearest }
        func stand(_ z: Double) async throws {
            for _ in 0..<2 { try await hub.setPosition(Hall.phoneObject, Point3D(x: 2, y: 2, z: z)) }
        }
        try await stand(2.4)
        #expect(await lamp() == (dimensions == 2 ? Hall.lamp : nil))
        var upstairs = Hall.zone(Hall.id(31), x: 0, width: 10)
        upstairs.members["perimeter"] = [
            "origin": ["x": 0, "y": 0, "z": 2], "size": ["width": 10, "height": 10, "depth": 2],
        ]
        try await hub.insert([upstairs])
        try await stand(2.4)
        #expect(await lamp() == nil)
        try await stand(1)
        #expect(await lamp() == Hall.lamp)
    }

    @Test func `of several zones at a point the smallest is entered`() async throws {
        let hub = try await hub()
        let niche = Hall.zone(Hall.id(31), x: 4, width: 2)
        try await hub.insert([niche])
        try await move(hub, 5, 1)
        #expect(try await move(hub, 5, 1)?.zone == niche.id)
    }

    @Test func `the last position of a device at rest takes effect, and only the transitions are announced`()
        async throws
    {
        let hub = try await hub()
        _ = await hub.listen("phone", to: Hall.phoneObject, received)
        let begun = ContinuousClock.now
        try await move(hub, 9, 9)
        #expect(await eventually { await hub.record(Hall.phoneObject)?.zone == Hall.west })
        #expect(ContinuousClock.now - begun >= .milliseconds(1500))
        let notices = await received.all().map(\.notice)
        #expect(
            notices == [
                .position(Hall.phoneObject, Point3D(x: 9, y: 9), sender: nil),
                .enter(zone: Hall.west, device: Hall.phone),
            ],
            "\(notices)"
        )
    }

    @Test func `removing a device removes its presence in doubt`() async throws {
        let hub = try await hub()
        try await move(hub, 5, 1)
        try await hub.remove(Hall.phoneObject)
        try await hub.insert(Hall.records.filter { $0.id == Hall.phone })
        #expect(try await move(hub, 5, 1)?.zone == nil)
    }

    @Test func `without margins and with one update transitions are immediate`() async throws {
        var settings = SteadyPresence.Settings()
        settings.zoneMargin = 0
        settings.updates = 1
        let hub = try await hub(settings)
        #expect(try await move(hub, 9.9, 1)?.zone == Hall.west)
        #expect(try await move(hub, 10.1, 1)?.zone == nil)
    }
}
