import CommandFixture
import Controller
import Flare
import JSON
import Testing

/// A position that was lost for too long decides nothing any more, whatever else happens.
@Suite struct LostPositionTests {
    /// Beside the lamp, in the kitchen.
    private static let place = Point3D(x: 2, y: 2.5)

    private static func rig(_ memory: (inout PersistedState) -> Void = { _ in }) -> Rig {
        var state = PersistedState()
        state.environment = House.home
        state.devices = [House.home: House.homeDevice, House.office: House.officeDevice]
        memory(&state)
        var server = HouseServer()
        for index in server.devices.indices { server.devices[index].position = place }
        var configuration = ControllerConfiguration()
        configuration.allowsDeviceSet = true
        var rig = Rig(
            memory: state,
            configuration: configuration,
            presence: .steady(SteadyPresence.Settings()),
            server: server
        )
        rig.happens(.flare(.linkUp))
        rig.serve()
        return rig
    }

    private static func estimate(
        _ quality: PositionFix.Quality = .good,
        heard age: Double? = 0
    ) -> ControllerEvent {
        .positionEstimated(
            .init(
                position: place,
                accuracyMetres: 1,
                quality: quality,
                heardAt: age.map { _ in 1 },
                beacons: age.map { [House.lamp: BeaconReport(rssi: -60, age: $0)] } ?? [:]
            )
        )
    }

    /// A device that was in the kitchen, and has not been heard for more than a minute.
    private static func lost() -> Rig {
        var rig = rig()
        rig.happens(estimate(), after: 1000)
        rig.happens(estimate(.lost, heard: nil), after: 15_000)
        rig.happens(.timerFired(.presenceLost), after: 60_000)
        return rig
    }

    private static func isNowhere(_ rig: Rig) -> Bool {
        rig.state.zoneID == nil && rig.state.nearbyID == nil
    }

    @Test func `a change of another thing does not take a lost device back into its zone`() throws {
        var rig = Self.lost()
        try #require(Self.isNowhere(rig))
        var thing = try #require(rig.state.things[House.kettle])
        thing.description = "a new one"
        rig.notice(.thingChanged(House.kettle, thing, environment: House.home))
        rig.happens(.timerFired(.presenceCheck), after: 1500)
        #expect(Self.isNowhere(rig))
    }

    @Test(arguments: [FlareClass.environment, .zone, .device])
    func `reading the place again does not take a lost device back into its zone`(kind: FlareClass) throws {
        var rig = Self.lost()
        try #require(Self.isNowhere(rig))
        let id = [.environment: House.home, .zone: House.kitchen][kind] ?? House.homeDevice
        rig.server.things[1].data["color"] = "green"
        for _ in 0..<3 {
            rig.notice(.modelChanged(ObjectReference(kind, id), environment: House.home), after: 1000)
            rig.serve()
        }
        #expect(Self.isNowhere(rig))
        rig.lose()
        rig.happens(.flare(.linkUp))
        rig.serve()
        #expect(Self.isNowhere(rig))
    }

    @Test(arguments: [Explanation.Subject.zone, .nearby(thing: nil), .nearby(thing: "lamp")])
    func `it is explained why a lost device is nowhere`(subject: Explanation.Subject) throws {
        var rig = Self.lost()
        let answer = rig.command(.explain(subject)).answers.first
        let text = try #require(answer?.data?["text"]?.string)
        #expect(text.contains("not been heard for more than 60 s"), "\(text)")
    }

    @Test func `a lost device that is heard again is back in its zone`() {
        var rig = Self.lost()
        for _ in 0..<2 { rig.happens(Self.estimate(), after: 1000) }
        #expect(rig.state.zoneID == House.kitchen)
        #expect(rig.state.nearbyID == House.lamp)
    }

    @Test func `a lost device that is put somewhere by command is there`() {
        var rig = Self.lost()
        rig.command(.setDevice(.init(position: Point3D(x: 6, y: 2.5))))
        rig.serve()
        #expect(rig.state.zoneID == House.living)
    }

