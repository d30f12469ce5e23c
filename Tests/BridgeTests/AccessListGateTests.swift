import Bridge
import Controller
import Flare
import JSON
import Messages
import Testing

/// What waits for the broker's access list.
struct AccessListGateTests {
    private static let lamp = ObjectReference(.thing, Flat.lamp)
    private static let cellar = FlareID(high: 2, low: 9)

    private struct Rig: ~Copyable {
        var screen = Screen()
        var gate = AccessListGate(Topics(root: "t/n"))

        mutating func show(_ state: ControllerState, _ changes: Set<StateChange>) -> [String: String] {
            screen.show(state, changes, behind: &gate)
        }

        /// A list is used that knows everything so far, or what was known at a number.
        mutating func apply(_ number: Int? = nil) -> [String: String] {
            screen.apply(number ?? gate.number, &gate)
        }
    }

    /// The flat is published.
    private func rig() -> Rig {
        var rig = Rig()
        _ = rig.show(Flat.state, Flat.model)
        _ = rig.apply()
        return rig
    }

    private var moved: ControllerState {
        var state = Flat.state
        state.zones[Self.cellar] = FlareZone(id: Self.cellar)
        state.slugs.restore("cellar", for: ObjectReference(.zone, Self.cellar))
        state.things[Flat.lamp]?.zone = Self.cellar
        return state
    }

    @Test func `objects are published once a list knows them`() {
        var rig = Rig()
        let early = rig.show(Flat.state, Flat.model)
        #expect(early.keys.allSatisfy { !$0.hasPrefix("things/") && !$0.hasPrefix("zones/") }, "\(early)")
        #expect(rig.apply(rig.gate.number - 1).isEmpty)
        let late = rig.apply()
        #expect(late["things/lamp"] != nil && late["things/lamp/availability"] == "online")
        #expect(late["zones/kitchen"] != nil && late["environments/home"] != nil)
        #expect(rig.apply().isEmpty)
    }

    @Test func `a thing that moves is cleared, and published again when a list knows where it is`() {
        var rig = rig()
        let before = rig.gate.number
        var state = moved
        let changes: Set<StateChange> = [
            .object(Self.lamp), .object(ObjectReference(.zone, Self.cellar)),
        ]
        let gone = rig.show(state, changes)
        for topic in ["things/lamp", "things/lamp/data", "things/lamp/availability"] {
            #expect(gone[topic] == "", "\(topic)")
        }
        #expect(!gone.values.contains { $0.contains("cellar") }, "\(gone)")
        // What changes meanwhile waits as well.
        state.things[Flat.lamp]?.data["brightness"] = 0.25
        let changed = rig.show(state, [.object(Self.lamp), .link])
        #expect(changed.keys.allSatisfy { !$0.hasPrefix("things/lamp") }, "\(changed)")
        #expect(rig.apply(before).isEmpty)
        let shown = rig.apply()
        #expect(shown["things/lamp"]?.contains(#""zone":"cellar""#) == true)
        #expect(shown["things/lamp/data"]?.contains("0.25") == true)
        #expect(shown["zones/cellar"] != nil)
    }

    @Test func `a thing that stays where it is does not wait`() {
        var rig = rig()
        let before = rig.gate.number
        var state = Flat.state
        state.things[Flat.lamp]?.data["brightness"] = 0.25
        state.things[Flat.lamp]?.position = Point3D(x: 1, y: 1)
        let shown = rig.show(state, [.object(Self.lamp)])
        #expect(shown["things/lamp/data"]?.contains("0.25") == true)
        #expect(rig.gate.number == before)
    }

    @Test func `of several moves the last place is published, when a list knows that`() {
        var rig = rig()
        _ = rig.show(moved, [.object(Self.lamp)])
        let first = rig.gate.number
        _ = rig.show(Flat.state, [.object(Self.lamp)])
        #expect(rig.apply(first)["things/lamp"] == nil)
        #expect(rig.apply()["things/lamp"]?.contains("zone") == false)
    }

    @Test func `a new thing with the name of one that is gone waits`() {
        var rig = rig()
        var state = Flat.state
        state.things[Flat.lamp] = nil
        #expect(rig.show(state, [.object(Self.lamp)])["things/lamp"] == "")
        let new = ObjectReference(.thing, FlareID(high: 3, low: 9))
        state.slugs.forget(Self.lamp)
        state.slugs.restore("lamp", for: new)
        state.things[new.id] = FlareThing(id: new.id)
        state.things[new.id]?.name = "Lamp"
        #expect(rig.show(state, [.object(new)])["things/lamp"] == nil)
        #expect(rig.apply()["things/lamp"] != nil)
    }

    @Test func `a thing that goes while it waits is not published`() {
        var rig = rig()
        _ = rig.show(moved, [.object(Self.lamp)])
        var state = moved
        state.things[Flat.lamp] = nil
        _ = rig.show(state, [.object(Self.lamp)])
        #expect(rig.apply()["things/lamp"] == nil)
        // Back again, it is new.
        #expect(rig.show(moved, [.object(Self.lamp)])["things/lamp"] == nil)
        #expect(rig.apply()["things/lamp"]?.contains("cellar") == true)
    }

    @Test func `zones wait when they begin to say who is in them`() {
        var rig = rig()
        var state = Flat.state
        state.nodes["anna"] = DeviceNode(ListedNode(node: "anna", name: "Anna"))
        state.nodes["anna"]?.zoneID = Flat.kitchen
        let kitchen = StateChange.object(ObjectReference(.zone, Flat.kitchen))
        let early = rig.show(state, [kitchen, .devices])
        #expect(early["zones/kitchen"] == "", "\(early)")
        #expect(rig.apply()["zones/kitchen"]?.contains("Anna") == true)
        // From then on, who may read it knows who is in it.
        state.nodes["anna"]?.zoneID = nil
        #expect(rig.show(state, [kitchen, .devices])["zones/kitchen"]?.contains("Anna") == false)
    }
}
