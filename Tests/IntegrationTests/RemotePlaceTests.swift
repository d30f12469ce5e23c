import Flare
import Foundation
import JSON
import TestSupport
import Testing

/// A daemon whose place is on a remote server: read in intervals, and kept for a start without that server.
@Suite(.mosquitto, .enabled(if: Mosquitto.isExpected), .timeLimit(.minutes(2)))
struct RemotePlaceTests {
    private static let lamp = "things/table-lamp"

    /// Runs the body with a server that has the ``Place``, and a daemon that uses it but does not run yet.
    private func withServer(
        _ body: (_ server: Home, _ home: Home, _ visitor: Visitor, _ keys: [String: String]) async throws ->
            Void
    ) async throws {
        let port = try LoopbackSocket.freePort()
        try await withTemporaryFolder { folder in
            let server = Home(in: folder, port: 1)
            try await server.take()
            let keys = [
                "flare.mode": "remote", "flare.remote.url": "http://127.0.0.1:\(port)",
                "flare.remote.reconnect_max_seconds": "1", "flare.remote.poll_seconds": "1",
            ]
            do {
                try await withEmptyHome { home, visitor in
                    try await start(server, at: port)
                    try await body(server, home, visitor, keys)
                }
                await server.kill()
            } catch {
                await server.kill()
                throw error
            }
        }
    }

    private func start(_ server: Home, at port: Int) async throws {
        try await server.start(["flare.server.listen": "127.0.0.1:\(port)"], verb: "serve")
        #expect(await server.logs("Flare server: http://127.0.0.1:"))
    }

    private func port(_ keys: [String: String]) throws -> Int {
        try #require(keys["flare.remote.url"]?.split(separator: ":").last.flatMap { Int($0) })
    }

    private func change(_ server: Home, _ data: String) async throws {
        let path = Place.path(ofThing: Place.tableLamp, in: Place.living)
        let answer = try await server.rest("PUT", path, data)
        #expect(answer.status == 200)
    }

    @Test func `a place that is read in intervals: changes are events, and commands are confirmed`()
        async throws
    {
        try await withServer { server, home, visitor, keys in
            let keys = keys.merging(["flare.remote.stream": "false"]) { $1 }
            try await visitor.whileStarting { try await home.start(keys) }
            try await visitor.awaits(Self.lamp) { $0["color_name"] == "orange" }
            // A server tells nobody of changes by REST.
            try await change(server, #"{"data.color": "blue"}"#)
            try await visitor.awaits(Self.lamp) { $0["color_name"] == "blue" }
            let event = try await visitor.awaitsEvent("thing", "changed")
            #expect(event["cause"]?["source"] == "server" && event["changed"] == ["color"])
            #expect(try await visitor.ask("\(Self.lamp)/set/color", "red").outcome == "ok")
            try await visitor.awaits(Self.lamp) { $0["color_name"] == "red" }
            let stored = try await server.rest("GET", Place.path(ofThing: Place.tableLamp, in: Place.living))
            #expect(stored.body.contains("\"red\""))

            // The server dies while it is polled.
            await server.kill()
            try await visitor.awaits("\(Self.lamp)/availability", "offline")
            #expect(try await visitor.ask("\(Self.lamp)/set/color", "green").outcome == "server_unreachable")
            try await start(server, at: port(keys))
            try await visitor.awaits("\(Self.lamp)/availability", "online")
            #expect(try await visitor.ask("\(Self.lamp)/set/color", "green").outcome == "ok")
        }
    }

    @Test func `without a mirror, things are unavailable until the server answers`() async throws {
        try await withServer { server, home, visitor, keys in
            try await visitor.whileStarting { try await home.start(keys) }
            try await visitor.awaits("\(Self.lamp)/availability", "online")
            #expect(await home.stop() == 0)
            await server.kill()
            await visitor.forget()
            try await home.start(keys)
            try await visitor.awaits("\(Self.lamp)/availability", "offline")
            #expect(try await visitor.ask("\(Self.lamp)/set/color", "red").outcome == "server_unreachable")
            try await start(server, at: port(keys))
            try await visitor.awaits("\(Self.lamp)/availability", "online")
        }
    }

    @Test
    func `a start without the server shows the last place as stale, and then the live one without events`()
        async throws
    {
        try await withServer { server, home, visitor, keys in
            let keys = keys.merging(["flare.remote.mirror": "true"]) { $1 }
            try await visitor.whileStarting { try await home.start(keys) }
            try await visitor.awaits(Self.lamp) { $0["color_name"] == "orange" && $0["stale"] == nil }
            #expect(await home.stop() == 0)

            try await change(server, #"{"data.color": "blue"}"#)
            _ = try await server.rest("DELETE", Place.path(ofThing: Place.fridge, in: Place.kitchen))
            await server.kill()
            await visitor.forget()
            try await home.start(keys)
            try await visitor.awaits(Self.lamp) { $0["stale"] == true && $0["color_name"] == "orange" }
            try await visitor.awaits("things/fridge") { $0["stale"] == true }
            try await visitor.awaits("environment") { $0["stale"] == true && $0["name"] == "Flat" }
            try await visitor.awaits("state") { $0["stale"] == true }
            try await visitor.awaits("\(Self.lamp)/availability", "offline")
            #expect(try await visitor.ask("\(Self.lamp)/set/color", "red").outcome == "server_unreachable")

            try await start(server, at: port(keys))
            try await visitor.awaits(Self.lamp) { $0["stale"] == nil && $0["color_name"] == "blue" }
            try await visitor.awaits("\(Self.lamp)/availability", "online")
            try await visitor.awaits("things/fridge", "")
            try await visitor.awaits("state") { $0["stale"] == nil }
            try await visitor.awaits("environments/hut") { $0["stale"] == nil }
            #expect(try await visitor.ask("\(Self.lamp)/set/color", "red").outcome == "ok")
            // The first event of a thing is that of the command.
            let event = try await visitor.awaitsEvent("thing", "changed")
            #expect(event["cause"]?["source"] == "command")
            for topic in ["thing", "environment", "device"] {
                let types = await visitor.objects(on: "event/\(topic)").compactMap {
                    $0["event_type"]?.string
                }
                #expect(types == (topic == "thing" ? ["changed"] : []), "\(topic)")
            }
        }
    }

    @Test func `the place of another server is not shown`() async throws {
        try await withServer { server, home, visitor, keys in
            let keys = keys.merging(["flare.remote.mirror": "true"]) { $1 }
            try await visitor.whileStarting { try await home.start(keys) }
            #expect(await home.stop() == 0)
            await server.kill()
            await visitor.forget()
            let other = try LoopbackSocket.freePort()
            try await home.start(keys.merging(["flare.remote.url": "http://127.0.0.1:\(other)"]) { $1 })
            try await visitor.awaits("alerts") { ($0["count"]?.number ?? 0) > 0 }
            try await visitor.awaits("environment") { $0["id"] == .null }
            #expect(await visitor.objects(on: Self.lamp).allSatisfy { $0["stale"] == nil })
        }
    }
}
