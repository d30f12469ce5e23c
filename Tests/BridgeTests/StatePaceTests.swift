import Bridge
import Controller
import Flare
import JSON
import Testing

/// How often topics are told, and what a change costs.
struct StatePaceTests {
    private func at(_ x: Double, _ milliseconds: Int64) -> ControllerState {
        var state = Flat.state
        state.device?.position = Point3D(x: x, y: 0)
        state.fix?.at = Flat.moment(milliseconds)
        return state
    }

    private let step: Set<StateChange> = [.device, .position, .nearby]

    @Test func `a step is told five times a second, its copies once`() {
        var screen = Screen.ofFlat()
        var counts: [String: Int] = [:]
        for time in stride(from: Int64(50), through: 2000, by: 50) {
            for topic in screen.show(at(Double(time) / 1000, time), step, at: time).keys {
                counts[topic, default: 0] += 1
            }
        }
        #expect(counts == ["device/position": 10, "device": 2, "state": 2])
    }

    @Test func `a turn is told ten times a second`() {
        var screen = Screen.ofFlat()
        var count = 0
        for time in stride(from: Int64(20), through: 1000, by: 20) {
            var state = Flat.state
            state.device?.data["angle"] = .number(Double(time / 20))
            if screen.show(state, [.device, .angle], at: time)["device/angle"] != nil { count += 1 }
        }
        #expect(count == 10)
    }

    @Test func `what had to wait comes by itself with the newest values`() throws {
        var screen = Screen.ofFlat()
        #expect(screen.show(at(1, 10), step, at: 10).isEmpty)
        #expect(screen.show(at(2, 20), step, at: 20).isEmpty)
        #expect(screen.store.nextDue(after: 20) == 200)
        let position = screen.send(at: 200)
        #expect(Set(position.keys) == ["device/position"])
        #expect(try JSONValue(parsing: position["device/position"] ?? "")["x"] == 2)
        #expect(screen.store.nextDue(after: 200) == 1000)
        let copies = screen.send(at: 1000)
        #expect(Set(copies.keys) == ["device", "state"])
        #expect(try JSONValue(parsing: copies["device"] ?? "")["position"]?["x"] == 2)
        #expect(screen.store.nextDue(after: 1000) == nil)
    }

    @Test func `another zone is told at once, with the step that waited`() throws {
        var screen = Screen.ofFlat()
        screen.show(at(1, 10), step, at: 10)
        var state = at(1, 10)
        state.zoneID = nil
        let told = screen.show(state, [.zone, .device], at: 20)
        #expect(Set(told.keys) == ["zone", "device", "state"])
        #expect(told["zone"] == #"{"id":null}"#)
        #expect(try JSONValue(parsing: told["device"] ?? "")["position"]?["x"] == 1)
    }

