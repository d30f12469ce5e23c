import Accounts
import Bindings
import Controller
import Flare
import JSON
import People
import Rules
import Testing
import Things

@testable import Daemon

/// Where the device is, and its level, as rules in a node get to know them.
@Suite struct RulePlaceTests {
    private let lamp = RuleBench.lamp
    private let fan = RuleBench.fan

    // MARK: Zones

    private static let kitchen = RuleBench.kitchen
    private static let inAndOut = RuleBench.rule(.enter(.zone(kitchen)), .exit(.zone(kitchen)))

    @Test func `a rule fires on coming into a zone, and on going out`() {
        var bench = RuleBench(decider: .server)
        bench.load(Self.inAndOut)
        bench.enter()
        bench.enter()
        #expect(bench.whys == ["enter zone:kitchen"] && bench.isOn(RuleBench.heater) == true)
        bench.leave()
        bench.leave()
        #expect(bench.whys == ["enter zone:kitchen", "exit zone:kitchen"])
    }

    @Test func `who goes from one zone into another leaves the first one before`() {
        var hall = FlareZone(id: FlareID(high: 2, low: 3))
        (hall.name, hall.environment) = ("Hall", TestPlace.home)
        var bench = RuleBench(decider: .server, isLinked: false)
        bench.server.zones.append(hall)
        bench.send(.flare(.linkUp))
        bench.load(RuleBench.rule(.exit(.zone(Self.kitchen)), .enter(.zone(RuleReference(.zone, hall.id)))))
        bench.enter()
        bench.enter(hall.id)
        #expect(bench.whys == ["exit zone:kitchen", "enter zone:hall"])
    }

    @Test func `where the device is when the place is read is no event, and what follows is`() {
        var bench = RuleBench(decider: .server, isLinked: false)
        (bench.server.zone, bench.server.nearest) = (TestPlace.kitchen, lamp.id)
        bench.load(
            Self.inAndOut,
            RuleBench.rule(.near(RuleBench.reference(lamp)), .far(RuleBench.reference(lamp)))
        )
        bench.send(.flare(.linkUp))
        #expect(bench.controller.state.zoneID == TestPlace.kitchen && bench.fired.isEmpty)
        bench.leave()
        bench.depart(from: lamp)
        #expect(bench.whys == ["exit zone:kitchen", "far lamp"])
    }

    // MARK: Things

    @Test func `a rule fires when a thing is near, and when another one is`() {
        var bench = RuleBench(decider: .server)
        bench.load(RuleBench.rule(.near(RuleBench.reference(lamp)), .far(RuleBench.reference(lamp))))
        bench.approach(lamp)
        bench.approach(lamp)
        #expect(bench.whys == ["near lamp"])
        bench.approach(fan)
        #expect(bench.whys == ["near lamp", "far lamp"])
        bench.depart(from: fan)
        #expect(bench.fired.count == 2)
    }

    @Test func `what is near drives the thing that is near`() {
        let on = RuleAction(.drive(.set(["state": "ON"]), .nearby))
        let kitchen = Self.kitchen
        var bench = RuleBench(decider: .server)
        bench.load(Rule("Nearby", when: [.enter(.zone(kitchen))], then: [on]))
        bench.approach(fan)
        bench.enter()
        #expect(bench.isOn(fan) == true && bench.isOn(lamp) == false && bench.outcomes == [.done])
    }

    // MARK: Conditions

    @Test func `conditions ask for the zone, for what is near, and for the level`() {
        let trigger = RuleTrigger.state(
            StateTrigger(RuleBench.reference(lamp), .clause(.equals("on", true)))
        )
        var bench = RuleBench(decider: .server)
        bench.load(
            RuleBench.rule(trigger, if: [.zone([Self.kitchen])]),
            RuleBench.rule(trigger, if: [.near([RuleBench.reference(fan)])]),
            RuleBench.rule(trigger, if: [.level([.active])])
        )
        var count = 0
        /// The rules that the lamp starts now.
        func started() -> [Int] {
            for isOn in [true, false] { bench.set(["on": .bool(isOn)], of: lamp) }
            defer { count = bench.fired.count }
            return Array(bench.fired.dropFirst(count))
        }
        #expect(started().isEmpty)
        bench.enter()
        #expect(started() == [1])
        bench.approach(fan)
        #expect(started() == [1, 2])
        bench.send(.displayChanged(id: "mqtt/wall", .visible))
        #expect(started() == [1, 2, 3])
        bench.approach(lamp)
        #expect(started() == [1, 3])
        bench.leave()
        bench.depart(from: lamp)
        #expect(started().isEmpty)
    }

