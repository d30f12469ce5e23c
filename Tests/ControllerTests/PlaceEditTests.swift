import CommandFixture
import Controller
import Flare
import JSON
import People
import Testing
import Things

/// Environments and zones made, changed as a whole, and removed; and objects of environments where this device is not.
struct PlaceEditTests: EditsOfUsers {
    // MARK: Environments

    @Test func `on an empty server an environment, a zone and a thing are made one after the other`() {
        var server = HouseServer()
        (server.environments, server.zones, server.things, server.devices) = ([], [], [], [])
        var rig = Rig(server: server)
        rig.happens(.flare(.linkUp))
        rig.serve()
        #expect(rig.state.alerts["no-environment"] != nil)
        let place = answer(&rig, .add(.environment, named("My flat"), to: nil))
        #expect(place?.refusal == nil && place?.target?.slug == "my-flat")
        #expect(rig.state.environment?.name == "My flat" && rig.state.alerts["no-environment"] == nil)
        rig.serve()
        let room = answer(&rig, .add(.zone, named("Hall"), to: "my-flat"))
        #expect(room?.refusal == nil && room?.target?.slug == "hall")
        let lamp = answer(&rig, .add(.thing, named("Lamp"), to: "hall"))
        #expect(lamp?.refusal == nil && lamp?.target?.slug == "lamp")
        #expect(rig.state.things.count == 1 && rig.state.zones.count == 1)
    }

    @Test func `a change of an environment is known when the answer comes`() {
        var rig = Rig.atHome()
        var edit = named("Our home")
        (edit.angle, edit.removed, edit.data) = (15, [.geofence], ["distance": 3])
        #expect(answer(&rig, .edit(.environment, "home", edit, zone: nil))?.refusal == nil)
        let home = rig.state.environments[House.home]
        #expect(home?.name == "Our home" && home?.angle == 15 && home?.geofence == nil)
        #expect(home?.data == ["distance": 3] && rig.state.slugs[.environment, House.home] == "home")
    }

    @Test func `what holds zones and things is removed with them only if that is asked for`() {
        var rig = Rig.atHome()
        let alone = answer(&rig, .remove(.environment, "home", withContents: false))
        #expect(alone?.refusal?.code == .notEmpty)
        let message = alone?.refusal?.message ?? ""
        #expect(message.contains("2 zones (Kitchen, Living room)") && message.contains("3 things"))
        let zone = answer(&rig, .remove(.zone, "living-room", withContents: false))
        #expect(zone?.refusal?.message.contains("1 thing (Floor lamp)") == true)
        #expect(rig.server.environments.count == 3 && rig.server.zones.count == 3)
        #expect(answer(&rig, .remove(.zone, "living-room", withContents: true))?.refusal == nil)
        #expect(rig.state.zones[House.living] == nil && rig.state.things[House.floorLamp] == nil)
        #expect(answer(&rig, .remove(.environment, "home", withContents: true))?.refusal == nil)
        rig.serve()
        #expect(rig.state.environments[House.home] == nil && rig.state.environmentID == House.office)
        #expect(rig.state.things[House.screen] != nil)
    }

    @Test func `an environment without zones and things needs no word for its devices`() {
        var rig = Rig.atHome()
        #expect(answer(&rig, .remove(.environment, "studio", withContents: false))?.refusal == nil)
        #expect(rig.state.environments[House.studio] == nil)
    }

    @Test func `the last environment may go, too`() {
        var rig = Rig.atHome()
        for slug in ["home", "office", "studio"] {
            #expect(answer(&rig, .remove(.environment, slug, withContents: true))?.refusal == nil)
            rig.serve()
        }
        #expect(rig.state.environmentID == nil && rig.state.alerts["no-environment"] != nil)
        #expect(answer(&rig, .add(.environment, named("New"), to: nil))?.refusal == nil)
        rig.serve()
        #expect(rig.state.environment?.name == "New" && rig.state.device != nil)
    }

    // MARK: Elsewhere

    @Test func `things and zones of an environment where this device is not are changed there`() {
        var rig = Rig.atHome()
        #expect(answer(&rig, .edit(.thing, "screen", named("Big screen"), zone: nil))?.refusal == nil)
        #expect(rig.server.things.first { $0.id == House.screen }?.name == "Big screen")
        let made = answer(&rig, .add(.thing, named("Desk"), to: "meeting"))
        #expect(made?.refusal == nil && made?.target?.slug == "desk")
        #expect(rig.server.things.last?.environment == House.office)
        let zone = answer(&rig, .add(.zone, named("Lobby"), to: "office"))
        #expect(zone?.target?.slug == "lobby" && rig.server.zones.last?.environment == House.office)
        #expect(answer(&rig, .remove(.zone, "meeting", withContents: false))?.refusal?.code == .notEmpty)
        #expect(answer(&rig, .remove(.zone, "meeting", withContents: true))?.refusal == nil)
        #expect(rig.server.zones.map(\.name).sorted() == ["Kitchen", "Living room", "Lobby"])
        #expect(rig.state.environmentID == House.home && rig.state.things[House.screen] == nil)
    }

