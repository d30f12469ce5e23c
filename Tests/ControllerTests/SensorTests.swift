import CommandFixture
import Controller
import Flare
import JSON
import Testing
import Things

@Suite struct SensorTests {
    private let device = ObjectReference(.device, House.homeDevice)

    private func positions(_ effects: [ControllerEffect]) -> [Point3D] {
        effects.requests.compactMap { if case .setPosition(_, let point, nil) = $0 { point } else { nil } }
    }

    private func headings(_ effects: [ControllerEffect]) -> [JSONValue?] {
        effects.requests.compactMap {
            if case .setData(device, let values, _, _) = $0 { values["angle"] } else { nil }
        }
    }

    /// The headings sent for any device.
    private func anyHeadings(_ effects: [ControllerEffect]) -> [JSONValue?] {
        effects.requests.compactMap {
            if case .setData(_, let values, _, _) = $0 { values["angle"] } else { nil }
        }
    }

    // MARK: Position

    @Test func `this device's position is sent without sender and takes effect at once`() {
        var rig = Rig.atHome()
        let effects = rig.happens(House.estimate(2, 1))
        #expect(effects.requests == [.setPosition(device, Point3D(x: 2, y: 1), sender: nil)])
        #expect(effects.eventNames == ["device moved"])
        #expect(effects.events.first?.before == Point3D.zero.json)
        #expect(effects.events.first?.after == Point3D(x: 2, y: 1).json)
        #expect(effects.events.first?.cause == .init("beacons"))
        #expect(rig.state.device?.position == Point3D(x: 2, y: 1))
        #expect(rig.state.fix?.source == "beacons")
        #expect(rig.serve().eventNames == ["nearby near"])
    }

