import Accounts
import Bindings
import Controller
import Flare
import JSON
import Positioning
import Rules
import Testing
import Things
import Threading

@testable import Daemon

/// Things at the edge, beacons, and chains of changes.
@Suite struct RuleEdgeTests {
    private let lamp = RuleBench.lamp
    private let fan = RuleBench.fan

    @Test func `each upload of a thing at the edge is a write, and its copy at the server is none`() {
        var bench = RuleBench()
        bench.send(.edge(lamp.id, .routed(EdgeRoute(commandSeconds: 60))))
        bench.load(RuleBench.follow(lamp, by: fan, edge: .isTrue))
        for _ in 0..<2 { bench.send(.uploaded(lamp.id, ["on": true])) }
        #expect(bench.fired == [1, 1] && bench.isOn(lamp) == true)
        bench.send(.uploaded(lamp.id, ["brightness": 0.1]))
        #expect(bench.fired == [1, 1])
    }

    @Test func `conditions see an upload before the server has stored it`() {
        var bench = RuleBench()
        bench.server.isBusy = true
        bench.send(.edge(lamp.id, .routed(EdgeRoute(commandSeconds: 60))))
        var rule = RuleBench.follow(lamp, by: fan)
        rule.conditions = [.state(RuleBench.reference(lamp), .equals("on", true))]
        bench.load(rule)
        bench.send(.uploaded(lamp.id, ["on": true]))
        #expect(bench.fired == [1] && bench.isOn(lamp) == false)
    }

    /// Switches the fan on when the lamp has another address.
    private var ofAddress: Rule {
        Rule(
            "Moved",
            when: [.device(DeviceTrigger(RuleBench.reference(lamp), .addressChanged))],
            then: [RuleAction(.drive(.set(["state": "ON"]), .thing(RuleBench.reference(fan))))]
        )
    }

    @Test func `an upload from another address than the last one is a new address of the thing`() {
        var bench = RuleBench()
        bench.send(.edge(lamp.id, .routed(EdgeRoute(commandSeconds: 60))))
        bench.load(ofAddress)
        for address in ["192.0.2.1", "192.0.2.1", nil] {
            bench.send(.uploaded(lamp.id, ["on": true], from: address))
        }
        #expect(bench.fired.isEmpty)
        bench.send(.uploaded(lamp.id, ["on": true], from: "192.0.2.2"))
        #expect(bench.fired == [1])
        bench.send(.uploaded(lamp.id, [:], from: "192.0.2.1"))
        #expect(bench.fired == [1, 1])
    }

    @Test func `the address that a thing says itself counts, and not that of its uploads`() {
        var bench = RuleBench()
        bench.send(.edge(lamp.id, .routed(EdgeRoute(commandSeconds: 60))))
        bench.load(ofAddress)
        bench.send(.uploaded(lamp.id, ["ip": "10.0.0.1"], from: "192.0.2.1"))
        bench.send(.uploaded(lamp.id, ["ip": "10.0.0.1"], from: "192.0.2.2"))
        bench.send(.uploaded(lamp.id, ["on": true], from: "192.0.2.3"))
        #expect(bench.fired.isEmpty)
        bench.send(.uploaded(lamp.id, ["ip": "10.0.0.2"], from: "192.0.2.3"))
        #expect(bench.fired == [1])
    }

    @Test func `a change while a command waits is of its chain`() {
        var chains = RuleChains()
        #expect(chains.chain(to: lamp.id, isMoving: false, at: 0).isEmpty)
        chains.begin([lamp.id], [1, 2, 3])
        #expect(chains.chain(to: lamp.id, isMoving: false, at: 0) == [1, 2, 3])
        chains.end([lamp.id], hasEffect: true, at: 10)
        #expect(chains.chain(to: lamp.id, isMoving: false, at: 20).isEmpty)
    }

    @Test func `the first change after an answer is of the chain of its command`() {
        var chains = RuleChains()
        chains.begin([lamp.id], [1, 2, 3])
        chains.end([lamp.id], hasEffect: true, at: 10)
        #expect(chains.chain(to: fan.id, isMoving: false, at: 10).isEmpty)
        #expect(chains.chain(to: lamp.id, isMoving: false, at: 20) == [1, 2, 3])
        #expect(chains.chain(to: lamp.id, isMoving: false, at: 20).isEmpty)
    }

    @Test func `a change long after an answer, or after a refusal, comes from outside`() {
        var chains = RuleChains()
        chains.begin([lamp.id], [1, 2, 3])
        chains.end([lamp.id], hasEffect: false, at: 10)
        #expect(chains.chain(to: lamp.id, isMoving: false, at: 10).isEmpty)
        chains.begin([lamp.id], [1, 2, 3])
        chains.end([lamp.id], hasEffect: true, at: 10)
        #expect(chains.chain(to: lamp.id, isMoving: false, at: 11 + RuleChains.patience).isEmpty)
    }

    @Test func `all changes of a transition are of its chain`() {
        var chains = RuleChains()
        chains.begin([lamp.id], [1, 2])
        chains.end([lamp.id], hasEffect: true, at: 0)
        for time in [1000, 2500, 4000] as [Int64] {
            #expect(chains.chain(to: lamp.id, isMoving: true, at: time) == [1, 2])
        }
        #expect(chains.chain(to: lamp.id, isMoving: false, at: 4500) == [1, 2])
        #expect(chains.chain(to: lamp.id, isMoving: false, at: 4501).isEmpty)
    }

    // MARK: Beacons

    private static let uuid = "01020304-0506-0708-090A-0B0C0D0E0F10"

    @Test func `the beacons that rules name are passed on once a second, or when stronger`() throws {
        let (now, heard) = (Locked<Int64>(0), Locked<[Int]>([]))
        let beacons = RuleBeacons(clock: { now.withLock { $0 } }) { _, rssi in
            heard.withLock { $0.append(rssi) }
        }
        let identity = BeaconIdentity(uuid: try #require(BeaconUUID(Self.uuid)), major: 1, minor: 2)
        func hear(_ rssi: Int, at time: Int64) {
            now.withLock { $0 = time }
            beacons.hear(BeaconSighting(identity: identity, rssi: rssi, time: 0))
        }
        hear(-70, at: 0)
        #expect(heard.withLock { $0 }.isEmpty)
        beacons.use([try #require(BeaconName(uuid: Self.uuid))])
        for (rssi, time) in [(-70, 0), (-80, 100), (-60, 200), (-90, 1300), (127, 9000)] as [(Int, Int64)] {
            hear(rssi, at: time)
        }
        #expect(heard.withLock { $0 } == [-70, -60, -90])
        beacons.use([try #require(BeaconName(uuid: Self.uuid, major: 9))])
        hear(-70, at: 20_000)
        #expect(heard.withLock { $0 }.count == 3)
    }

    @Test func `a rule of a beacon fires when it comes, and the sensor's rest tells nothing`() throws {
        let name = try #require(BeaconName(uuid: Self.uuid, major: 1, minor: 2))
        let place = RulePlace.beacon(RuleBeacon(name, gone: 60))
        let rule = Rule(
            "Beacon",
            when: [.exit(place)],
            then: [RuleAction(.drive(.set(["state": "ON"]), .thing(RuleBench.reference(fan))))]
        )
        var bench = RuleBench()
        bench.load(rule)
        #expect(bench.rules.beacons == [name])
        bench.send(.beacon(name, rssi: -70))
        bench.pass(milliseconds: 59_000)
        #expect(bench.fired.isEmpty)
        bench.pass(milliseconds: 1000)
        #expect(bench.fired == [1])
    }
}