    @Test func `a place that cannot be read is not changed`() {
        var rig = Rig.atHome()
        rig.happens(
            .commandReceived(Command(ticket: 1, operation: .edit(.thing, "screen", named("x"), zone: nil)))
        )
        #expect(rig.serveOne(.failure(.timedOut(seconds: 1))).codes == [.timeout])
        rig.happens(.commandReceived(Command(ticket: 2, operation: .readPlace(House.office))))
        #expect(rig.happens(.flare(.linkDown(reason: "gone"))).codes == [.serverUnreachable])
        let order = Command.Operation.edit(.thing, "screen", named("x"), zone: nil)
        #expect(
            rig.happens(.commandReceived(Command(ticket: 3, operation: order))).codes == [.serverUnreachable]
        )
    }

    @Test func `the contents of another environment are read anew each time`() {
        var rig = Rig.atHome()
        #expect(answer(&rig, .readPlace(House.office))?.place?.things.count == 1)
        rig.server.things[3].data["on"] = false
        let place = answer(&rig, .readPlace(House.office))?.place
        #expect(place?.things[House.screen]?.data["on"] == false && place?.zones.count == 1)
    }

    // MARK: Rights

    @Test func `making an environment needs to own all, and a zone to own its environment`() {
        var rig = rig([(.own, .environment(House.home)), (.write, .all)])
        let place = answer(&rig, .add(.environment, named("New"), to: nil), by: Self.bob)
        #expect(place?.refusal?.code == .notAllowed && place?.refusal?.message.contains("own all") == true)
        let unknown = answer(&rig, .add(.environment, named("New"), to: nil), as: nil)
        #expect(unknown?.refusal?.code == .unauthenticated)
        let zone = answer(&rig, .add(.zone, named("Cellar"), to: "home"), by: Self.bob)
        #expect(zone?.refusal == nil)
        #expect(zone?.target?.slug == "cellar")
        let orders: [Command.Operation] = [
            .add(.zone, named("Lobby"), to: "office"), .edit(.zone, "meeting", named("x"), zone: nil),
            .edit(.environment, "office", named("x"), zone: nil),
            .remove(.environment, "office", withContents: true),
            .remove(.zone, "meeting", withContents: true),
            .add(.thing, named("Desk"), to: "meeting"), .edit(.thing, "screen", named("x"), zone: nil),
        ]
        for order in orders {
            #expect(answer(&rig, order, by: Self.bob)?.refusal?.code == .notAllowed, "\(order)")
        }
        #expect(answer(&rig, .add(.environment, named("New"), to: nil), by: Self.alice)?.refusal == nil)
    }

    @Test func `a zone of who may not see everything has a name that tells nothing of hidden ones`() {
        var rig = rig([(.own, .environment(House.home))])
        let zone = answer(&rig, .add(.zone, named("Meeting"), to: "home"), by: Self.bob)
        let digits = zone?.target?.object.map { "\($0.id)".suffix(6) } ?? ""
        #expect(zone?.refusal == nil && zone?.target?.slug == "meeting-\(digits)")
    }

    @Test func `what may not be seen is not there, and no refusal names it`() {
        var rig = rig([(.own, .zone(House.living))])
        for order: Command.Operation in [
            .edit(.environment, "home", named("x"), zone: nil), .add(.zone, named("x"), to: "office"),
            .edit(.zone, "kitchen", named("x"), zone: nil), .edit(.thing, "screen", named("x"), zone: nil),
            .remove(.zone, "meeting", withContents: true),
        ] {
            let refusal = answer(&rig, order, by: Self.bob)?.refusal
            #expect([.unknownThing, .unknownEnvironment].contains(refusal?.code), "\(order)")
            #expect(refusal?.message.contains("there are home") != true)
        }
    }

    private enum Obstacle: CaseIterable { case none, noLink, failedReading }

    /// A room of the office that bob owns, beside the one that is hidden from him.
    private static var lobby: FlareZone {
        var zone = FlareZone(id: House.id(22))
        (zone.name, zone.environment) = ("Lobby", House.office)
        return zone
    }

    private func refusal(
        _ order: Command.Operation,
        _ obstacle: Obstacle,
        _ more: [(Access, Scope)] = []
    ) -> Refusal? {
        var server = HouseServer()
        server.zones.append(Self.lobby)
        var rig = rig([(.own, .zone(House.living)), (.own, .zone(Self.lobby.id))] + more, server: server)
        if obstacle == .noLink { rig.lose() }
        let command = Command(ticket: 1, operation: order, caller: .user(Self.bob))
        let effects = rig.happens(.commandReceived(command))
        let later = obstacle == .failedReading ? rig.serveOne(.failure(.timedOut(seconds: 1))) : rig.serve()
        return (effects + later).answers.first?.refusal
    }

    @Test(arguments: Obstacle.allCases)
    private func `what is hidden elsewhere is refused as what is nowhere, also if it cannot be read`(
        obstacle: Obstacle
    ) {
        let orders: [(hidden: String, order: (String) -> Command.Operation)] = [
            ("meeting", { .edit(.zone, $0, named("x"), zone: nil) }),
            ("meeting", { .remove(.zone, $0, withContents: true) }),
            ("meeting", { .add(.thing, named("x"), to: $0) }),
            ("screen", { .edit(.thing, $0, named("x"), zone: nil) }),
            ("screen", { .remove(.thing, $0, withContents: false) }),
            ("office", { .edit(.environment, $0, named("x"), zone: nil) }),
            ("office", { .add(.zone, named("x"), to: $0) }),
        ]
        for (name, order) in orders {
            func words(_ name: String) -> String? {
                refusal(order(name), obstacle).map { "\($0.code) \($0.message)" }?.replacing(name, with: "it")
            }
            let hidden = words(name)
            #expect(hidden != nil && hidden == words("nowhere"), "\(order(name))")
        }
    }

    @Test(arguments: [(Obstacle.noLink, RefusalCode.serverUnreachable), (.failedReading, .timeout)])
    private func `users who may see a part of a place learn that it cannot be read`(
        obstacle: Obstacle,
        code: RefusalCode
    ) {
        let orders: [Command.Operation] = [
            .edit(.zone, "lobby", named("x"), zone: nil), .remove(.zone, "lobby", withContents: true),
            .add(.thing, named("x"), to: "\(Self.lobby.id)"), .edit(.thing, "screen", named("x"), zone: nil),
        ]
        for order in orders {
            #expect(refusal(order, obstacle, [(.own, .thing(House.screen))])?.code == code, "\(order)")
        }
    }

    @Test func `what is read-only keeps what it is in from being removed`() {
        var rig = rig([], readOnly: ["lamp"])
        for order: Command.Operation in [
            .remove(.environment, "home", withContents: true), .remove(.zone, "kitchen", withContents: true),
        ] {
            let refusal = answer(&rig, order, by: Self.alice)?.refusal
            #expect(refusal?.code == .notAllowed && refusal?.message.contains("read-only") == true)
        }
        #expect(rig.server.things.count == 4)
    }

    // MARK: Warnings

    @Test func `warnings are about the changed object, by its members, and name others by their names`() {
        var rig = Rig.atHome()
        rig.controller.advise = { model in
            let zones = model["environments"]?.array?.first?["zones"]?.array ?? []
            return zones.enumerated().flatMap { index, zone in
                [PlaceAdvice.Finding(place: "environments[0].zones[\(index)]", message: "is a zone")]
                    + (zone["things"]?.array ?? []).indices.map {
                        PlaceAdvice.Finding(
                            place: "environments[0].zones[\(index)].things[\($0)].position.x",
                            message: "is far from environments[0].zones[0]"
                        )
                    }
            }
        }
        var edit = ObjectEdit()
        edit.position = Point3D(x: 99, y: 0)
        let moved = answer(&rig, .edit(.thing, "lamp", edit, zone: nil))
        #expect(
            moved?.warnings == [
                Answer.Warning(
                    field: "position.x",
                    message: "position.x is far from zone \"Living room\""
                )
            ]
        )
        // A change of something else brings nothing new.
        #expect(answer(&rig, .edit(.thing, "lamp", named("Light"), zone: nil))?.warnings == [])
        let zone = answer(&rig, .add(.zone, named("Cellar"), to: "home"))
        #expect(zone?.warnings.map(\.message) == ["the zone is a zone"])
    }

    @Test func `thousands of findings about others leave those about the changed object`() {
        var rig = Rig.atHome()
        rig.controller.advise = { model in
            let zones = model["environments"]?.array?.first?["zones"]?.array ?? []
            let own = PlaceAdvice.Finding(
                place: "environments[0].zones[\(zones.count - 1)].perimeter",
                message: "is small"
            )
            return (0..<5000).map {
                PlaceAdvice.Finding(
                    place: "environments[0].zones[0].things[\($0)].data.minor",
                    message: "is taken"
                )
            } + [own]
        }
        var edit = named("Cellar")
        edit.perimeter = Box(origin: .zero, width: 1, height: 1)
        let changed = answer(&rig, .add(.zone, edit, to: "home"))
        #expect(changed?.warnings.map(\.message) == ["perimeter is small"], "the others are not new")
    }

    @Test func `a warning shows nothing that its reader may not see`() {
        var rig = rig([(.own, .zone(House.living))])
        rig.controller.advise = { model in
            [
                PlaceAdvice.Finding(place: "environments[0]", message: "lacks a UUID"),
                PlaceAdvice.Finding(place: "environments[0].zones[0]", message: model.text),
            ]
        }
        var edit = ObjectEdit()
        edit.position = Point3D(x: 5, y: 1)
        let seen = answer(&rig, .edit(.thing, "floor-lamp", edit, zone: nil), by: Self.bob)
        #expect(seen?.refusal == nil && seen?.warnings.isEmpty == false)
        let text = seen?.warnings.map(\.message).joined() ?? ""
        #expect(text.contains("Living room") && !text.contains("Kitchen") && !text.contains("Home"))
        #expect(!text.contains("UUID"), "the environment is hidden")
    }
}
