import CommandFixture
import Controller
import Flare
import Foundation
import JSON
import People
import Testing
import Things

/// Who may do what, in front of every command.
struct PeoplePolicyTests {
    private static func account(_ number: UInt64) -> AccountID { AccountID(high: 0, low: UInt16(number)) }
    private let alice = account(1)
    private let bob = account(2)

    /// A home with an owner, alice, and bob with these grants.
    private func rig(
        _ grants: [(Access, Scope)],
        ends: Int64? = nil,
        server: HouseServer = HouseServer()
    ) -> Rig {
        var rig = Rig.atHome(server: server)
        rig.controller.policies = [PeoplePolicy(), LevelPolicy()]
        let owner = Grant(id: 1, .user(alice), .own, .all)
        let others = grants.enumerated().map { index, grant in
            Grant(id: Int64(index + 2), .user(bob), grant.0, grant.1, ends: ends)
        }
        let table = AccessTable(
            users: [User(id: alice, name: "alice"), User(id: bob, name: "bob")],
            grants: [owner] + others
        )
        rig.happens(.peopleChanged(table))
        return rig
    }

    private func refusal(_ rig: inout Rig, _ order: Command.Operation, by user: AccountID?) -> Refusal? {
        let command = Command(ticket: 1, operation: order, caller: user.map { .user($0) })
        let effects = rig.happens(.commandReceived(command)) + rig.serve()
        return effects.answers.first?.refusal
    }

    private func code(_ rig: inout Rig, _ order: Command.Operation, by user: AccountID?) -> RefusalCode? {
        refusal(&rig, order, by: user)?.code
    }

    private func set(_ target: Command.Target) -> Command.Operation {
        .set(target, ThingRequest(attributes: ["state": "TOGGLE"]))
    }

    @Test func `until users are known, nobody may do anything`() {
        var rig = rig([])
        rig.happens(.peopleChanged(AccessTable()))
        #expect(code(&rig, set(.thing("lamp")), by: nil) == .unauthenticated)
        #expect(code(&rig, set(.thing("lamp")), by: alice) == .unknownThing)
        #expect(code(&rig, .setLifecycle(.level(nil)), by: alice) == .notAllowed)
        let seen = rig.state.seen(by: rig.state.reader(for: .user(alice), at: 0))
        #expect(seen.things.isEmpty && seen.zones.isEmpty && seen.environments.isEmpty && seen.device == nil)
    }

    @Test func `each command is logged with who sent it`() {
        var rig = rig([])
        let order = set(.thing("lamp"))
        for user in [alice, bob, nil] { _ = code(&rig, order, by: user) }
        #expect(rig.log.map(\.caller) == [.user(alice), .user(bob), nil])
        #expect(rig.log.map(\.answer.refusal?.code) == [nil, .unknownThing, .unauthenticated])
        #expect(rig.log.allSatisfy { $0.operation == order && $0.isKept })
    }

    @Test func `brightness by proximity is the configuration's, and needs no right`() {
        var configuration = ControllerConfiguration()
        configuration.brightnessByProximity = true
        var rig = Rig.atHome(configuration)
        rig.controller.policies = [PeoplePolicy()]
        for y in [1.26, 1.6] {
            rig.happens(House.estimate(2, y), after: 1000)
            rig.serve()
        }
        #expect(rig.lamp("brightness") == 0.3)
    }

    @Test func `everybody needs a name`() {
        var rig = rig([])
        for order in [
            set(.thing("lamp")), set(.thing("nothing")), .ping, .chooseEnvironment(.next),
        ] {
            #expect(code(&rig, order, by: nil) == .unauthenticated)
        }
        #expect(code(&rig, set(.thing("lamp")), by: alice) == nil)
        #expect(code(&rig, .ping, by: bob) == nil)
    }

