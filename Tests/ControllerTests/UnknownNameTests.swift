import Controller
import Flare
import Testing

/// Names in the configuration that no thing and no zone has.
@Suite struct UnknownNameTests {
    private func rig(_ names: ConfiguredName...) -> Rig {
        var configuration = ControllerConfiguration()
        configuration.names = names
        return Rig.atHome(configuration)
    }

    private func readOnly(_ name: String) -> ConfiguredName {
        ConfiguredName(name, in: "control.read_only", [.thing, .zone])
    }

    private func message(_ rig: Rig) -> String? { rig.state.alerts["names"]?.message }

    @Test(arguments: ["lamp", "kitchen", "\(House.lamp)", "\(House.kitchen)", "screen", "meeting"])
    func `names of things and zones, here and elsewhere, raise nothing`(name: String) {
        #expect(message(rig(readOnly(name))) == nil)
    }

    @Test func `a name that nothing has raises an alert with the nearest one`() {
        #expect(
            message(rig(readOnly("lamp"), readOnly("kitchn"), readOnly("nonsense-thing")))
                == "Names in the configuration without effect: control.read_only names \"kitchn\", which is no thing "
                + "or zone; did you mean \"kitchen\"?; control.read_only names \"nonsense-thing\", which is no thing or "
                + "zone."
        )
    }

    @Test func `a zone is no thing, and a name counts only where names do`() {
        let zone = ConfiguredName("kitchen", in: "profiles.things", [.thing], isName: true)
        #expect(message(rig(zone))?.contains("\"kitchen\", which is no thing") == true)
        #expect(message(rig(ConfiguredName("Floor lamp", in: "x", [.thing], isName: true))) == nil)
        let hint = message(rig(readOnly("Floor lamp")))
        #expect(hint?.contains("did you mean \"floor-lamp\"?") == true)
    }

    @Test func `the alert follows the things that come and go`() {
        var rig = rig(readOnly("lamp-2"))
        #expect(message(rig) != nil)
        var made = FlareThing(id: House.id(500))
        (made.name, made.environment, made.zone) = ("Lamp", House.home, House.kitchen)
        rig.server.things.append(made)
        rig.notice(.thingChanged(made.id, made, environment: House.home))
        #expect(rig.state.slugs[.thing, made.id] == "lamp-2" && message(rig) == nil)
        rig.server.things.removeAll { $0.id == made.id }
        rig.notice(.thingChanged(made.id, nil, environment: House.home))
        #expect(message(rig)?.contains("\"lamp-2\"") == true)
    }

    @Test func `the alert follows the configuration`() {
        var rig = rig(readOnly("lmap"))
        #expect(message(rig)?.contains("did you mean \"lamp\"?") == true)
        rig.happens(.configurationApplied(ControllerConfiguration()))
        #expect(message(rig) == nil)
    }

    @Test func `the alert names five and counts the others`() throws {
        var configuration = ControllerConfiguration()
        configuration.names = (1...30).map { readOnly("unknown-\($0)") }
        let text = try #require(message(Rig.atHome(configuration)))
        #expect(text.hasSuffix("; and 25 more."))
    }
}
