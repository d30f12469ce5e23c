import Controller
import Flare
import Testing

@testable import Web

struct DevicePaceTests {
    private static func state(x: Double = 0, zone: FlareID? = nil, _ names: [String] = ["anna"])
        -> ControllerState
    {
        var state = FakeNode.state()
        for name in names {
            var node = DeviceNode(ListedNode(node: name, name: name, kind: "phone"))
            var device = FlareDevice(id: FlareID(high: 20, low: 0))
            device.position = Point3D(x: x, y: 0)
            (node.device, node.zoneID) = (device, zone)
            state.nodes[name] = node
        }
        return state
    }

    private static func pace(_ state: ControllerState = state()) -> DevicePace {
        var pace = DevicePace(interval: 1000)
        pace.begin(with: state)
        return pace
    }

    @Test func `movement is sent once in an interval, and one wait is enough for it`() {
        var pace = Self.pace()
        #expect(pace.decide(Self.state(), at: 0) == DevicePace.Decision())
        #expect(pace.decide(Self.state(x: 1), at: 200) == DevicePace.Decision(changed: ["anna"]))
        #expect(pace.decide(Self.state(x: 2), at: 400) == DevicePace.Decision(wait: 800))
        #expect(pace.decide(Self.state(x: 3), at: 600) == DevicePace.Decision())
        pace.waited()
        #expect(pace.decide(Self.state(x: 3), at: 1200) == DevicePace.Decision(changed: ["anna"]))
    }

    @Test func `who is elsewhere is told at once, but all devices are not compared again and again`() {
        var pace = Self.pace()
        _ = pace.decide(Self.state(x: 1), at: 0)
        let kitchen = Self.state(x: 1, zone: FakeNode.kitchen)
        #expect(pace.decide(kitchen, at: 30) == DevicePace.Decision(wait: 70))
        #expect(pace.decide(kitchen, at: 60) == DevicePace.Decision())
        pace.waited()
        #expect(pace.decide(kitchen, at: 100) == DevicePace.Decision(changed: ["anna"]))
    }

    @Test func `one that moves does not keep back what another one does`() {
        let two = ["anna", "bert"]
        var pace = Self.pace(Self.state(two))
        _ = pace.decide(Self.state(x: 1, two), at: 0)
        #expect(pace.decide(Self.state(x: 2, two), at: 200) == DevicePace.Decision(wait: 800))
        var state = Self.state(x: 2, two)
        state.nodes["bert"]?.zoneID = FakeNode.kitchen
        #expect(pace.decide(state, at: 300) == DevicePace.Decision(changed: ["bert"]))
    }

    @Test func `a device that is new and one that is gone are changes, and a daemon with one has none`() {
        var pace = Self.pace(Self.state([]))
        #expect(pace.decide(Self.state([]), at: 0) == DevicePace.Decision())
        #expect(pace.decide(Self.state(), at: 100) == DevicePace.Decision(changed: ["anna"]))
        #expect(pace.decide(Self.state(["bert"]), at: 200) == DevicePace.Decision(changed: ["bert", "anna"]))
        #expect(pace.decide(Self.state([]), at: 300) == DevicePace.Decision(changed: ["bert"]))
        #expect(pace.decide(Self.state([]), at: 400) == DevicePace.Decision())
    }
}