    @Test func `a lost device whose sensor is switched off and on leaves its zone`() {
        var rig = Self.rig()
        rig.happens(Self.estimate(), after: 1000)
        rig.happens(Self.estimate(.lost, heard: nil), after: 15_000)
        rig.command(.switchSensor(.beacons, on: false))
        let effects = rig.command(.switchSensor(.beacons, on: true))
        #expect(effects.contains(.startTimer(.presenceLost, milliseconds: 60_000)))
        rig.happens(.timerFired(.presenceLost), after: 60_000)
        #expect(Self.isNowhere(rig))
    }

    // MARK: Another run

    private static func records(_ rig: Rig) -> [MeasuredPosition?] {
        rig.effects.compactMap {
            if case .remember(.position(let position, House.home)) = $0 { .some(position) } else { nil }
        }
    }

    @Test func `the age of a position is stored when it is measured, lost and left`() {
        let start = Rig.moment(0).wallMilliseconds
        var rig = Self.rig()
        for _ in 0..<5 { rig.happens(Self.estimate(), after: 1000) }
        #expect(Self.records(rig) == [.held(since: start + 1000)])
        for _ in 0..<5 { rig.happens(Self.estimate(.lost, heard: nil), after: 5000) }
        #expect(Self.records(rig).dropFirst() == [.ended(at: start + 5000)])
        rig.happens(Self.estimate(), after: 1000)
        rig.happens(.stopBegun, after: 500)
        #expect(
            Self.records(rig).dropFirst(2)
                == [.held(since: start + 31_000), .ended(at: start + 31_000)]
        )
    }

    @Test func `after a restart an old position counts for nothing, and the device was seen when it was`() {
        let seen = Rig.moment(0).wallMilliseconds - 60_000
        let rig = Self.rig { $0.positions[House.home] = .ended(at: seen) }
        #expect(Self.isNowhere(rig))
        #expect(rig.state.seenAt?.wallMilliseconds == seen)
    }

    @Test func `after a restart a position counts until it is a minute old`() {
        let seen = Rig.moment(0).wallMilliseconds - 20_000
        var rig = Self.rig { $0.positions[House.home] = .ended(at: seen) }
        #expect(rig.state.zoneID == House.kitchen)
        #expect(rig.effects.contains(.startTimer(.presenceLost, milliseconds: 40_000)))
        rig.happens(.timerFired(.presenceLost), after: 40_000)
        #expect(Self.isNowhere(rig))
    }

    @Test func `after a run that was killed a position counts for a minute`() {
        let seen = Rig.moment(0).wallMilliseconds - 3_600_000
        let rig = Self.rig { $0.positions[House.home] = .held(since: seen) }
        #expect(rig.state.zoneID == House.kitchen)
        #expect(rig.effects.contains(.startTimer(.presenceLost, milliseconds: 60_000)))
    }

    @Test func `after a restart a device that is heard stays where it is, without an event`() {
        let seen = Rig.moment(0).wallMilliseconds - 20_000
        var rig = Self.rig { $0.positions[House.home] = .ended(at: seen) }
        #expect(rig.happens(Self.estimate(), after: 1000).eventNames == [])
        #expect(rig.happens(.timerFired(.presenceLost), after: 60_000).eventNames == [])
        #expect(rig.state.zoneID == House.kitchen)
    }

    @Test func `a position that was set by hand has no age`() {
        var rig = Self.rig { $0.positions[House.home] = .ended(at: 0) }
        rig.command(.setDevice(.init(position: Point3D(x: 6, y: 2.5))))
        rig.serve()
        #expect(Self.records(rig) == [nil])
    }

    // MARK: When it was seen

    @Test func `a device was seen when it was reported last, and not when its position was estimated`() {
        var rig = Self.rig()
        rig.happens(Self.estimate(), after: 10_000)
        rig.happens(Self.estimate(heard: 4), after: 4000)
        #expect(rig.state.seenAt == Rig.moment(10_000), "of that report 4 s ago")
        rig.happens(Self.estimate(.coarse, heard: nil), after: 4000)
        rig.happens(Self.estimate(.lost, heard: nil), after: 70_000)
        #expect(rig.state.seenAt == Rig.moment(10_000))
    }
}