    @Test func `positions are sent at most once a second, the newest one when the timer fires`() {
        var rig = Rig.atHome()
        rig.happens(House.estimate(1, 1), after: 1000)
        #expect(
            rig.happens(House.estimate(2, 1), after: 300) == [.startTimer(.positionDue, milliseconds: 700)]
        )
        #expect(rig.happens(House.estimate(3, 1), after: 300) == [])
        #expect(positions(rig.happens(.timerFired(.positionDue), after: 400)) == [Point3D(x: 3, y: 1)])
        #expect(rig.happens(.timerFired(.positionDue)) == [])
        #expect(rig.happens(House.estimate(3, 1), after: 999).requests.isEmpty)
        #expect(positions(rig.happens(House.estimate(5, 1), after: 1)) == [Point3D(x: 5, y: 1)])
    }

    @Test func `position, accuracy and time in the state always belong to one estimate`() {
        var rig = Rig.atHome()
        rig.happens(House.estimate(1, 1, accuracy: 1), after: 1000)
        let first = rig.state.fix
        rig.happens(House.estimate(2, 1, .coarse, accuracy: 7), after: 400)
        #expect(rig.state.device?.position == Point3D(x: 1, y: 1))
        #expect(rig.state.fix == first, "accuracy and time belong to the position in the state")
        rig.happens(.timerFired(.positionDue), after: 600)
        #expect(rig.state.device?.position == Point3D(x: 2, y: 1))
        #expect(rig.state.fix?.accuracyMetres == 7)
        #expect(rig.state.fix?.quality == .coarse)
        #expect(rig.state.fix?.at == Rig.moment(1400), "the time of the estimate, not the time of sending")
        rig.happens(House.estimate(2, 1, accuracy: 2), after: 100)
        #expect(rig.state.fix?.accuracyMetres == 2, "accuracy changes without sending a position")
    }

    @Test func `returning before a waiting position was sent discards that position`() {
        var rig = Rig.atHome()
        rig.happens(House.estimate(1, 1, accuracy: 1), after: 1000)
        rig.happens(House.estimate(2, 1, accuracy: 2), after: 300)
        let back = rig.happens(House.estimate(1, 1, accuracy: 3), after: 300)
        #expect(back == [.stopTimer(.positionDue)])
        #expect(rig.state.fix?.accuracyMetres == 3)
        #expect(rig.happens(.timerFired(.positionDue), after: 400) == [])
        #expect(rig.state.device?.position == Point3D(x: 1, y: 1))
    }

    @Test func `a lost position takes effect at once and discards a waiting position`() {
        var rig = Rig.atHome()
        rig.happens(House.estimate(1, 1), after: 1000)
        rig.happens(House.estimate(2, 1), after: 300)
        let lost = rig.happens(House.estimate(2, 1, .lost), after: 100)
        #expect(lost.eventNames == ["device lost"])
        #expect(lost.contains(.stopTimer(.positionDue)))
        #expect(rig.happens(.timerFired(.positionDue), after: 600) == [])
        #expect(rig.state.fix?.quality == .lost)
        #expect(rig.state.device?.position == Point3D(x: 1, y: 1))
    }

    @Test func `the same position again is not sent`() {
        var rig = Rig.atHome()
        rig.happens(House.estimate(1, 1))
        #expect(rig.happens(House.estimate(1, 1), after: 5000).requests.isEmpty)
    }

    @Test func `moves of less than a decimetre are sent every ten seconds`() {
        var rig = Rig.atHome()
        rig.happens(House.estimate(2, 1), after: 1000)
        for second in 1...9 {
            let effects = rig.happens(House.estimate(2 + 0.01 * Double(second), 1), after: 1000)
            #expect(positions(effects).isEmpty && !effects.eventNames.contains("device moved"))
            #expect(rig.state.fix?.at == Rig.moment(1000 + 1000 * Int64(second)), "the fix is updated anyway")
        }
        #expect(positions(rig.happens(House.estimate(2.05, 1), after: 1000)) == [Point3D(x: 2.05, y: 1)])
        #expect(positions(rig.happens(House.estimate(2.15, 1), after: 1000)) == [Point3D(x: 2.15, y: 1)])
        #expect(positions(rig.happens(House.estimate(2.15, 1), after: 20_000)).isEmpty)
    }

    @Test func `lost and found cause one event each`() {
        var rig = Rig.atHome()
        var eventNames: [String] = []
        for quality: PositionFix.Quality in [.good, .lost, .lost, .coarse, .fair] {
            eventNames += rig.happens(House.estimate(0, 0, quality), after: 2000).eventNames
        }
        #expect(eventNames == ["device lost", "device found"])
        #expect(rig.state.fix?.quality == .fair)
    }

    @Test func `an estimate that is not a number, or without link or device, is ignored`() {
        var rig = Rig.atHome()
        #expect(rig.happens(House.estimate(.nan, 1)) == [])
        rig.lose()
        #expect(rig.happens(House.estimate(1, 1)) == [])
        var empty = Rig()
        #expect(empty.happens(House.estimate(1, 1)).besidesLifecycle == [])
    }

    @Test func `a position waiting when the link is lost is discarded, and later ones are sent`() {
        var rig = Rig.atHome()
        rig.happens(House.estimate(1, 1))
        rig.happens(House.estimate(2, 1), after: 100)
        #expect(rig.lose().contains(.stopTimer(.positionDue)))
        rig.happens(.timerFired(.positionDue), after: 100)
        rig.happens(.flare(.linkUp))
        rig.serve()
        #expect(
            rig.happens(House.estimate(3, 1), after: 100) == [.startTimer(.positionDue, milliseconds: 700)]
        )
        #expect(positions(rig.happens(.timerFired(.positionDue), after: 700)) == [Point3D(x: 3, y: 1)])
    }

    @Test func `a position waiting when the environment is left is not sent in the next one`() {
        var rig = Rig.atHome()
        rig.happens(House.estimate(1, 1))
        rig.happens(House.estimate(2, 1), after: 100)
        #expect(rig.happens(House.located(20)).contains(.stopTimer(.positionDue)))
        rig.serve()
        #expect(rig.happens(.timerFired(.positionDue)) == [])
        #expect(rig.state.device?.position == .zero)
    }

    // MARK: Heading

    @Test func `a heading is sent with the device as sender and published once confirmed`() {
        var rig = Rig.atHome()
        let effects = rig.happens(.headingChanged(degrees: 45))
        #expect(effects == [.flare(.setData(device, values: ["angle": 45], sender: House.homeDevice))])
        #expect(rig.state.angle == nil)
        let served = rig.serve()
        #expect(served.eventNames == ["device turned"])
        #expect(served.events.first?.cause == .init("compass"))
        #expect(rig.state.angle == 45)
    }

    @Test func `a measured heading is shown at once until another client turns the device`() {
        var rig = Rig.atHome()
        #expect(rig.happens(.headingMeasured(degrees: 47)) == [])
        #expect(rig.state.angle == 47)
        // The server receives the heading in coarser steps.
        rig.happens(.headingChanged(degrees: 45))
        rig.serve()
        #expect(rig.state.angle == 47 && rig.state.device?.data["angle"] == 45)
        rig.notice(.data(device, ["angle": 180], sender: nil))
        #expect(rig.state.angle == 180)
        rig.happens(.headingMeasured(degrees: 48))
        #expect(rig.state.angle == 48)
        rig.command(.switchSensor(.compass, on: false))
        rig.happens(.headingMeasured(degrees: 49))
        #expect(rig.state.angle == 180)
    }

    @Test func `a recent heading is sent once the device is read, an old one is not`() {
        for (age, asked) in [(15_000, [45]), (15_001, [])] as [(Int64, [JSONValue?])] {
            var rig = Rig()
            rig.happens(.headingChanged(degrees: 45))
            rig.happens(.flare(.linkUp), after: age)
            let effects = rig.serve()
            #expect(anyHeadings(effects) == asked)
        }
    }

    @Test func `after a change of environment, the heading is sent for the device there`() {
        var rig = Rig.atHome()
        rig.happens(.headingChanged(degrees: 45))
        rig.serve()
        rig.command(.chooseEnvironment(.next))
        #expect(anyHeadings(rig.serve()) == [45])
    }

    @Test func `headings are sent at most once a second and only when changed`() {
        var rig = Rig.atHome()
        rig.happens(.headingChanged(degrees: 45))
        rig.serve()
        #expect(
            rig.happens(.headingChanged(degrees: 50), after: 400) == [
                .startTimer(.headingDue, milliseconds: 600)
            ]
        )
        #expect(rig.happens(.headingChanged(degrees: 55), after: 100) == [])
        #expect(headings(rig.happens(.timerFired(.headingDue), after: 500)) == [55])
        rig.serve()
        #expect(rig.happens(.headingChanged(degrees: 55), after: 2000) == [])
        #expect(rig.happens(.headingChanged(degrees: .nan), after: 2000) == [])
    }

    @Test func `turning back while the first turn is unconfirmed is sent`() {
        var rig = Rig.atHome()
        rig.happens(.headingChanged(degrees: 45))
        rig.serve()
        rig.happens(.headingChanged(degrees: 50), after: 1000)
        rig.happens(.headingChanged(degrees: 45), after: 1000)
        rig.serve()
        #expect(rig.state.angle == 45)
    }

    // MARK: CMX

    @Test func `positions of this device from the server are used only while CMX is on`() {
        var rig = Rig.atHome()
        let moved = rig.notice(.position(device, Point3D(x: 3, y: 3), sender: nil))
        #expect(moved.eventNames == ["device moved"])
        #expect(moved.events.first?.cause == .init("server"))
        #expect(rig.state.fix?.source == "cmx")
        rig.command(.switchSensor(.cmx, on: false))
        #expect(rig.notice(.position(device, Point3D(x: 4, y: 4), sender: nil)) == [])
        #expect(rig.state.device?.position == Point3D(x: 3, y: 3))
    }

    @Test func `with CMX and beacons on, the latest position wins`() {
        var rig = Rig.atHome()
        rig.happens(House.estimate(1, 1))
        rig.notice(.position(device, Point3D(x: 9, y: 9), sender: nil))
        #expect(rig.state.device?.position == Point3D(x: 1, y: 1), "older than our unconfirmed one")
        rig.serve()
        rig.notice(.position(device, Point3D(x: 3, y: 3), sender: nil))
        #expect(rig.state.device?.position == Point3D(x: 3, y: 3))
        rig.happens(House.estimate(2, 2), after: 1000)
        #expect(rig.state.device?.position == Point3D(x: 2, y: 2))
        #expect(rig.state.fix?.source == "beacons")
    }

    @Test
    func `a device move confirmed after a newer estimate was sent does not move the device back`() {
        var configuration = ControllerConfiguration()
        configuration.allowsDeviceSet = true
        var rig = Rig.atHome(configuration)
        rig.command(.setDevice(.init(position: Point3D(x: 6, y: 3))))
        rig.happens(House.estimate(1, 1))
        #expect(rig.serve().codes == [nil])
        #expect(rig.state.device?.position == Point3D(x: 1, y: 1))
        #expect(rig.server.devices[0].position == Point3D(x: 1, y: 1))
        #expect(rig.state.zoneID == House.kitchen)
    }

    @Test func `reading the device while a position is unconfirmed keeps the newer position`() {
        var rig = Rig.atHome()
        rig.command(.refresh)
        rig.happens(House.estimate(6, 1))
        #expect(!rig.serve().eventNames.contains("device moved"))
        #expect(rig.state.device?.position == Point3D(x: 6, y: 1))
        #expect(rig.state.zoneID == House.living)
    }

    // MARK: Switches

    @Test(arguments: SensorKind.allCases)
    func `a sensor switch takes effect once, is saved and is answered`(sensor: SensorKind) {
        var rig = Rig.atHome()
        let off = rig.command(.switchSensor(sensor, on: false))
        #expect(off.contains(.remember(.sensor(sensor, on: false))))
        #expect(off.contains(.switchSensor(sensor, on: false)))
        #expect(off.answers.first?.accepted == ["state": "OFF"])
        #expect(off.answers.first?.target == .init(kind: "sensor", slug: sensor.rawValue))
        #expect(rig.controller.removeChanges() == [.sensor(sensor)])
        let again = rig.command(.switchSensor(sensor, on: false))
        #expect(again.count == 1)
        #expect(again.codes == [nil])
    }

    @Test func `disabled beacons and compass send nothing, not even waiting values`() {
        var rig = Rig.atHome()
        rig.happens(House.estimate(1, 1))
        rig.happens(House.estimate(2, 2), after: 1)
        rig.happens(.headingChanged(degrees: 45))
        rig.happens(.headingChanged(degrees: 50), after: 1)
        #expect(rig.command(.switchSensor(.beacons, on: false)).contains(.stopTimer(.positionDue)))
        #expect(rig.command(.switchSensor(.compass, on: false)).contains(.stopTimer(.headingDue)))
        for event in [
            .timerFired(.positionDue), .timerFired(.headingDue), House.estimate(3, 3),
            .headingChanged(degrees: 1),
        ] as [ControllerEvent] {
            #expect(rig.happens(event, after: 2000) == [])
        }
    }

    @Test func `a disabled sensor stays disabled after a restart and is switched off first`() {
        var memory = PersistedState()
        memory.sensors = [.beacons: false, .compass: true]
        var rig = Rig(memory: memory)
        let first = rig.happens(.flare(.linkUp))
        #expect(first.first == .switchSensor(.beacons, on: false))
        #expect(first.besidesLifecycle.count == 2)
        rig.serve()
        #expect(rig.state.sensors == [.gps: true, .beacons: false, .cmx: true, .compass: true])
        #expect(rig.happens(House.estimate(1, 1)) == [])
    }

    // MARK: Brightness by proximity

    @Test func `the nearby thing's brightness follows the distance from the previous position`() {
        var configuration = ControllerConfiguration()
        configuration.brightnessByProximity = true
        var rig = Rig.atHome(configuration)
        rig.happens(House.estimate(2, 1.26))
        rig.serve()
        #expect(rig.state.nearbyID == House.lamp)
        let effects = rig.happens(House.estimate(2, 1.6), after: 1000)
        #expect(
            effects.requests.first
                == .setData(House.lampThing, values: ["brightness": 0.3], sender: House.homeDevice)
        )
        let served = rig.serve()
        #expect(served.answers.isEmpty)
        #expect(served.events.first?.cause == .init("beacons"))
        #expect(rig.lamp("brightness") == 0.3)
        rig.happens(House.estimate(2, 1.2), after: 1000)
        rig.serve()
        #expect(rig.lamp("brightness") == 0.6)
        rig.happens(House.estimate(2, 0.9), after: 1000)
        rig.happens(House.estimate(2, 0.8), after: 1000)
        rig.serve()
        #expect(rig.lamp("brightness") == 0.2, "0.9 is more than a metre away: brightness is never negative")
    }

    @Test func `the configuration switches the sensors that nobody has switched by command`() {
        var configuration = ControllerConfiguration()
        configuration.switchedOff = [.gps, .cmx]
        var rig = Rig.atHome(configuration)
        #expect(rig.state.sensors.filter { !$0.value }.keys.sorted { "\($0)" < "\($1)" } == [.cmx, .gps])
        rig.command(.switchSensor(.gps, on: true))
        rig.command(.switchSensor(.compass, on: false))
        configuration.switchedOff = [.gps, .beacons]
        let effects = rig.happens(.configurationApplied(configuration))
        #expect(rig.state.sensors == [.gps: true, .cmx: true, .beacons: false, .compass: false])
        #expect(effects.contains(.switchSensor(.beacons, on: false)))
        #expect(!effects.contains { if case .remember = $0 { true } else { false } })
    }

    @Test func `brightness by proximity skips things without brightness and is off by default`() {
        var configuration = ControllerConfiguration()
        configuration.brightnessByProximity = true
        var server = HouseServer()
        server.things[0].data = ["on": true]
        var rig = Rig.atHome(configuration, server: server)
        var plain = Rig.atHome()
        for y in [1.5, 1.6] {
            rig.happens(House.estimate(2, y), after: 1000)
            plain.happens(House.estimate(2, y), after: 1000)
            for request in rig.serve().requests + plain.serve().requests {
                if case .setData = request { Issue.record("\(request)") }
            }
        }
    }
}
