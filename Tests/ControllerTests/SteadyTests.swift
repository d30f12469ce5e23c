import Controller
import Flare
import Testing

/// Rule 3 with `steady`: the kitchen is 0 to 3.9 m, the living room 4 to 7.9 m; lamps stand at 2, 2 and 6, 2.
@Suite struct SteadyTests {
    private let me = House.homeDevice

    /// At home in the kitchen, unless the device stands elsewhere.
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

    /// One estimate a second, each answered by the server.
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
    func `a walk into the next room and back changes the zone once each, and leaves nothing on the way`() {
        var rig = rig()
        let eventNames = walk(&rig, (3.5, 3.9), (4.2, 3.9), (3.8, 3.9), (4.3, 3.9), (4.5, 3.9), (4.6, 3.9))
        #expect(eventNames.dropLast().allSatisfy { $0 == ["device moved"] })
        #expect(eventNames.last == ["device moved", "zone exit", "zone enter"])
        #expect(rig.state.zoneID == House.living)
    }

    @Test func `estimates that stay where they are count as well`() {
        var rig = rig()
        #expect(
            walk(&rig, (6, 2.5), (6, 2.5)) == [
                ["device moved"], ["zone exit", "zone enter", "nearby near"],
            ]
        )
        #expect(rig.state.nearbyID == House.floorLamp)
    }

    @Test func `where nothing more comes, the last position counts after a while`() {
        var rig = rig()
        walk(&rig, (6, 2.5))
        #expect(rig.effects.contains(.startTimer(.presenceCheck, milliseconds: 1500)))
        #expect(
            rig.happens(.timerFired(.presenceCheck), after: 1500).eventNames
                == ["zone exit", "zone enter", "nearby near"]
        )
        #expect(rig.happens(.timerFired(.presenceCheck), after: 1500) == [])
    }

    @Test func `what the server says of zone and nearness is not taken over`() {
        var rig = rig()
        #expect(rig.notice(.enter(zone: House.living, device: me)) == [])
        #expect(rig.notice(.near(thing: House.floorLamp, device: me, distance: 1)) == [])
        #expect(rig.state.zoneID == House.kitchen)
        #expect(rig.state.nearbyID == nil)
    }

    @Test func `a position by command counts at once`() throws {
        var rig = rig()
        rig.command(.setDevice(.init(position: Point3D(x: 6, y: 2.5))))
        let eventNames = rig.serve().eventNames
        #expect(eventNames.contains("zone enter") && eventNames.contains("nearby near"))
        #expect(rig.state.zoneID == House.living)
        #expect(rig.state.nearbyID == House.floorLamp)
    }

    @Test func `a minute after the position is lost we are nowhere, and not before`() {
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

    @Test func `a position that is found again keeps everything`() {
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
        // A firing that was on its way already.
        #expect(rig.happens(.timerFired(.presenceLost)).eventNames == [])
        #expect(rig.state.nearbyID == House.lamp)
    }

    @Test func `a thing that stays paired is left for another one only`() {
        var rig = rig { $0.stayPaired = true }
        walk(&rig, (2, 2.5), (2, 2.5), (3.8, 3.9), (3.8, 3.9), (3.8, 3.9))
        #expect(rig.state.nearbyID == House.lamp)
        walk(&rig, (6, 2.5), (6, 2.5))
        #expect(rig.state.nearbyID == House.floorLamp)
    }

    @Test func `another environment begins without doubts`() {
        var rig = rig()
        walk(&rig, (6, 2.5))
        #expect(rig.happens(House.located(20)).contains(.stopTimer(.presenceCheck)))
        rig.serve()
        #expect(rig.state.zoneID == House.meeting)
        #expect(rig.happens(.timerFired(.presenceCheck), after: 1500) == [])
    }

    @Test func `a device of which nobody has said where it is, is nowhere until somebody does`() {
        // The server puts a new one into the corner of the kitchen.
        var rig = rig(at: .zero)
        #expect(rig.state.device?.id == me && rig.state.device?.position == nil)
        #expect(rig.state.zoneID == nil && rig.state.nearbyID == nil)
        rig.command(.request(.refresh))
        rig.serve()
        #expect(rig.state.device?.position == nil && rig.state.zoneID == nil)
        walk(&rig, (2, 2.5), (2, 2.5))
        #expect(rig.state.zoneID == House.kitchen)
    }

    @Test func `a device that was put into the corner stays there`() {
        var rig = rig()
        for order in [.setDevice(.init(position: .zero)), .request(.refresh)] as [Command.Order] {
            rig.command(order)
            rig.serve()
            #expect(rig.state.device?.position == .zero)
        }
    }

    @Test func `a room that is moved around us is noticed when it has held`() {
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
