import CommandFixture
import Controller
import Flare
import JSON
import People
import Testing
import Things

/// Environments, zones and things made, changed as a whole, and removed.
struct ObjectEditTests: EditsOfUsers {
    @Test func `a new thing is known with its short name when the answer comes`() {
        var rig = Rig.atHome()
        var edit = named("Reading lamp")
        (edit.position, edit.data) = (Point3D(x: 1, y: 2), ["on": false])
        let answer = answer(&rig, .add(.thing, edit, to: "living-room"))
        #expect(answer?.refusal == nil && answer?.target?.slug == "reading-lamp")
        let thing = answer?.target?.object.flatMap { rig.state.things[$0.id] }
        #expect(thing?.zone == House.living && thing?.data == ["on": false])
        #expect(thing?.position == Point3D(x: 1, y: 2))
    }

    @Test func `a change keeps what it does not name, and null removes a value`() {
        var rig = Rig.atHome()
        var edit = ObjectEdit()
        edit.data = ["note": "x", "on": .null]
        edit.description = "by the window"
        let before = rig.state.things[House.lamp]
        #expect(answer(&rig, .edit(.thing, "lamp", edit, zone: "living-room"))?.refusal == nil)
        let after = rig.state.things[House.lamp]
        #expect(after?.name == before?.name && after?.position == before?.position)
        #expect(after?.zone == House.living && after?.description == "by the window")
        #expect(after?.data["note"] == "x" && before?.data["on"] != nil && after?.data["on"] == nil)
        #expect(after?.data["brightness"] == before?.data["brightness"])
    }

    @Test func `the zone in which it is already is no change`() {
        var rig = Rig.atHome()
        let command = Command(ticket: 1, operation: .edit(.thing, "lamp", ObjectEdit(), zone: "kitchen"))
        #expect(rig.happens(.commandReceived(command)).requests.isEmpty)
    }

    @Test func `a removed thing is gone when the answer comes`() {
        var rig = Rig.atHome()
        #expect(answer(&rig, .remove(.thing, "lamp", withContents: false))?.refusal == nil)
        #expect(rig.state.things[House.lamp] == nil)
        #expect(answer(&rig, .remove(.thing, "lamp", withContents: false))?.refusal?.code == .unknownThing)
    }

    @Test func `what the server refuses is told, and a lost link ends what waits`() {
        var rig = Rig.atHome()
        rig.happens(
            .commandReceived(Command(ticket: 1, operation: .edit(.thing, "lamp", named("x"), zone: nil)))
        )
        #expect(rig.serveOne(.failure(.rejected("no"))).codes == [.serverRejected])
        rig.serve()
        rig.happens(
            .commandReceived(Command(ticket: 2, operation: .remove(.thing, "lamp", withContents: false)))
        )
        #expect(rig.happens(.flare(.linkDown(reason: "gone"))).codes == [.serverUnreachable])
        let late = FlareEvent.replied(
            .remove(House.lampThing, withContents: false),
            .success(.done)
        )
        #expect(rig.happens(.flare(late)).answers.isEmpty)
        let offline = Command(ticket: 3, operation: .add(.thing, named("x"), to: "kitchen"))
        #expect(rig.happens(.commandReceived(offline)).codes == [.serverUnreachable])
    }

    @Test func `changing what a thing is needs the right to own it`() {
        var rig = rig([(.write, .all)])
        let orders: [Command.Operation] = [
            .edit(.thing, "lamp", named("x"), zone: nil), .remove(.thing, "lamp", withContents: false),
            .add(.thing, named("x"), to: "kitchen"),
        ]
        for order in orders {
            #expect(answer(&rig, order, by: Self.bob)?.refusal?.code == .notAllowed)
            #expect(answer(&rig, order, as: nil)?.refusal?.code == .unauthenticated)
        }
        #expect(rig.state.things[House.lamp]?.name != "x")
    }

    @Test func `moving a thing to another zone needs the right to own that one, too`() {
        var rig = rig([(.own, .thing(House.lamp)), (.read, .zone(House.living))])
        let move = Command.Operation.edit(.thing, "lamp", ObjectEdit(), zone: "living-room")
        #expect(answer(&rig, move, by: Self.bob)?.refusal?.code == .notAllowed)
        var owner = self.rig([(.own, .thing(House.lamp)), (.own, .zone(House.living))])
        #expect(answer(&owner, move, by: Self.bob)?.refusal == nil)
        #expect(owner.state.things[House.lamp]?.zone == House.living)
    }

    @Test func `a zone that may not be seen is not there`() {
        var rig = rig([(.own, .thing(House.lamp))])
        let hidden = answer(&rig, .edit(.thing, "lamp", ObjectEdit(), zone: "living-room"), by: Self.bob)
        #expect(hidden?.refusal?.code == .unknownThing)
        #expect(hidden?.refusal?.message.hasSuffix("living-room") == false)
    }

    @Test func `changes that wait have a limit`() {
        var rig = Rig.atHome()
        var codes: [RefusalCode?] = []
        for ticket in 0...100 {
            let order = Command.Operation.edit(.thing, "lamp", named("n\(ticket)"), zone: nil)
            codes += rig.happens(.commandReceived(Command(ticket: ticket, operation: order))).codes
        }
        #expect(codes == [.rateLimited])
        #expect(rig.serve().answers.filter { $0.refusal == nil }.count == 100)
    }

    @Test func `the short name of a thing tells its maker nothing of hidden ones`() {
        var rig = rig([(.own, .zone(House.living))])
        let secret = answer(&rig, .add(.thing, named("Secret safe"), to: "kitchen"), by: Self.alice)
        #expect(secret?.target?.slug == "secret-safe")
        for name in ["Secret safe", "Open safe"] {
            let made = answer(&rig, .add(.thing, named(name), to: "living-room"), by: Self.bob)
            let slug = made?.target?.slug ?? ""
            let digits = made?.target?.object.map { "\($0.id)".suffix(6) } ?? ""
            #expect(slug == (SlugRegistry.slug(from: name) ?? "") + "-" + digits)
        }
        #expect(
            answer(&rig, .add(.thing, named("Secret safe"), to: "kitchen"), by: Self.alice)?.target?.slug
                == "secret-safe-2"
        )
    }

    @Test func `what a client of the server makes is named in the same way, a zone too`() {
        var rig = rig([(.own, .zone(House.living))])
        let home = House.home
        for kind in [FlareClass.thing, .zone] {
            let id = FlareID(high: 9, low: 0xABCDEF)
            let object = ObjectReference(kind, id)
            rig.happens(.objectMade(object, name: "Lamp", home: home, by: .user(Self.bob)))
            #expect(rig.state.slugs[kind, id] == "lamp-abcdef")
            let other = FlareID(high: 9, low: 1)
            rig.happens(
                .objectMade(ObjectReference(kind, other), name: "Lamp", home: home, by: .user(Self.alice))
            )
            #expect(rig.state.slugs[kind, other] == nil)
        }
    }
}
