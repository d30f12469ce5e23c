import CommandFixture
import Controller
import Flare
import JSON
import Testing

/// Rule 3 with `steady`.
///
/// The kitchen spans 0 to 3.9 m, the living room 4 to 7.9 m; lamps stand at (2, 2) and (6, 2).
@Suite struct SteadyTests {
    private let me = House.homeDevice

    /// A controller at home in the kitchen, unless the device is elsewhere.
    private func rig(
        at position: Point3D = Point3D(x: 1, y: 0),
        _ change: (inout ControllerConfiguration) -> Void = { _ in }
    ) -> Rig {
        var configuration = ControllerConfiguration()
        configuration.allowsDeviceSet = true
        change(&configuration)
        var server = HouseServer()
        for index in server.devices.indices { server.devices[index].position = position }
        return Rig.atHome(configuration, presence: .steady(SteadyPresence.Settings()), server: server)
    }

    /// Sends one estimate a second, each answered by the server.
    @discardableResult
    private func walk(_ rig: inout Rig, _ points: (Double, Double)...) -> [[String]] {
        points.map { x, y in
            let estimate = ControllerEvent.PositionEstimated(
                position: Point3D(x: x, y: y),
                accuracyMetres: 1,
                quality: .good
            )
            let eventNames = rig.happens(.positionEstimated(estimate), after: 1000).eventNames
            rig.serve()
            return eventNames
        }
    }

    @Test
    func `a walk along the border of two rooms changes the zone once`() {
        var rig = rig()
        let eventNames = walk(&rig, (3.5, 3.9), (4.2, 3.9), (3.8, 3.9), (4.3, 3.9), (4.5, 3.9), (4.6, 3.9))
        #expect(eventNames.dropLast().allSatisfy { $0 == ["device moved"] })
        #expect(eventNames.last == ["device moved", "zone exit", "zone enter"])
        #expect(rig.state.zoneID == House.living)
    }

