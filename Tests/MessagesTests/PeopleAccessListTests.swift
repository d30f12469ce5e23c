import Controller
import Flare
import Messages
import People
import Testing

struct PeopleAccessListTests {
    private let bob = User(id: AccountID(high: 2, low: 0), name: "bob")
    private let list = AccessList(topics: Topics(root: "t/n"), commands: .tested, discoveryPrefix: "ha")
    private let lamp = FlareID(high: 1, low: 1)
    private let kitchen = FlareID(high: 1, low: 20)
    private let home = FlareID(high: 1, low: 30)

    private var place: AccessPlace {
        var place = AccessPlace()
        place.add(FlareEnvironment(id: home), slug: "home")
        for (id, slug) in [(kitchen, "kitchen"), (FlareID(high: 1, low: 21), "hall")] {
            var zone = FlareZone(id: id)
            zone.environment = home
            place.add(zone, slug: slug)
        }
        for (id, slug) in [(lamp, "table-lamp"), (FlareID(high: 1, low: 2), "desk-lamp")] {
            var thing = FlareThing(id: id)
            (thing.zone, thing.environment) = (id == lamp ? kitchen : nil, home)
            place.add(thing, slug: slug)
        }
        return place
    }

    /// What bob may read with a grant, below the node's root.
    private func readable(_ access: Access, _ scope: Scope, ends: Int64? = nil, at now: Int64 = 0) -> [String]
    {
        let table = AccessTable(
            users: [bob],
            grants: [Grant(id: 1, .user(bob.id), access, scope, ends: ends)]
        )
        return list.grants(of: bob, in: table, place, at: now).filter { $0.access == .read }
            .map { String($0.filter.dropFirst(4)) }
    }

    private let always = ["status", "info", "users/bob/response/+"]

    private func topics(_ thing: String) -> [String] {
        ["things/\(thing)", "things/\(thing)/data", "things/\(thing)/availability"]
    }

    @Test func `a user reads what the grants are about, with what is in it`() {
        #expect(readable(.read, .thing(lamp)) == always + topics("table-lamp"))
        let zone = ["zones/kitchen", "zones/kitchen/lights"]
        #expect(readable(.write, .zone(kitchen)) == always + zone + topics("table-lamp"))
        let zones = ["zones/hall", "zones/hall/lights"] + zone
        let things = topics("desk-lamp") + topics("table-lamp")
        #expect(readable(.read, .environment(home)) == always + ["environments/home"] + zones + things)
        #expect(readable(.read, .thing(FlareID(high: 9, low: 9))) == always)
    }

