import Controller
import Flare
import JSON
import Messages
import People
import Testing

/// Who is where, in a daemon with several devices.
struct DevicesMessageTests {
    private let kitchen = FlareID(high: 2, low: 1)
    private let now = Place.start.later(by: 5000)

    /// The panel and Anna in the hall, Bert in the kitchen, and a tag that nobody has heard.
    private var state: ControllerState {
        var state = Place.state
        var zone = FlareZone(id: kitchen)
        zone.name = "Kitchen"
        state.zones[kitchen] = zone
        _ = state.slugs.assign(to: ObjectReference(.zone, kitchen), name: "Kitchen")
        state.node = "wall"
        let others: [(String, String, FlareID?)] = [
            ("tag", "Tag", nil), ("bert", "Bert", kitchen), ("anna", "Anna", Place.hall),
        ]
        for (node, name, zone) in others {
            var other = DeviceNode(ListedNode(node: node, name: name, kind: "phone"))
            (other.zoneID, other.zoneSince) = (zone, zone.map { _ in now })
            if zone != nil {
                other.fix = PositionFix(accuracyMetres: 1, quality: .fair, source: "beacons", at: now)
                other.seenAt = now
            }
            state.nodes[node] = other
        }
        return state
    }

    @Test func `all devices are listed with zone, quality and when they were heard, the daemon's own first`()
    {
        let (early, late) = (JSONValue.string(Place.start.timestamp), JSONValue.string(now.timestamp))
        let wall: JSONValue = [
            "node": "wall", "name": "Panel", "zone": "hall", "since": early, "quality": "good",
            "last_seen": early,
        ]
        let anna: JSONValue = [
            "node": "anna", "name": "Anna", "kind": "phone", "zone": "hall", "since": late,
            "quality": "fair", "last_seen": late,
        ]
        let bert: JSONValue = [
            "node": "bert", "name": "Bert", "kind": "phone", "zone": "kitchen", "since": late,
            "quality": "fair", "last_seen": late,
        ]
        let tag: JSONValue = [
            "node": "tag", "name": "Tag", "kind": "phone", "zone": .null, "quality": "lost",
            "last_seen": .null,
        ]
        #expect(state.devicesJSON == .array([wall, anna, bert, tag]))
    }

    @Test func `a zone says who is in it`() throws {
        let hall = try #require(state.zoneJSON(Place.hall))
        #expect(hall["occupied"] == true)
        #expect(
            hall["devices"] == [
                ["node": "wall", "name": "Panel", "since": .string(Place.start.timestamp)],
                ["node": "anna", "name": "Anna", "since": .string(now.timestamp)],
            ]
        )
        var empty = state
        empty.nodes["bert"]?.zoneID = nil
        #expect(empty.zoneJSON(kitchen)?["occupied"] == false)
        #expect(empty.zoneJSON(kitchen)?["devices"] == [])
    }

    @Test func `the current zone says nothing about others`() {
        #expect(state.zoneJSON["slug"] == "hall")
        #expect(state.zoneJSON["occupied"] == nil && state.zoneJSON["devices"] == nil)
        #expect(state.standing(for: "bert")?.zoneJSON["slug"] == "kitchen")
        #expect(state.standing(for: "bert")?.zoneJSON["devices"] == nil)
    }

    @Test func `a daemon with one device says what it always said`() {
        let alone = Place.state
        #expect(alone.devicesJSON == nil)
        #expect(alone.zoneJSON(Place.hall)?["occupied"] == nil)
        #expect(alone.zoneJSON(Place.hall)?["devices"] == nil)
    }

    @Test func `who may not see devices learns nothing from zones`() {
        let table = AccessTable(
            users: [User(id: AccountID(high: 2, low: 0), name: "bob")],
            grants: [Grant(id: 1, .user(AccountID(high: 2, low: 0)), .read, .all)]
        )
        let reader = Reader(table, for: .user(AccountID(high: 2, low: 0)), at: 0)
        #expect(reader.seesEverything && !reader.seesDevices)
        let seen = state.seen(by: reader)
        #expect(seen.devicesJSON == nil)
        #expect(seen.zoneJSON(Place.hall)?["slug"] == "hall")
        #expect(seen.zoneJSON(Place.hall)?["occupied"] == nil)
    }

    @Test func `the state of a node is about its device`() {
        let bert = state.standing(for: "bert")
        #expect(bert?.feedJSON()["zone"]?["slug"] == "kitchen")
        #expect(bert?.feedJSON()["device"]?["id"] == .null, "it has none in the place yet")
        #expect(state.feedJSON()["zone"]?["slug"] == "hall")
    }
}
