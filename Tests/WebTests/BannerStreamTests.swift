import Controller
import Flare
import JSON
import People
import TestSupport
import Testing

@testable import Web

/// Banners on the event streams of displays.
@Suite(.timeLimit(.minutes(1)))
struct BannerStreamTests {
    private static func show(_ number: Int, _ title: String, on display: String?, _ node: FakeNode) {
        let now = Instant(wallMilliseconds: 1_900_000_000_000, steadyMilliseconds: 0)
        node.change([.banner(number)]) { state in
            var banners = state.slices[Banners.self]
            let banner = Banner(on: display, title, "text", seconds: 10, rule: "closing")
            _ = banners.apply(.shown(banner), in: state, at: now)
            state.slices[Banners.self] = banners
        }
    }

    private static func alert(_ node: FakeNode) { node.change([.alert("gps")]) { _ in } }

    @Test func `a display gets its own banners and those for every display, and other streams none`()
        async throws
    {
        let node = try FakeNode()
        try await withWeb(node) { port in
            try await onThread {
                let hall = try StreamReader(port: port, display: "hall")
                let door = try StreamReader(port: port, display: "door")
                let anybody = try StreamReader(port: port)
                for reader in [hall, door, anybody] { #expect(try reader.next()?.name == "state") }
                Self.show(1, "Hall", on: "hall", node)
                Self.show(2, "All", on: nil, node)
                Self.alert(node)
                let first = try #require(try hall.next())
                #expect(first.name == "banner")
                #expect(
                    first.data == [
                        "display": "hall", "title": "Hall", "text": "text", "seconds": 10, "rule": "closing",
                        "ts": "2030-03-17T17:46:40.000Z",
                    ]
                )
                for reader in [hall, door] {
                    let next = try #require(try reader.next())
                    #expect(next.name == "banner" && next.data["title"] == "All")
                    #expect(next.data["display"] == "all")
                }
                for reader in [hall, door, anybody] { #expect(try reader.next()?.name == "alert") }
            }
        }
    }

    @Test func `a display that comes back gets each banner that it has missed`() async throws {
        let node = try FakeNode()
        try await withWeb(node) { port in
            let id = try await onThread { try StreamReader(port: port, display: "hall").next()?.id }
            for number in 1...3 { Self.show(number, "\(number)", on: "hall", node) }
            try await onThread {
                let reader = try StreamReader(port: port, display: "hall", after: id)
                for number in 1...3 { #expect(try reader.next()?.data["title"]?.string == "\(number)") }
            }
        }
    }

    @Test func `whoever sees a display sees its banners, with few rights, too`() async throws {
        try await Users.serve([(.read, .thing(FakeNode.lamp))]) { (port: Int, node: FakeNode) async throws in
            try await onThread {
                let hall = try StreamReader(port: port, display: "hall", headers: Users.token)
                let anybody = try StreamReader(port: port, headers: Users.token)
                for reader in [hall, anybody] { #expect(try reader.next("state") != nil) }
                Self.show(1, "Hall", on: "hall", node)
                Self.show(2, "Door", on: "door", node)
                node.change([.object(Users.lamp)]) { $0.things[FakeNode.lamp]?.data["color"] = "blue" }
                let banner = try #require(try hall.next("banner"))
                #expect(banner.data["title"] == "Hall")
                #expect(try hall.next("thing") != nil)
                // The first event after what each stream begins with.
                var names: [String] = []
                while let event = try anybody.next() {
                    names.append(event.name)
                    if event.name == "thing" { break }
                }
                #expect(!names.contains("banner"))
            }
        }
    }
}