    @Test func `what may not be seen is not there, and no hint names it`() {
        var rig = rig([(.read, .thing(House.kettle))])
        let unseen = refusal(&rig, set(.thing("lamp")), by: bob)
        #expect(unseen?.code == .unknownThing)
        let absent = refusal(&rig, set(.thing("lamb")), by: bob)
        #expect(absent?.code == .unknownThing && absent?.message.contains("lamp") == false)
        #expect(
            unseen?.message.replacingOccurrences(of: "lamp", with: "x")
                == absent?.message.replacingOccurrences(of: "lamb", with: "x")
        )
        #expect(code(&rig, .get(.thing("kettle")), by: bob) == nil)
        #expect(refusal(&rig, set(.thing("lamb")), by: alice)?.message.contains("lamp") == true)
        #expect(code(&rig, set(.zone("kitchen")), by: bob) == .unknownThing)
        #expect(refusal(&rig, set(.thing("kitchen")), by: bob)?.message.contains("zones/") == false)
        #expect(refusal(&rig, set(.thing("kitchen")), by: alice)?.message.contains("zones/kitchen") == true)
    }

    @Test func `what is asked without a reason is allowed exactly when a command is`() {
        let kinds: [ChangeRequest.Kind] = [
            .set([]), .action("on"), .move, .edit, .remove, .found, .read, .level, .control, .ping,
            .administer,
        ]
        let objects = [
            nil, ObjectReference(.thing, House.lamp), ObjectReference(.zone, House.kitchen),
            ObjectReference(.environment, House.home), ObjectReference(.device, House.homeDevice),
        ]
        let callers: [Caller?] = [nil, .user(alice), .user(bob), .user(alice, ceiling: .read)]
        var answers: Set<Bool> = []
        for rig in [rig([(.write, .zone(House.kitchen)), (.read, .devices)]), Rig.atHome()] {
            for (kind, object, caller) in kinds.flatMap({ kind in
                objects.flatMap { object in callers.map { (kind, object, $0) } }
            }) {
                let request = ChangeRequest(
                    actor: .kiosk,
                    caller: caller,
                    kind: kind,
                    object: object,
                    zone: House.kitchen,
                    environment: House.home
                )
                let isAllowed = rig.controller.refusal(of: request) == nil
                #expect(rig.controller.allows(request) == isAllowed, "\(request)")
                answers.insert(isAllowed)
            }
        }
        #expect(answers == [true, false])
    }

    @Test func `who has the right, but not with this token, is asked to sign in`() {
        var rig = rig([(.own, .thing(House.lamp))])
        let command = Command(
            ticket: 1,
            operation: set(.thing("lamp")),
            caller: .user(bob, ceiling: .read)
        )
        let refusal = rig.happens(.commandReceived(command)).answers.first?.refusal
        #expect(refusal?.code == .notAllowed)
        #expect(refusal?.message.hasPrefix("this needs the right \"write thing lamp\"; sign in") == true)
    }

    @Test func `who comes without a name and has no right is told who can allow it, or to sign in`() {
        var rig = rig([(.read, .thing(House.lamp))])
        func message(_ ceiling: Access?) -> String? {
            let command = Command(
                ticket: 1,
                operation: set(.thing("lamp")),
                caller: .user(bob, ceiling: ceiling)
            )
            return rig.happens(.commandReceived(command)).answers.first?.refusal?.message
        }
        #expect(
            message(.write)?.hasPrefix(
                "you may not write thing lamp: no grant; alice can allow it; or sign in"
            ) == true
        )
        #expect(message(nil)?.contains("sign in") == false)
    }

    @Test func `what may be seen and not driven is refused, and says who can allow it`() {
        var rig = rig([(.read, .thing(House.lamp))])
        let refusal = refusal(&rig, set(.thing("lamp")), by: bob)
        #expect(refusal?.code == .notAllowed)
        #expect(refusal?.message == "you may not write thing lamp: no grant; alice can allow it")
        #expect(code(&rig, .action(.thing("lamp"), name: "toggle"), by: bob) == .notAllowed)
        // Rights come before legality.
        let wrong = ThingRequest(attributes: ["brightness": "much"])
        #expect(code(&rig, .set(.thing("lamp"), wrong), by: bob) == .notAllowed)
        #expect(code(&rig, .set(.thing("lamp"), wrong), by: alice) == .invalidValue)
    }

    @Test func `who drives a thing does not move it by an action that it does not offer`() {
        var rig = rig([(.read, .thing(House.lamp)), (.write, .thing(House.lamp))])
        #expect(code(&rig, .action(.thing("lamp"), name: "on"), by: bob) == nil)
        #expect(code(&rig, .action(.thing("lamp"), name: "north"), by: bob) == .notAllowed)
        #expect(code(&rig, .action(.thing("lamp"), name: "north"), by: alice) == nil)
    }

    @Test func `a right of a zone or an environment reaches what is in it now`() {
        for scope in [Scope.zone(House.kitchen), .environment(House.home), .all] {
            var rig = rig([(.write, scope)])
            #expect(code(&rig, set(.thing("lamp")), by: bob) == nil, "\(scope)")
        }
        var elsewhere = rig([(.write, .zone(House.living))])
        #expect(code(&elsewhere, set(.thing("lamp")), by: bob) == .unknownThing)
    }

    @Test func `a right ends at its moment, without an event`() {
        let end = Rig.moment(1000).wallMilliseconds
        var rig = rig([(.write, .thing(House.lamp)), (.read, .thing(House.lamp))], ends: end)
        #expect(code(&rig, set(.thing("lamp")), by: bob) == nil)
        rig.time = 1000
        #expect(code(&rig, set(.thing("lamp")), by: bob) == .unknownThing)
    }

    @Test func `positions, sensors, environments and displays need a right of their own`() {
        var rig = rig([(.write, .all)])
        let orders: [Command.Operation] = [
            .setDevice(.init(position: Point3D(x: 1, y: 1))), .chooseEnvironment(.next),
            .switchSensor(.gps, on: false), .setLifecycle(.level(nil)), .refresh,
        ]
        for order in orders { #expect(code(&rig, order, by: bob) == .notAllowed) }
        #expect(code(&rig, set(.nearby(ifID: nil)), by: bob) == .noNearbyThing)
        var mover = self.rig([(.write, .devices)])
        #expect(code(&mover, .switchSensor(.gps, on: false), by: bob) == nil)
    }

    @Test func `only who owns everything administers the daemon, or has things explained`() {
        var rig = rig([(.own, .environment(House.home)), (.write, .devices)])
        for order: Command.Operation in [.reload, .restart, .logLevel("debug")] {
            #expect(code(&rig, order, by: bob) == .notAllowed)
        }
        #expect(code(&rig, .explain(.zone), by: bob) == .notAllowed)
        #expect(code(&rig, .explain(.zone), by: alice) == nil)
        #expect(code(&rig, .logLevel("debug"), by: alice) == nil)
    }

    @Test func `a zone is set only if every light that changes may be`() {
        var server = HouseServer()
        for index in server.things.indices where server.things[index].id == House.floorLamp {
            server.things[index].zone = House.kitchen
        }
        let grants: [(Access, Scope)] = [(.read, .environment(House.home)), (.write, .thing(House.lamp))]
        var rig = rig(grants, server: server)
        let off = ThingRequest(attributes: ["state": "ON"])
        #expect(code(&rig, .set(.zone("kitchen"), off), by: bob) == .notAllowed)
        #expect(rig.state.things[House.floorLamp]?.data["on"] == false)
        // A light that is on already does not change.
        let on = rig.state.things[House.lamp]?.data["on"]
        #expect(on == true)
        var partial = ThingRequest(attributes: ["state": "OFF"])
        partial.isPartial = true
        #expect(code(&rig, .set(.zone("kitchen"), partial), by: bob) == nil)
        #expect(rig.state.things[House.lamp]?.data["on"] == false)
        #expect(rig.state.things[House.floorLamp]?.data["on"] == false)
    }

    @Test func `a zone that may not be seen is refused as one that does not exist, whatever is seen in it`() {
        // A lamp, and something that is no light.
        for grants: [(Access, Scope)] in [
            [], [(.write, .thing(House.lamp))], [(.read, .thing(House.kettle))],
        ] {
            for isPartial in [false, true] {
                var rig = rig(grants + [(.read, .zone(House.living))])
                let request = ThingRequest(attributes: ["state": "OFF"], isPartial: isPartial)
                func words(_ name: String) -> String? {
                    let refusal = refusal(&rig, .set(.zone(name), request), by: bob)
                    return refusal.map { "\($0.code) \($0.message)" }?
                        .replacingOccurrences(of: "\"\(name)\"", with: "it")
                }
                let hidden = [words("kitchen"), words("\(House.kitchen)")]
                let absent = [words("nowhere"), words("\(House.id(9999))")]
                #expect(hidden == absent && hidden.allSatisfy { $0?.contains("no zone it") == true })
                #expect(rig.state.things[House.lamp]?.data["on"] == true)
            }
        }
    }

    @Test func `environments that may not be seen are not offered`() {
        var rig = rig([(.write, .devices), (.read, .environment(House.home))])
        let refusal = refusal(&rig, .chooseEnvironment(.named("office")), by: bob)
        #expect(refusal?.code == .unknownEnvironment)
        #expect(refusal?.message.contains("office,") == false && refusal?.message.contains("studio") == false)
        #expect(code(&rig, .chooseEnvironment(.next), by: bob) == nil)
        #expect(rig.state.environmentID == House.home)
    }

    @Test func `a name that a hidden environment has too means the one that may be seen`() {
        var server = HouseServer()
        for index in server.environments.indices where server.environments[index].id != House.home {
            server.environments[index].name = "Office"
        }
        var rig = rig([(.write, .devices), (.read, .environment(House.studio))], server: server)
        #expect(code(&rig, .chooseEnvironment(.named("Office")), by: bob) == nil)
        #expect(rig.state.environmentID == House.studio)
        // The slug of the hidden one is a name of the one that may be seen.
        var other = self.rig([(.write, .devices), (.read, .environment(House.office))], server: server)
        #expect(code(&other, .chooseEnvironment(.named("office")), by: bob) == nil)
        #expect(other.state.environmentID == House.office)
        let both = refusal(&other, .chooseEnvironment(.named("OFFICE")), by: alice)
        #expect(both?.code == .unknownEnvironment && both?.message.contains("office-2") == true)
    }

    /// How likely each zone is tells where somebody is, and that zones exist.
    @Test(arguments: [
        ([(Access.read, Scope.devices), (.read, .zone(House.kitchen))], false),
        ([(.read, .devices), (.read, .zone(House.living))], false),
        ([(.read, .all)], false), ([(.read, .devices)], false), ([], false),
        ([(.read, .all), (.read, .devices)], true),
    ])
    func `how likely each zone is tells only who sees all zones and devices`(
        _ grants: [(Access, Scope)],
        _ isTold: Bool
    ) {
        var rig = rig(grants)
        let shares = ZoneShares(zones: [House.kitchen: 0.3, House.living: 0.6], outside: 0.1)
        rig.happens(
            .positionEstimated(
                .init(position: Point3D(x: 1, y: 1), accuracyMetres: 1, quality: .good, zones: shares)
            ),
            after: 1000
        )
        rig.serve()
        #expect(rig.state.fix?.zones?.shares == shares)
        let reader = rig.state.reader(for: .user(bob), at: Rig.moment(rig.time).wallMilliseconds)
        #expect((rig.state.seen(by: reader).fix?.zones != nil) == isTold)
        #expect((code(&rig, .explain(.zone), by: bob) == nil) == isTold)
    }

    @Test func `the view of a reader has no zone, thing, screen or level that tells of what is hidden`() {
        var rig = rig([(.read, .thing(House.lamp)), (.read, .devices)])
        var state = rig.state
        state.screens["wall"] = ScreenStack("home")
        state.screens["wall"]?.push(.init("details", thing: House.kettle))
        state.screens["wall"]?.push(.init("details", thing: House.lamp))
        (state.zoneID, state.nearbyID) = (House.kitchen, House.kettle)
        let now = Rig.moment(0).wallMilliseconds
        let seen = state.seen(by: state.reader(for: .user(bob), at: now))
        #expect(seen.zoneID == nil && seen.zoneSince == nil && seen.nearbyID == nil)
        #expect(seen.device != nil)
        #expect(seen.screens["wall"]?.entries.map(\.thing) == [nil, nil, House.lamp])
        #expect(seen.screens["wall"]?.current.thing == House.lamp)

        rig.happens(.displayChanged(id: "web/wall", .visible))
        rig.happens(.flare(.notice(.near(thing: House.lamp, device: House.homeDevice, distance: 0.1))))
        #expect(rig.state.lifecycle.level == .active)
        rig.happens(
            .peopleChanged(
                AccessTable(
                    users: [User(id: bob, name: "bob")],
                    grants: [
                        Grant(id: 1, .user(bob), .read, .all)
                    ]
                )
            )
        )
        let level = rig.state.seen(by: rig.state.reader(for: .user(bob), at: now)).lifecycle.level
        #expect(level == .limited, "whether a thing is near is a matter of devices")
    }
}
