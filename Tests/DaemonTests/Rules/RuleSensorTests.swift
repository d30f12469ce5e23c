import Accounts
import Bindings
import Controller
import Flare
import JSON
import People
import Positioning
import Rules
import Testing
import Things

@testable import Daemon

/// Sensors, connections, and commands with results: what happens around a node, as its rules get to know it.
@Suite struct RuleSensorTests {
    private let lamp = RuleBench.lamp
    private let fan = RuleBench.fan

    // MARK: Geofences

    /// 0.001 degrees of latitude are 111 m.
    private static let geofence: Rule = {
        let circle = RuleCircle(centre: GeoPoint(latitude: 52, longitude: 13), radius: 100)
        return RuleBench.rule(.enter(.circle(circle)), .exit(.circle(circle)))
    }()

    @Test func `a fix enters and leaves a geofence, and the first one is no event`() {
        var bench = RuleBench()
        bench.load(Self.geofence)
        bench.locate(52.01, 13)
        bench.locate(52.0005, 13)
        bench.locate(52.00105, 13)
        #expect(bench.whys == ["enter geofence"])
        bench.locate(52.01, 13)
        bench.locate(52.02, 13)
        #expect(bench.whys == ["enter geofence", "exit geofence"])
    }

    @Test func `a fix that may be far off leaves no geofence`() {
        var bench = RuleBench()
        bench.load(Self.geofence)
        bench.locate(52, 13)
        bench.locate(52.002, 13, accuracy: 150)
        #expect(bench.fired.isEmpty)
        bench.locate(52.002, 13, accuracy: nil)
        #expect(bench.whys == ["exit geofence"])
    }

    @Test func `without GPS, and with a fix that is none, nothing is known of the place`() throws {
        var bench = RuleBench()
        bench.load(Self.geofence)
        bench.locate(52.01, 13)
        bench.locate(52, 13)
        try bench.turn(.gps, false)
        bench.locate(52.01, 13)
        #expect(bench.whys == ["enter geofence"])
        try bench.turn(.gps, true)
        bench.locate(.nan, 13)
        bench.locate(91, 13)
        bench.pass(milliseconds: 86_400_000)
        #expect(bench.whys == ["enter geofence"])
        bench.locate(52.01, 13)
        #expect(bench.whys == ["enter geofence", "exit geofence"])
    }

    // MARK: Beacons

    private static let uuid = BeaconUUID(high: 1, low: 2)
    private static let packet = BeaconSighting(
        identity: BeaconIdentity(uuid: uuid, major: 1, minor: 2),
        rssi: -60,
        time: 0
    )

    private func beaconRule() throws -> Rule {
        let group = try #require(BeaconName(uuid: Self.uuid.description, major: 1))
        let beacon = RulePlace.beacon(RuleBeacon(group, rssi: -70, gone: 30))
        return RuleBench.rule(.enter(beacon), .exit(beacon))
    }

    @Test func `a packet enters the range of a beacon, and silence leaves it`() throws {
        var bench = RuleBench()
        bench.load(try beaconRule())
        let ear = BeaconEar(bench)
        bench.pass(milliseconds: 30_000)
        var weak = Self.packet
        weak.rssi = -71
        ear.hear(weak, in: &bench)
        let other = BeaconIdentity(uuid: Self.uuid, major: 2, minor: 2)
        ear.hear(BeaconSighting(identity: other, rssi: -40, time: 0), in: &bench)
        #expect(bench.fired.isEmpty)
        ear.hear(Self.packet, in: &bench)
        bench.pass(milliseconds: 20_000)
        ear.hear(Self.packet, in: &bench)
        bench.pass(milliseconds: 29_999)
        #expect(bench.whys == ["enter beacon"])
        bench.pass(milliseconds: 1)
        #expect(bench.whys == ["enter beacon", "exit beacon"])
    }

    @Test func `while beacons are not heard at all, none has gone`() throws {
        var bench = RuleBench()
        bench.load(try beaconRule())
        let ear = BeaconEar(bench)
        ear.hear(Self.packet, in: &bench)
        try bench.turn(.beacons, false)
        bench.pass(milliseconds: 86_400_000)
        try bench.turn(.beacons, true)
        bench.pass(milliseconds: 29_999)
        #expect(bench.fired.isEmpty)
        bench.pass(milliseconds: 1)
        #expect(bench.whys == ["exit beacon"])
    }

    @Test func `a rule that is made while beacons are not heard waits until they are`() throws {
        var bench = RuleBench()
        try bench.turn(.beacons, false)
        bench.load()
        bench.send(.added(RuleBench.loaded(1, try beaconRule()), RuleCalendar()))
        bench.pass(milliseconds: 86_400_000)
        try bench.turn(.beacons, true)
        // The first packet since then is the first sight.
        BeaconEar(bench).hear(Self.packet, in: &bench)
        #expect(bench.fired.isEmpty)
        bench.pass(milliseconds: 30_000)
        #expect(bench.whys == ["exit beacon"])
    }

    @Test func `while the level stops the sensors, nothing is left`() throws {
        var lifecycle = Lifecycle.Settings()
        lifecycle.backgroundSensors = []
        var settings = ControllerConfiguration()
        settings.slices = Slices([Lifecycle(lifecycle), BindingsSlice(), RulesSlice()])
        var bench = RuleBench()
        bench.send(.configurationApplied(settings))
        bench.load(try beaconRule(), Self.geofence)
        BeaconEar(bench).hear(Self.packet, in: &bench)
        bench.locate(52, 13)
        bench.send(.timerFired(.sensorGrace))
        bench.locate(52.01, 13)
        bench.pass(milliseconds: 86_400_000)
        #expect(!bench.controller.state.isRunning(.beacons) && bench.fired.isEmpty)
        bench.send(.displayChanged(id: "mqtt/wall", .visible))
        bench.pass(milliseconds: 29_999)
        #expect(bench.controller.state.isRunning(.beacons) && bench.fired.isEmpty)
        bench.pass(milliseconds: 1)
        bench.locate(52.01, 13)
        #expect(bench.whys == ["exit beacon", "exit geofence"])
    }