    @Test func `a condition sees what the event that starts the rule has changed`() {
        var bench = RuleBench(decider: .server)
        bench.send(.displayChanged(id: "mqtt/wall", .visible))
        bench.load(
            RuleBench.rule(.near(RuleBench.reference(lamp)), if: [.level([.active])]),
            RuleBench.rule(.enter(.zone(Self.kitchen)), if: [.zone([Self.kitchen])])
        )
        bench.approach(lamp)
        bench.enter()
        #expect(bench.fired == [1, 2])
    }

    // MARK: The lifecycle

    @Test func `a level is reached after its calls, and a level that stays is no event`() {
        var bench = RuleBench(decider: .server)
        bench.load(
            RuleBench.rule(.level(.active), .level(.limited), .call(.applicationDidBecomeActive)),
            RuleBench.rule(.call(.applicationDidFinishLaunching), .level(.background))
        )
        bench.send(.displayChanged(id: "mqtt/wall", .visible))
        #expect(bench.whys == ["level Limited"])
        bench.approach(lamp)
        #expect(Array(bench.whys.dropFirst()) == ["call applicationDidBecomeActive", "level Active"])
        bench.approach(fan)
        bench.send(.displayChanged(id: "mqtt/hall", .visible))
        #expect(bench.whys.count == 3)
        bench.send(.displayChanged(id: "mqtt/wall", .gone))
        bench.send(.displayChanged(id: "mqtt/hall", .gone))
        #expect(Array(bench.whys.dropFirst(3)) == ["level Background"])
    }

    private func set(_ change: SetLifecycle, in bench: inout RuleBench) {
        let command = Command(
            ticket: 1,
            operation: Command.Operation(change),
            caller: .user(RuleBench.maker)
        )
        bench.send(.commandReceived(command))
    }

    @Test func `calls of audio and of the context fire, each when it is made`() {
        var bench = RuleBench()
        bench.load(
            RuleBench.rule(
                .call(.applicationDidBecomeAudible),
                .call(.applicationDidEnterMenu),
                .call(.applicationDidEnterMainContext)
            )
        )
        for change in [SetLifecycle.audio(.audible), .audio(.audible), .context(.menu), .context(.main)] {
            set(change, in: &bench)
        }
        #expect(
            bench.whys == [
                "call applicationDidBecomeAudible", "call applicationDidEnterMenu",
                "call applicationDidEnterMainContext",
            ]
        )
    }

    @Test func `a level by command is reached, and its calls are made`() {
        var bench = RuleBench()
        bench.load(RuleBench.rule(.call(.applicationDidClose), .level(.notRunning)))
        set(.level(.notRunning), in: &bench)
        #expect(bench.whys == ["call applicationDidClose", "level NotRunning"])
    }

    @Test func `a language that a command chooses is a call, and one that a reload brings is none`() {
        var lifecycle = Lifecycle.Settings()
        lifecycle.languages = ["en-US", "de-DE"].map { Lifecycle.Language(tag: $0) }
        lifecycle.startLanguage = "en-US"
        var settings = ControllerConfiguration()
        settings.slices = Slices([Lifecycle(lifecycle), BindingsSlice(), RulesSlice()])
        var bench = RuleBench()
        bench.load(RuleBench.rule(.call(.shouldUpdateLifecycleConfigurationToLanguage)))
        bench.send(.configurationApplied(settings))
        #expect(bench.controller.state.lifecycle.language?.tag == "en-US" && bench.fired.isEmpty)
        for tag in ["de-DE", "de-de"] { set(.language(tag), in: &bench) }
        #expect(bench.whys == ["call shouldUpdateLifecycleConfigurationToLanguage"])
    }
}
