import CommandFixture
import Controller
import Flare
import JSON
import Testing
import Things

/// Rule 8: the lifecycle follows the link, the place, the displays and what is near; sensors follow it.
@Suite struct LifecycleRuleTests {
    private func configuration(
        _ change: (inout Lifecycle.Settings) -> Void = { _ in }
    ) -> ControllerConfiguration {
        var configuration = ControllerConfiguration()
        change(&configuration.lifecycle)
        return configuration
    }

    private func near(_ rig: inout Rig) -> [ControllerEffect] {
        rig.notice(.near(thing: House.lamp, device: House.homeDevice, distance: 1))
    }

    @Test func `a start publishes each call, and logs it`() {
        var rig = Rig()
        let linked = rig.happens(.flare(.linkUp))
        #expect(linked.calls == ["applicationDidConnect"])
        #expect(rig.state.lifecycle.level == .notRunning)
        let served = rig.serve()
        #expect(served.calls == ["applicationDidFinishLaunching", "applicationDidEnterBackground"])
        #expect(rig.state.lifecycle.level == .background)
        #expect(rig.state.lifecycle.since == Rig.moment(0))
        let logged = (linked + served).compactMap {
            if case .remember(.slice(let record)) = $0, let call = record.value as? Lifecycle.LoggedCall {
                "\(call.transition.call.rawValue) \(call.transition.from) \(call.transition.to) "
                    + "\(call.at == Rig.moment(0))"
            } else {
                nil
            }
        }
        #expect(
            logged == [
                "applicationDidConnect Disconnected NotRunning true",
                "applicationDidFinishLaunching NotRunning Background true",
                "applicationDidEnterBackground NotRunning Background true",
            ]
        )
    }

    @Test func `an event names the call, its notification, and both states`() {
        var rig = Rig()
        let event = rig.happens(.flare(.linkUp)).allEvents.first { $0.topic == .lifecycle }
        #expect(event?.type == "applicationDidConnect")
        #expect(
            event?.details == [
                "call": "applicationDidConnect", "notification": "SDLApplicationDidConnect",
                "from": "Disconnected", "to": "NotRunning",
            ]
        )
        #expect(event?.cause == ChangeEvent.Cause("link"))
    }

    @Test func `a visible display with a thing near is active, without one limited`() {
        var rig = Rig.atHome()
        #expect(rig.happens(.displayChanged(id: "a", .hidden)).calls == ["applicationDidBecomeLimited"])
        #expect(rig.happens(.displayChanged(id: "a", .visible)).calls == [])
        #expect(near(&rig).calls == ["applicationDidBecomeActive"])
        #expect(rig.state.lifecycle.level == .active)
        #expect(rig.happens(.displayChanged(id: "a", .gone)).calls == ["applicationDidEnterBackground"])
    }

    @Test func `with active_when display nothing needs to be near`() {
        var rig = Rig.atHome(configuration { $0.activeWhen = .display })
        #expect(rig.happens(.displayChanged(id: "a", .visible)).calls == ["applicationDidBecomeActive"])
    }

    @Test func `a level by command holds until auto, and its answer names it`() {
        var rig = Rig.atHome()
        let forced = rig.command(.setLifecycle(.level(.active)), tx: 7)
        #expect(forced.calls == ["applicationDidBecomeActive"])
        #expect(forced.answers.first?.accepted == ["level": "FULL"])
        #expect(forced.answers.first?.target == .init(kind: "lifecycle", slug: "level"))
        #expect(forced.allEvents.first?.cause == ChangeEvent.Cause("command", tx: 7))
        #expect(rig.happens(.displayChanged(id: "a", .hidden)).calls == [])
        #expect(rig.command(.setLifecycle(.level(nil))).calls == ["applicationDidBecomeLimited"])
    }

    @Test func `without a link a forced level is disconnected`() {
        var rig = Rig.atHome()
        rig.command(.setLifecycle(.level(.active)))
        #expect(rig.lose().calls == ["applicationDidDisconnect"])
        #expect(rig.state.lifecycle.level == .disconnected)
        #expect(
            rig.happens(.flare(.linkUp)).calls == [
                "applicationDidConnect", "applicationDidFinishLaunching", "applicationDidBecomeActive",
            ]
        )
    }

    @Test func `another environment is one place after the other, not an application that closes`() {
        var rig = Rig.atHome()
        let chosen = rig.command(.chooseEnvironment(.named("office"))) + rig.serve()
        #expect(rig.state.environmentID == House.office)
        #expect(chosen.calls == [])
        #expect(rig.state.lifecycle.level == .background)
    }

    @Test func `an unknown language is refused, and nothing is published`() {
        let german = Lifecycle.Language(
            tag: "de-DE",
            appName: "Dreiseit",
            shortAppName: "3",
            spokenName: "drei"
        )
        var rig = Rig.atHome(configuration { $0.languages = [german] })
        let before = rig.state
        let refused = rig.command(.setLifecycle(.language("fr-FR")))
        #expect(refused.codes == [.unknownLanguage])
        #expect(refused.answers.first?.refusal?.message.contains("supported: de-DE") == true)
        #expect(refused.calls == [])
        #expect(rig.state == before)
        let accepted = rig.command(.setLifecycle(.language("de-de")))
        #expect(
            accepted.answers.first?.accepted == [
                "language": "de-DE", "app_name": "Dreiseit", "short_app_name": "3", "spoken_name": "drei",
            ]
        )
        #expect(accepted.calls == ["shouldUpdateLifecycleConfigurationToLanguage"])
        #expect(rig.command(.setLifecycle(.language("de-DE"))).calls == [], "it is that already")
    }

    @Test func `more displays than are counted raise an alert, until one has gone`() {
        var rig = Rig.atHome()
        for number in 0...Lifecycle.maximumDisplays { rig.happens(.displayChanged(id: "\(number)", .hidden)) }
        #expect(rig.state.alerts["displays"] != nil)
        rig.happens(.displayChanged(id: "3", .gone))
        #expect(rig.state.alerts["displays"] == nil)
    }

    // MARK: Sensors

    private func switched(_ effects: [ControllerEffect]) -> [String] {
        effects.compactMap {
            if case .switchSensor(let sensor, let on) = $0 {
                "\(sensor.rawValue) \(on ? "on" : "off")"
            } else {
                nil
            }
        }
    }

    @Test func `sensors stop 30 s after the link, and start when it returns`() {
        var rig = Rig.atHome()
        let lost = rig.lose()
        #expect(lost.contains(.startTimer(.sensorGrace, milliseconds: 30_000)))
        #expect(switched(lost) == [])
        let stopped = rig.happens(.timerFired(.sensorGrace), after: 30_000)
        #expect(switched(stopped) == ["gps off", "beacons off", "cmx off", "compass off"])
        #expect(rig.state.suspendedSensors == Set(SensorKind.allCases))
        #expect(rig.state.sensors[.beacons] == true, "what the user has switched stays")
        let found = rig.happens(.flare(.linkUp))
        #expect(switched(found) == ["gps on", "beacons on", "cmx on", "compass on"])
        let requests = found.requests.filter { $0 == .loadPlace(environment: House.home) }
        #expect(requests.count == 1, "the place is read once")
    }

    @Test func `a short interruption stops no sensor`() {
        var rig = Rig.atHome()
        rig.lose()
        let found = rig.happens(.flare(.linkUp), after: 2000)
        #expect(found.contains(.stopTimer(.sensorGrace)))
        #expect(switched(found) == [])
        #expect(rig.happens(.timerFired(.sensorGrace)).isEmpty)
        #expect(rig.state.suspendedSensors.isEmpty)
    }

    @Test func `a closed application stops all sensors, and opened again it reads the place`() {
        var rig = Rig.atHome()
        rig.command(.setLifecycle(.level(.notRunning)))
        #expect(
            switched(rig.happens(.timerFired(.sensorGrace), after: 30_000)) == [
                "gps off", "beacons off", "cmx off", "compass off",
            ]
        )
        let opened = rig.command(.setLifecycle(.level(nil)))
        #expect(switched(opened) == ["gps on", "beacons on", "cmx on", "compass on"])
        #expect(opened.requests == [.loadPlace(environment: House.home)])
    }

    @Test func `GPS looks for a place where there is none`() {
        var server = HouseServer()
        server.environments = []
        var rig = Rig(server: server)
        rig.happens(.flare(.linkUp))
        rig.serve()
        #expect(
            switched(rig.happens(.timerFired(.sensorGrace), after: 30_000)) == [
                "beacons off", "cmx off", "compass off",
            ]
        )
    }

    @Test func `in the background the sensors of the configuration run`() {
        var rig = Rig.atHome(configuration { $0.backgroundSensors = [.compass] })
        let stopped = rig.happens(.timerFired(.sensorGrace), after: 30_000)
        #expect(switched(stopped) == ["gps off", "beacons off", "cmx off"])
        #expect(rig.happens(House.estimate(1, 1)).isEmpty)
        #expect(
            switched(rig.happens(.displayChanged(id: "a", .hidden))) == ["gps on", "beacons on", "cmx on"]
        )
    }

    @Test func `an explanation says that beacons are stopped`() {
        var rig = Rig.atHome(configuration { $0.backgroundSensors = [] })
        rig.happens(House.estimate(1, 1))
        rig.happens(.timerFired(.sensorGrace), after: 30_000)
        let answer = rig.command(.explain(.zone)).answers.first
        let text = answer?.data?["text"]?.string ?? ""
        #expect(text.contains("stopped in level BACKGROUND of the lifecycle"), "\(text)")
    }

    @Test func `a sensor that is switched on while it is suspended starts with the level`() {
        var rig = Rig.atHome(configuration { $0.backgroundSensors = [] })
        rig.command(.switchSensor(.compass, on: false))
        rig.happens(.timerFired(.sensorGrace), after: 30_000)
        let on = rig.command(.switchSensor(.compass, on: true))
        #expect(switched(on) == [])
        #expect(on.codes == [nil])
        #expect(switched(rig.happens(.displayChanged(id: "a", .hidden))).contains("compass on"))
    }

    // MARK: Policy

    @Test func `what a place consists of is made and removed at any level`() {
        var rig = Rig.atHome(configuration { $0.controlLevels = [] })
        rig.controller.policies = [LevelPolicy()]
        var edit = ObjectEdit()
        edit.name = "Cellar"
        for order in [
            Command.Operation.add(.environment, edit, to: nil), .add(.zone, edit, to: "home"),
            .remove(.thing, "lamp", withContents: false),
        ] {
            let turn = rig.happens(.commandReceived(Command(ticket: 900, operation: order, actor: .kiosk)))
            #expect(!turn.codes.contains(.levelDenied), "\(order)")
        }
    }

    @Test func `a kiosk may drive things only at the levels of the configuration, the broker always`() {
        var rig = Rig.atHome(configuration { $0.controlLevels = [.active] })
        rig.controller.policies = [LevelPolicy()]
        let order = Command.Operation.set(.thing("lamp"), ThingRequest(attributes: ["state": "OFF"]))
        let refused = rig.happens(
            .commandReceived(Command(ticket: 900, operation: order, actor: .kiosk))
        )
        #expect(refused.codes == [.levelDenied])
        #expect(
            refused.answers.first?.refusal?.message
                == "a kiosk may not drive things in level BACKGROUND; it may in FULL (lifecycle.allow.control)"
        )
        #expect(refused.answers.first?.actor == .kiosk)
        let level = Command.Operation.setLifecycle(.level(.active))
        let lifted = rig.happens(.commandReceived(Command(ticket: 903, operation: level, actor: .kiosk)))
        #expect(lifted.codes == [.levelDenied], "a kiosk does not lift its own refusal")
        let next = rig.happens(
            .commandReceived(Command(ticket: 901, operation: .ping, actor: .kiosk))
        )
        #expect(next.codes == [nil])
        #expect((rig.command(order) + rig.serve()).codes == [nil])
        rig.happens(.displayChanged(id: "a", .visible))
        _ = near(&rig)
        let allowed =
            rig.happens(.commandReceived(Command(ticket: 902, operation: order, actor: .kiosk))) + rig.serve()
        #expect(allowed.codes == [nil])
    }
}
