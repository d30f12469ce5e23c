import Controller
import Flare
import JSON
import People
import TestSupport
import Testing
import Things
@testable import Web

/// The devices of a daemon with several, over HTTP.
@Suite(.timeLimit(.minutes(1)))
struct DeviceRouteTests {
    private func serve(_ body: @escaping @Sendable (FakeNode, Int) async throws -> Void) async throws {
        let node = try FakeNode()
        node.change([]) { state in
            var anna = DeviceNode(ListedNode(node: "anna", name: "Anna", kind: "phone"))
            anna.zoneID = FakeNode.kitchen
            state.nodes["anna"] = anna
        }
        try await withWeb(node) { port in try await body(node, port) }
    }

    @Test func `all devices are listed, and each has a state of its own`() async throws {
        try await serve { _, port in
            let list = try JSONValue(parsing: try await request("GET", "/api/devices", port: port).body)
            let anna = list.array?.first { $0["node"] == "anna" }
            #expect(anna?["zone"] == "kitchen")
            let state = try await request("GET", "/api/devices/anna/state", port: port)
            #expect(try JSONValue(parsing: state.body)["zone"]?["slug"] == "kitchen")
            let own = try await request("GET", "/api/devices/wall/state", port: port)
            #expect(try JSONValue(parsing: own.body)["zone"]?["slug"] != "kitchen")
            #expect(try await request("GET", "/api/devices/bert/state", port: port).status == 404)
        }
    }

    @Test func `a command on a device's path is the device's, and one for nobody's is refused`() async throws
    {
        try await serve { node, port in
            let body = #"{"brightness":128}"#
            let json = ["Content-Type: application/json"]
            for (path, status) in [("anna", 200), ("wall", 200), ("bert", 404)] {
                let reply = try await request(
                    "POST",
                    "/api/devices/\(path)/nearby/set",
                    port: port,
                    headers: json,
                    body: body
                )
                #expect(reply.status == status, "\(path): \(reply.body)")
            }
            let nodes = node.events.compactMap { event -> String? in
                switch event {
                case .node(let node, .commandReceived): node
                case .commandReceived: ""
                default: nil
                }
            }
            #expect(nodes == ["anna", ""])
        }
    }

    private static func place(_ node: FakeNode) {
        node.change([]) { state in
            for (name, zone) in [("anna", FakeNode.kitchen), ("bert", FakeNode.kitchen)] {
                var other = DeviceNode(ListedNode(node: name, name: name, kind: "phone"))
                other.zoneID = zone
                state.nodes[name] = other
            }
        }
    }

    @Test func `who may not see devices learns from no path where they are`() async throws {
        try await Users.serve([(.read, .all)]) { (port: Int, node: FakeNode) async throws in
            Self.place(node)
            // The owner has read them first, and texts are kept.
            _ = try await request("GET", "/api/zones", port: port)
            for path in ["/api/zones", "/api/zones/kitchen", "/api/devices", "/api/state"] {
                let body = try await request("GET", path, port: port, headers: Users.token).body
                #expect(!body.contains("anna") && !body.contains("occupied"), "\(path): \(body)")
            }
            let state = try await request("GET", "/api/devices/anna/state", port: port, headers: Users.token)
            #expect(state.status == 404)
            let order = try await request(
                "POST",
                "/api/devices/anna/nearby/set",
                port: port,
                headers: Users.token + ["Content-Type: application/json"],
                body: "{}"
            )
            #expect(order.status == 404, "\(order)")
        }
    }

    @Test func `who may see one device is shown that one, and as if there were no other`() async throws {
        try await Users.serve([(.read, .all), (.read, .device("anna"))]) {
            (port: Int, node: FakeNode) async throws in
            Self.place(node)
            for path in ["/api/zones/kitchen", "/api/devices"] {
                let body = try await request("GET", path, port: port, headers: Users.token).body
                #expect(body.contains("anna") && !body.contains("bert"), "\(path): \(body)")
            }
            node.change([.occupancy(FakeNode.kitchen)]) {
                $0.nodes["anna"]?.zoneID = nil
            }
            let zone = try await request("GET", "/api/zones/kitchen", port: port, headers: Users.token).body
            #expect(try JSONValue(parsing: zone)["occupied"] == false)
        }
    }

    @Test func `a stream does not tell who may not see devices that somebody has left a zone`() async throws {
        try await Users.serve([(.read, .all), (.read, .device("anna"))]) {
            (port: Int, node: FakeNode) async throws in
            Self.place(node)
            let kitchen = ObjectReference(.zone, FakeNode.kitchen)
            try await onThread {
                let reader = try StreamReader(port: port, headers: Users.token)
                #expect(try reader.next()?.name == "state")
                node.change([.object(kitchen), .devices]) { $0.nodes["bert"]?.zoneID = nil }
                node.change([.object(Users.lamp)]) { $0.things[FakeNode.lamp]?.data["color"] = "blue" }
                #expect(try reader.next()?.name == "thing", "that was Bert, whom nobody here may see")
                node.change([.object(kitchen), .devices]) { $0.nodes["anna"]?.zoneID = nil }
                let zone = try reader.next()
                #expect(zone?.name == "zone" && zone?.data["occupied"] == false)
            }
        }
    }

    @Test func `who may see the daemon's own device alone is shown that one`() async throws {
        try await Users.serve([(.read, .all), (.read, .device("wall"))]) {
            (port: Int, node: FakeNode) async throws in
            Self.place(node)
            for path in ["/api/zones/kitchen", "/api/devices", "/api/state", "/api/devices/wall/state"] {
                let body = try await request("GET", path, port: port, headers: Users.token).body
                #expect(!body.contains("anna") && !body.contains("bert"), "\(path): \(body)")
            }
            let zone = try await request("GET", "/api/zones/kitchen", port: port, headers: Users.token).body
            #expect(try JSONValue(parsing: zone)["devices"]?.array?.map { $0["node"] } == ["wall"])
            let list = try await request("GET", "/api/devices", port: port, headers: Users.token).body
            #expect(try JSONValue(parsing: list).array?.map { $0["zone"] } == ["kitchen"])
            let state = try await request("GET", "/api/state", port: port, headers: Users.token).body
            #expect(try JSONValue(parsing: state)["zone"]?["slug"] == "kitchen")
        }
    }

    @Test func `a command for a device speaks for whose token it has, and its refusal is reported`()
        async throws
    {
        try await Users.serve([(.read, .all)]) { (port: Int, node: FakeNode) async throws in
            Self.place(node)
            // Who sends it may see the device, and bob may not.
            for (token, status) in [("tlu_bob", 404), ("tlu_x", 401)] {
                let reply = try await request(
                    "POST",
                    "/api/devices/anna/nearby/set",
                    port: port,
                    headers: ["Content-Type: application/json"],
                    body: #"{"state":"ON","token":"\#(token)"}"#
                )
                #expect(reply.status == status, "\(reply.body)")
            }
            let refused = node.events.compactMap { event -> RefusalCode? in
                if case .commandRefused(let answer, _, _) = event { answer.refusal?.code } else { nil }
            }
            #expect(refused == [.unknownThing, .unauthenticated])
        }
    }
}
