import Controller
import Flare
import JSON
import People
import TestSupport
import Testing

@testable import Web

/// Where several devices are, in the list and on the event stream.
@Suite(.timeLimit(.minutes(1)))
struct DeviceStreamTests {
    private static let lamp = ObjectReference(.thing, FakeNode.lamp)

    private static func place(_ names: [String], _ node: FakeNode) {
        node.change([]) { state in
            for name in names {
                var other = DeviceNode(ListedNode(node: name, name: name, kind: "phone"))
                var device = FlareDevice(id: FlareID(high: 20, low: 0))
                device.position = Point3D(x: 3, y: 2)
                (other.device, other.zoneID, other.nearbyID) = (device, FakeNode.kitchen, FakeNode.lamp)
                state.nodes[name] = other
            }
        }
    }

    private static func paint(_ node: FakeNode) {
        node.change([.object(lamp)]) { $0.things[FakeNode.lamp]?.data["color"] = "blue" }
    }

    @Test func `the list says where exactly each device is, and what it is near`() async throws {
        let node = try FakeNode()
        Self.place(["anna"], node)
        try await withWeb(node) { port in
            let reply = try await request("GET", "/api/devices", port: port)
            let list = try JSONValue(parsing: reply.body)
            let anna = try #require(list.array?.first)
            #expect(list.array?.count == 1)
            #expect(anna["node"] == "anna" && anna["name"] == "anna" && anna["kind"] == "phone")
            #expect(anna["zone"] == "kitchen" && anna["nearby"] == "red-lamp")
            #expect(anna["position"]?["x"] == 3 && anna["position"]?["y"] == 2)
        }
    }

    @Test func `a stream tells that a device is elsewhere, and that it is gone`() async throws {
        let node = try FakeNode()
        Self.place(["anna", "bert"], node)
        try await withWeb(node) { port in
            try await onThread {
                let reader = try StreamReader(port: port)
                #expect(try reader.next()?.name == "state")
                node.change([.devices]) {
                    $0.nodes["anna"]?.zoneID = nil
                    $0.nodes["anna"]?.nearbyID = nil
                }
                let moved = try #require(try reader.next())
                #expect(moved.name == "device" && moved.id != nil)
                #expect(moved.data["node"] == "anna" && moved.data["position"]?["x"] == 3)
                #expect(moved.data["zone"] == .null && moved.data["nearby"] == .null)
                node.change([.devices]) { $0.nodes["anna"] = nil }
                let gone = try #require(try reader.next())
                #expect(gone.name == "device" && gone.data == ["node": "anna", "removed": true])
            }
        }
    }

    @Test func `a daemon with one device has an empty list, and tells nothing of it`() async throws {
        let node = try FakeNode()
        node.change([]) { $0.device = FlareDevice(id: FlareID(high: 20, low: 0)) }
        try await withWeb(node) { port in
            #expect(try await request("GET", "/api/devices", port: port).body == "[]")
            try await onThread {
                let reader = try StreamReader(port: port)
                _ = try reader.next()
                node.change([.device, .position, .devices]) { $0.device?.position = Point3D(x: 1, y: 1) }
                Self.paint(node)
                var names: [String] = []
                while names.last != "thing", let event = try reader.next() { names.append(event.name) }
                #expect(names.last == "thing" && !names.contains("device"))
            }
        }
    }

    @Test func `who may see one device is told of that one, and of no other`() async throws {
        try await Users.serve([(.read, .all), (.read, .device("anna"))]) {
            (port: Int, node: FakeNode) async throws in
            Self.place(["anna", "bert"], node)
            try await onThread {
                let reader = try StreamReader(port: port, headers: Users.token)
                _ = try reader.next("state")
                node.change([.devices]) { state in
                    for name in ["anna", "bert"] { state.nodes[name]?.zoneID = nil }
                }
                let moved = try #require(try reader.next("device"))
                #expect(moved.data["node"] == "anna" && moved.data["zone"] == .null)
                node.change([.devices]) { $0.nodes = [:] }
                var seen: [JSONValue] = []
                while let event = try reader.next() {
                    if event.name == "device" { seen.append(event.data) }
                    if event.data["removed"] == true { break }
                }
                Self.paint(node)
                while let event = try reader.next(), event.name != "thing" {
                    if event.name == "device" { seen.append(event.data) }
                }
                #expect(seen == [["node": "anna", "removed": true]])
            }
        }
    }
}