    @Test func `who sees everything reads by wildcards, and positions only with their own right`() {
        let all = readable(.write, .all)
        for topic in [
            "things/+/data", "zones/+/lights", "environments/+", "event/thing", "health", "alert/+",
            "sensors/+",
        ] {
            #expect(all.contains(topic), "\(topic)")
        }
        let devices = readable(.read, .devices)
        #expect(
            devices
                == always + ["device/position", "device/angle", "device/location", "frame", "event/device"]
        )
        let owned = Set(readable(.own, .all))
        #expect(Set(all).isDisjoint(with: Set(devices).subtracting(always)))
        // What holds places of devices and names of zones and things is for who may read both.
        #expect(
            owned.subtracting(all + devices) == [
                "things/+/beacon", "state", "environment", "zone", "device", "nearby", "nearby/availability",
                "nearby/light", "nearby/distance", "map", "lifecycle", "event/zone", "event/nearby",
                "event/lifecycle", "event/display", "rules/+", "event/rule", "rules/+/fired", "rules/+/out",
            ]
        )
    }

    @Test func `when a beacon was heard is for who may read its thing and devices`() {
        let table = AccessTable(
            users: [bob],
            grants: [
                Grant(id: 1, .user(bob.id), .read, .thing(lamp)),
                Grant(id: 2, .user(bob.id), .read, .devices),
            ]
        )
        let filters = list.grants(of: bob, in: table, place, at: 0).map(\.filter)
        #expect(filters.contains("t/n/things/table-lamp/beacon"))
        #expect(!filters.contains("t/n/things/desk-lamp/beacon") && !filters.contains("t/n/map"))
    }

    @Test func `zones that say who is in them are for who may see devices`() {
        var place = place
        place.nodes = ["anna", "bert"]
        func filters(_ scopes: Scope...) -> [String] {
            let grants = scopes.enumerated().map { Grant(id: Int64($0 + 1), .user(bob.id), .read, $1) }
            let table = AccessTable(users: [bob], grants: grants)
            return list.grants(of: bob, in: table, place, at: 0).map(\.filter)
        }
        for scope in [Scope.all, .environment(home), .zone(kitchen)] {
            #expect(!filters(scope).contains { $0 == "t/n/zones/+" || $0 == "t/n/zones/kitchen" })
            #expect(
                filters(scope).contains { $0 == "t/n/zones/+/lights" || $0 == "t/n/zones/kitchen/lights" }
            )
            #expect(!filters(scope).contains("t/n/devices"))
        }
        #expect(filters(.zone(kitchen), .devices).contains("t/n/zones/kitchen"))
        #expect(!filters(.zone(kitchen), .devices).contains("t/n/devices"), "it names other zones")
        #expect(filters(.all, .devices).contains("t/n/zones/+"))
        #expect(filters(.all, .devices).contains("t/n/devices"))
        let ofAnna = filters(.all, .device("anna"))
        #expect(ofAnna.contains("t/anna/zone") && ofAnna.contains("t/anna/device/position"))
        #expect(!ofAnna.contains { $0.hasPrefix("t/bert/") || $0 == "t/n/device/position" })
        #expect(filters(.device("anna")).contains("t/anna/device/position"))
        #expect(!filters(.device("anna")).contains("t/anna/zone"), "it names a zone")
        let ofOwn = filters(.all, .device("n"))
        #expect(ofOwn.contains("t/n/zone") && ofOwn.contains("t/n/device/position"))
        #expect(!ofOwn.contains { $0.hasPrefix("t/anna/") || $0 == "t/n/zones/+" || $0 == "t/n/devices" })
        #expect(Set(ofOwn).count == ofOwn.count)
    }

    @Test func `the order in which devices are listed changes nothing`() {
        var (place, other) = (place, place)
        place.nodes = ["anna", "bert"]
        other.nodes = ["bert", "anna"]
        let table = AccessTable(users: [bob], grants: [Grant(id: 1, .user(bob.id), .read, .devices)])
        #expect(list.peopleText(table, place, at: 0) == list.peopleText(table, other, at: 0))
    }

    @Test func `nobody reads commands, outboxes or other users' topics`() {
        for topic in readable(.own, .all) {
            #expect(!topic.contains("#") && !topic.hasPrefix("+") && !topic.hasPrefix("outbox"))
            #expect(!topic.hasPrefix("users/") || topic == "users/bob/response/+")
            #expect(!CommandTable.tested.filters.contains(topic))
        }
    }

    @Test func `a user writes commands below their own topics only`() {
        let grants = list.grants(of: bob, in: AccessTable(users: [bob]), place, at: 0)
        let written = grants.filter { $0.access != .read }.map(\.filter)
        #expect(written == CommandTable.tested.filters.map { "t/n/users/bob/\($0)" })
    }

    @Test func `what has ended is not read, and the hash tells`() {
        #expect(readable(.read, .all, ends: 10, at: 9) != always)
        #expect(readable(.read, .all, ends: 10, at: 10) == always)
        let table = AccessTable(users: [bob], grants: [Grant(id: 1, .user(bob.id), .read, .all, ends: 10)])
        let (before, after) = (list.peopleText(table, place, at: 9), list.peopleText(table, place, at: 10))
        #expect(before.split(separator: "\n").first != after.split(separator: "\n").first)
        #expect(after == list.peopleText(table, place, at: 11))
    }

    @Test func `there is a section for each active user, by name`() {
        let users = [
            ("zoe", UserState.active), ("ann", .active), ("off", .off), ("new", .pending),
            ("trilateral", .active),
        ]
        let table = AccessTable(
            users: users.enumerated().map {
                User(id: AccountID(high: 9, low: UInt16($0)), name: $1.0, state: $1.1)
            }
        )
        let text = list.peopleText(table, place, at: 0)
        #expect(text.hasPrefix("# permissions ") && text.split(separator: "\n").first?.utf8.count == 30)
        let sections = text.split(separator: "\n").filter { $0.hasPrefix("user ") }
        #expect(sections == ["user ann", "user zoe"])
        #expect(text.contains("# trilateral: left out"))
        #expect(text.contains("topic write t/n/users/ann/things/+/set\n"))
    }
}