    // MARK: Connections

    private func device(_ event: DeviceTrigger.Event) -> RuleTrigger {
        .device(DeviceTrigger(RuleBench.reference(lamp), event))
    }

    @Test func `a loss that lasts fires, and so does a return that lasts`() {
        var bench = RuleBench()
        bench.load(RuleBench.rule(device(.connectionLost), device(.connectionRestored)))
        bench.connect(lamp)
        bench.connect(lamp, false)
        bench.pass(milliseconds: 299_999)
        bench.connect(lamp)
        bench.pass(milliseconds: 600_000)
        #expect(bench.fired.isEmpty)
        bench.connect(lamp, false)
        bench.connect(fan, false)
        bench.pass(milliseconds: 299_999)
        #expect(bench.fired.isEmpty)
        bench.pass(milliseconds: 1)
        #expect(bench.whys == ["device lamp on_connection_lost"])
        bench.connect(lamp)
        bench.pass(milliseconds: 299_999)
        #expect(bench.fired.count == 1)
        bench.pass(milliseconds: 1)
        #expect(Array(bench.whys.dropFirst()) == ["device lamp on_connection_restore"])
    }

    @Test func `a thing that connects fires at once, but not when it is heard of first`() {
        var bench = RuleBench()
        bench.load(RuleBench.rule(device(.connected)))
        bench.connect(lamp)
        bench.send(.conditionChanged(lamp.id, nil))
        bench.connect(lamp)
        #expect(bench.fired.isEmpty)
        bench.connect(lamp, false)
        bench.connect(lamp)
        #expect(bench.whys == ["device lamp on_connect"])
    }

    @Test func `another address in the data fires`() {
        var bench = RuleBench()
        bench.load(RuleBench.rule(device(.addressChanged)))
        for address in ["192.0.2.1", "192.0.2.1", "192.0.2.2"] {
            bench.set(["ip": .string(address)], of: lamp)
        }
        bench.set(["brightness": 0.7], of: lamp)
        #expect(bench.whys == ["device lamp ip_change"])
    }

    @Test func `an address that a thing at the edge uploads fires once`() {
        var bench = RuleBench()
        bench.send(.edge(lamp.id, .routed(EdgeRoute(commandSeconds: 60))))
        bench.load(RuleBench.rule(device(.addressChanged)))
        for address in ["192.0.2.1", "192.0.2.1", "192.0.2.2", "192.0.2.2"] {
            bench.send(.uploaded(lamp.id, ["ip": .string(address)]))
        }
        #expect(bench.whys == ["device lamp ip_change"])
    }

    // MARK: Commands with results

    private func commanding(_ actions: [CommandAction]) -> Rule {
        let command = RuleCommand(CommandRequest(actions))
        var rule = RuleBench.follow(lamp, by: fan)
        rule.actions = [
            RuleAction(.drive(.command(command), .thing(RuleBench.reference(fan)))),
            RuleAction(.drive(.set(["state": "ON"]), .thing(RuleBench.reference(RuleBench.heater)))),
        ]
        return rule
    }

    @Test func `a command of a rule has a result for each action, and the next action follows it`() throws {
        let bound = BindingsSlice.Bound(BindingID(high: 1, low: 1), thing: fan.id, isOwned: true)
        var bench = RuleBench()
        bench.send(BindingsSlice.event(.bindings([bound])))
        bench.load(
            commanding([
                CommandAction("brightness", 0.7), CommandAction("nothing", 3), CommandAction("state", "ON"),
            ])
        )
        bench.server.isBusy = true
        bench.set(["on": true], of: lamp)
        let begun = try #require(bench.commands.last)
        #expect(begun.target == fan.id && begun.source == "rule:1")
        #expect(begun.command.issuer == .user(RuleBench.maker) && begun.command.results == [nil, nil, nil])
        // The heater waits for the end of the command.
        for _ in 0..<10 where bench.outcomes.isEmpty {
            #expect(bench.isOn(RuleBench.heater) == false)
            bench.reply()
        }
        let ended = try #require(bench.commands.last?.command)
        #expect(ended.results.map { $0?.isSucceeded } == [true, false, true])
        #expect(bench.isOn(fan) == true && bench.isOn(RuleBench.heater) == true)
        // One of its actions failed, so the command has ended incomplete.
        #expect(bench.outcomes == [.failed] && bench.unanswered.isEmpty)
        #expect(bench.failures == [["unknown_attribute"]])
        guard case .ended(_, _, let results, _)? = bench.records.last(where: \.isEnd) else {
            Issue.record("the firing has no end")
            return
        }
        #expect(results.contains("nothing: "), "\(results)")
    }

    @Test func `a command for a thing that nobody owns fails, and the next action follows`() {
        var bench = RuleBench()
        bench.load(commanding([CommandAction("state", "ON")]))
        bench.set(["on": true], of: lamp)
        #expect(bench.failures == [["not_onboarded"]] && bench.commands.isEmpty)
        #expect(bench.isOn(fan) == false && bench.isOn(RuleBench.heater) == true)
    }
}

extension RuleRecord {
    fileprivate var isEnd: Bool { if case .ended = self { true } else { false } }
}