    @Test func `a thing that comes near or changes is told at once`() throws {
        var screen = Screen.ofFlat()
        var state = Flat.state
        state.nearbyID = Flat.lamp
        #expect(
            Set(screen.show(state, [.nearby], at: 10).keys) == ["nearby", "nearby/availability", "state"]
        )
        state.things[Flat.lamp]?.data["on"] = false
        let told = screen.show(state, [.nearby, .object(ObjectReference(.thing, Flat.lamp))], at: 20)
        #expect(Set(told.keys) == ["nearby", "state", "things/lamp", "things/lamp/data"])
        #expect(try JSONValue(parsing: told["state"] ?? "")["nearby"]?["state"] == "OFF")
    }

    @Test func `only the distance to the nearby thing waits in the feed`() {
        var screen = Screen.ofFlat()
        var state = Flat.state
        state.nearbyID = Flat.lamp
        screen.show(state, [.nearby])
        var moved = at(1, 10)
        moved.nearbyID = Flat.lamp
        #expect(Set(screen.show(moved, step, at: 10).keys) == ["nearby"])
    }

    @Test func `another name of the device, or a quality that is lost, is told at once`() {
        var screen = Screen.ofFlat()
        var state = Flat.state
        state.device?.name = "Tablet"
        #expect(Set(screen.show(state, [.device], at: 10).keys) == ["device", "state"])
        state.fix?.quality = .lost
        #expect(Set(screen.show(state, [.device, .position], at: 20).keys) == ["device", "state"])
        #expect(Set(screen.send(at: 200).keys) == ["device/position"])
    }

    @Test func `a source of positions that is gone is told at once`() {
        var screen = Screen.ofFlat()
        var state = Flat.state
        state.fix = nil
        #expect(Set(screen.show(state, [.device], at: 10).keys).isSuperset(of: ["device", "state"]))
    }

    @Test func `a device or a nearby thing that is gone is told at once`() throws {
        var screen = Screen.ofFlat()
        var state = Flat.state
        state.nearbyID = Flat.lamp
        screen.show(state, [.nearby])
        state.nearbyID = nil
        let left = screen.show(state, [.nearby], at: 10)
        #expect(left["nearby"] == #"{"id":null,"state":null}"#)
        #expect(try JSONValue(parsing: left["state"] ?? "")["nearby"] == ["id": .null, "state": .null])
        state.device = nil
        let gone = screen.show(state, [.device], at: 20)
        #expect(gone["device"] == #"{"id":null}"#)
        #expect(try JSONValue(parsing: gone["state"] ?? "")["device"] == ["id": .null])
    }

    // MARK: Repeating

    @Test func `the position is repeated while the beacons are heard`() {
        var screen = Screen.ofFlat()
        #expect(screen.aliveTopics() == ["device/position"])
        var state = Flat.state
        state.fix?.quality = .lost
        screen.show(state, [.device, .position])
        #expect(screen.aliveTopics().isEmpty)
        screen.show(Flat.state, [.device, .position])
        #expect(screen.aliveTopics() == ["device/position"])
    }

    @Test func `the angle is repeated while the compass is heard, with beacons or without`() {
        var screen = Screen.ofFlat()
        var state = Flat.state
        state.fix = nil
        state.headingAt = Instant(wallMilliseconds: 0, steadyMilliseconds: 1000)
        screen.show(state, [.angle, .position])
        #expect(screen.aliveTopics(at: 11_000) == ["device/angle"])
        #expect(screen.aliveTopics(at: 17_000).isEmpty)
    }

    @Test(arguments: ["cmx", "server", "command"])
    func `what was told from elsewhere is not repeated`(source: String) {
        var screen = Screen()
        var state = Flat.state
        state.fix?.source = source
        screen.show(state, [.device, .position])
        #expect(screen.aliveTopics().isEmpty)
    }

    @Test func `only what there is is repeated`() {
        var screen = Screen()
        var state = Flat.state
        state.device?.data = [:]
        screen.show(state, [.device, .position])
        #expect(screen.aliveTopics() == ["device/position"])
        state.device = nil
        screen.show(state, [.device, .position])
        #expect(screen.aliveTopics().isEmpty)
    }

    // MARK: Cost

    @Test func `one changed thing among a thousand puts its own three topics into the store`() {
        var state = Flat.state
        var changes: Set<StateChange> = []
        for number in 0..<1000 {
            let id = FlareID(high: 5, low: UInt32(number))
            let object = ObjectReference(.thing, id)
            state.things[id] = FlareThing(id: id)
            state.things[id]?.data = ["on": true]
            state.slugs.restore("thing-\(number)", for: object)
            changes.insert(.object(object))
        }
        var screen = Screen()
        #expect(screen.show(state, changes).filter { $0.key.hasPrefix("things/") }.count == 3000)
        // Everything else would differ too if it were looked at.
        for id in state.things.keys { state.things[id]?.data["on"] = false }
        let told = screen.show(state, [.object(ObjectReference(.thing, FlareID(high: 5, low: 500)))])
        #expect(Set(told.keys) == ["things/thing-500", "things/thing-500/data"])
        state.isLinkUp = false
        let offline = screen.show(state, [.object(ObjectReference(.thing, FlareID(high: 5, low: 501)))])
        #expect(
            Set(offline.keys) == [
                "things/thing-501", "things/thing-501/data", "things/thing-501/availability",
            ]
        )
    }
}