    @Test func `unchanged estimates count as updates`() {
        var rig = rig()
        #expect(
            walk(&rig, (6, 2.5), (6, 2.5)) == [
                ["device moved"], ["zone exit", "zone enter", "nearby near"],
            ]
        )
        #expect(rig.state.nearbyID == House.floorLamp)
    }

    @Test func `the last position counts again when no update arrives`() {
        var rig = rig()
        walk(&rig, (6, 2.5))
        #expect(rig.effects.contains(.startTimer(.presenceCheck, milliseconds: 1500)))
        #expect(
            rig.happens(.timerFired(.presenceCheck), after: 1500).eventNames
                == ["zone exit", "zone enter", "nearby near"]
        )
        #expect(rig.happens(.timerFired(.presenceCheck), after: 1500) == [])
    }

    @Test(arguments: [2, 3])
    func `a ceiling lamp is near who stands below it, unless the height counts`(dimensions: Int) {
        var settings = SteadyPresence.Settings()
        settings.nearDimensions = dimensions
        var server = HouseServer()
        for index in server.devices.indices { server.devices[index].position = Point3D(x: 1, y: 0) }
        for index in server.things.indices { server.things[index].position?.z = 2.4 }
        var rig = Rig.atHome(presence: .steady(settings), server: server)
        walk(&rig, (2, 2), (2, 2))
        #expect(rig.state.nearbyID == (dimensions == 2 ? House.lamp : nil))
        #expect(rig.state.things[House.lamp].flatMap(rig.state.metres) == (dimensions == 2 ? 0 : 2.4))
    }

    @Test func `a lamp below the floor is not near, and its distance is the straight line`() {
        var server = HouseServer()
        for index in server.devices.indices { server.devices[index].position = Point3D(x: 1, y: 0) }
        for index in server.zones.indices where server.zones[index].id == House.living {
            server.zones[index].perimeter?.origin.z = 3
        }
        var rig = Rig.atHome(presence: .steady(SteadyPresence.Settings()), server: server)
        walk(&rig, (6, 2), (6, 2))
        #expect(rig.state.nearbyID == nil)
        #expect(rig.state.things[House.floorLamp].flatMap(rig.state.metres) == 0)
        let text = rig.command(.explain(.nearby(thing: "\(House.floorLamp)"))).answers.first?.data?[
            "text"
        ]
        #expect(text?.string?.contains("it is on another floor") == true, "\(String(describing: text))")
    }

    /// An estimate in the kitchen of a device that is in the living room with some share.
    private func belief(_ share: Double) -> ControllerEvent {
        .positionEstimated(
            .init(
                position: Point3D(x: 3.8, y: 3.9),
                accuracyMetres: 1,
                quality: .good,
                zones: ZoneShares(zones: [House.kitchen: 1 - share, House.living: share], outside: 0)
            )
        )
    }

    @Test func `the likelier zone takes over, although the position lies in the other one`() {
        var rig = rig()
        for _ in 0..<3 {
            rig.happens(belief(0.55), after: 1000)
            rig.serve()
        }
        #expect(rig.state.zoneID == House.kitchen)
        rig.happens(belief(0.7), after: 1000)
        rig.serve()
        #expect(rig.state.zoneID == House.kitchen)
        #expect(rig.happens(belief(0.7), after: 1000).eventNames == ["zone exit", "zone enter"])
        #expect(rig.state.zoneID == House.living)
    }

    @Test func `a position from elsewhere has no shares, and the margins count again`() {
        var rig = rig()
        for _ in 0..<2 {
            rig.happens(belief(0.9), after: 1000)
            rig.serve()
        }
        #expect(rig.state.zoneID == House.living)
        walk(&rig, (1, 3.9), (1, 3.9))
        #expect(rig.state.zoneID == House.kitchen)
    }

    @Test func `presence notices from the server are ignored`() {
        var rig = rig()
        #expect(rig.notice(.enter(zone: House.living, device: me)) == [])
        #expect(rig.notice(.near(thing: House.floorLamp, device: me, distance: 1)) == [])
        #expect(rig.state.zoneID == House.kitchen)
        #expect(rig.state.nearbyID == nil)
    }

    @Test func `a position set by command takes effect at once`() throws {
        var rig = rig()
        rig.command(.setDevice(.init(position: Point3D(x: 6, y: 2.5))))
        let eventNames = rig.serve().eventNames
        #expect(eventNames.contains("zone enter") && eventNames.contains("nearby near"))
        #expect(rig.state.zoneID == House.living)
        #expect(rig.state.nearbyID == House.floorLamp)
    }

    @Test func `zone and nearness end one minute after the position is lost`() {
        var rig = rig()
        walk(&rig, (2, 2.5), (2, 2.5))
        #expect(rig.state.nearbyID == House.lamp)
        let lost = ControllerEvent.PositionEstimated(
            position: Point3D(x: 2, y: 2.5),
            accuracyMetres: 9,
            quality: .lost
        )
        #expect(
            rig.happens(.positionEstimated(lost), after: 1000)
                .contains(.startTimer(.presenceLost, milliseconds: 60_000))
        )
        #expect(rig.state.nearbyID == House.lamp)
        #expect(
            rig.happens(.timerFired(.presenceLost), after: 60_000).eventNames == ["zone exit", "nearby far"]
        )
    }

    @Test func `a position found again in time keeps zone and nearby thing`() {
        var rig = rig()
        walk(&rig, (2, 2.5), (2, 2.5))
        let lost = ControllerEvent.PositionEstimated(
            position: Point3D(x: 2, y: 2.5),
            accuracyMetres: 9,
            quality: .lost
        )
        rig.happens(.positionEstimated(lost), after: 1000)
        #expect(!rig.effects.contains(.stopTimer(.presenceLost)))
        walk(&rig, (2, 2.6))
        #expect(rig.effects.contains(.stopTimer(.presenceLost)))
        // The timer fires although it was stopped.
        #expect(rig.happens(.timerFired(.presenceLost)).eventNames == [])
        #expect(rig.state.nearbyID == House.lamp)
    }

    @Test func `a paired thing is replaced only by another nearby thing`() {
        var rig = rig { $0.stayPaired = true }
        walk(&rig, (2, 2.5), (2, 2.5), (3.8, 3.9), (3.8, 3.9), (3.8, 3.9))
        #expect(rig.state.nearbyID == House.lamp)
        walk(&rig, (6, 2.5), (6, 2.5))
        #expect(rig.state.nearbyID == House.floorLamp)
    }

    @Test func `another environment starts without candidates`() {
        var rig = rig()
        walk(&rig, (6, 2.5))
        #expect(rig.happens(House.located(20)).contains(.stopTimer(.presenceCheck)))
        rig.serve()
        #expect(rig.state.zoneID == House.meeting)
        #expect(rig.happens(.timerFired(.presenceCheck), after: 1500) == [])
    }

    @Test func `a new device without a real position is in no zone`() {
        // The server places new devices at zero, in a corner of the kitchen.
        var rig = rig(at: .zero)
        #expect(rig.state.device?.id == me && rig.state.device?.position == nil)
        #expect(rig.state.zoneID == nil && rig.state.nearbyID == nil)
        rig.command(.refresh)
        rig.serve()
        #expect(rig.state.device?.position == nil && rig.state.zoneID == nil)
        walk(&rig, (2, 2.5), (2, 2.5))
        #expect(rig.state.zoneID == House.kitchen)
    }

    @Test func `a device set to position zero by command keeps that position`() {
        var rig = rig()
        for order in [.setDevice(.init(position: .zero)), .refresh] as [Command.Operation] {
            rig.command(order)
            rig.serve()
            #expect(rig.state.device?.position == .zero)
        }
    }

    @Test func `moving the current zone away leaves it after the next update`() {
        var rig = rig()
        walk(&rig, (2, 2.5), (2, 2.5))
        rig.server.zones = House.zones.map { zone in
            var zone = zone
            if zone.id == House.kitchen {
                zone.perimeter = Box(origin: Point3D(x: 50, y: 50), width: 4, height: 4)
            }
            return zone
        }
        rig.notice(.modelChanged(ObjectReference(.zone, House.kitchen), environment: House.home))
        #expect(!rig.serve().eventNames.contains("zone exit"))
        #expect(rig.happens(.timerFired(.presenceCheck), after: 1500).eventNames == ["zone exit"])
        #expect(rig.state.zoneID == nil)
    }
}
