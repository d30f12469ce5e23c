import Foundation
import JSON
import TestSupport
import Testing

/// Places made, changed and removed over HTTP at a real daemon.
@Suite(.enabled(if: Mosquitto.isExpected), .mosquitto, .timeLimit(.minutes(2)))
struct PlaceInterfaceTests {
    private struct Owner {
        let port: Int
        let headers: [String]

        init(_ home: Home) async throws {
            try #require(await home.logs("web: http://127.0.0.1:"))
            let rest = await home.log.components(separatedBy: "web: http://127.0.0.1:").last
            port = try #require(rest.flatMap { Int($0.prefix { $0.isNumber }) })
            headers = [try await home.signIn(port: port), "Content-Type: application/json"]
        }

        /// What the API answers, with its status.
        func ask(_ method: String, _ path: String, _ body: String = "") async throws -> (Int, JSONValue) {
            let reply = try await request(method, "/api/" + path, port: port, headers: headers, body: body)
            return (reply.status, (try? JSONValue(parsing: reply.body)) ?? .null)
        }
    }

    private static func box(_ x: Int, _ width: Int) -> String {
        #""perimeter":{"origin":{"x":\#(x),"y":0},"size":{"width":\#(width),"height":4}}"#
    }

    private func messages(_ answer: JSONValue) -> [String] {
        answer["warnings"]?.array?.compactMap { $0["message"]?.string } ?? []
    }

    @Test func `a daemon without a place gets one, with zones and things, and what is hardly meant is told`()
        async throws
    {
        try await withEmptyHome { home, visitor in
            try await home.start(["web.listen": "127.0.0.1:0"])
            try await visitor.awaits("status", "online")
            let owner = try await Owner(home)
            let place = try await owner.ask("POST", "environments", #"{"name":"Flat",\#(Self.box(0, 9))}"#)
            #expect(place.0 == 200 && place.1["target"]?["slug"] == "flat", "\(place)")
            #expect(messages(place.1) == [])
            let room = try await owner.ask(
                "POST",
                "zones",
                #"{"name":"Hall","environment":"flat",\#(Self.box(0, 4)),"data":{"major":1}}"#
            )
            #expect(room.0 == 200 && messages(room.1) == [], "\(room)")
            let body = #"{"name":"Lamp","zone":"hall","position":{"x":40,"y":1},"data":{"on":false}}"#
            let lamp = try await owner.ask("POST", "things", body)
            #expect(lamp.0 == 200, "\(lamp)")
            #expect(
                messages(lamp.1).first?.hasPrefix("position is outside its zone (x 0 to 4") == true,
                "\(lamp)"
            )
            #expect(lamp.1["warnings"]?.array?.first?["field"] == "position")
            try await visitor.awaits("things/lamp") { $0["zone"] == "hall" }
            try await visitor.awaits("environments/flat") { $0["name"] == "Flat" }

            let half = try await owner.ask("PATCH", "things/lamp", #"{"position":{"x":1}}"#)
            #expect(half.0 == 400 && half.1["error"]?["field"] == "position", "\(half)")
            #expect(half.1["error"]?["message"]?.string?.contains("x and y") == true)
            let inside = try await owner.ask("PATCH", "things/lamp", #"{"position":{"x":1,"y":1}}"#)
            #expect(inside.0 == 200 && messages(inside.1) == [], "\(inside)")
            let twin = try await owner.ask(
                "POST",
                "zones",
                #"{"name":"Attic","environment":"flat",\#(Self.box(20, 4)),"data":{"major":1}}"#
            )
            let found = messages(twin.1)
            #expect(found.contains { $0.contains("data.major") && $0.contains("zone \"Hall\"") }, "\(twin)")
            #expect(found.contains { $0.contains("not within its environment's perimeter") })
            let smaller = try await owner.ask("PATCH", "zones/hall", "{\(Self.box(3, 1))}")
            #expect(messages(smaller.1).contains { $0.hasPrefix("thing \"Lamp\": position") }, "\(smaller)")

            let full = try await owner.ask("DELETE", "environments/flat")
            #expect(full.0 == 409 && full.1["error"]?["code"] == "not_empty", "\(full)")
            #expect(
                full.1["error"]?["message"]?.string?.contains("2 zones (Attic, Hall) and 1 thing (Lamp)")
                    == true
            )
            #expect(try await owner.ask("DELETE", "environments/flat?contents=true").0 == 200)
            #expect(try await owner.ask("GET", "environments").1 == [])
            #expect(try await owner.ask("GET", "things?environment=*").1 == [])
            let log = try await owner.ask("GET", "log").1.array ?? []
            let kinds = log.compactMap { $0["kind"]?.string }
            for kind in [
                "environment add", "zone add", "zone edit", "thing add", "thing edit", "environment rm",
            ] {
                #expect(kinds.contains(kind), "\(kinds)")
            }
        }
    }

    @Test func `another place is read and changed while the device is not there`() async throws {
        try await withHome(["web.listen": "127.0.0.1:0"]) { home, _ in
            let owner = try await Owner(home)
            let things = try await owner.ask("GET", "things?environment=hut").1
            #expect(things.array?.map { $0["slug"] } == ["lantern"], "\(things)")
            #expect(things.array?.first?["data"] == ["brightness": 1])
            let changed = try await owner.ask("PATCH", "things/lantern", #"{"data":{"brightness":0.5}}"#)
            #expect(changed.0 == 200, "\(changed)")
            #expect(try await owner.ask("GET", "things/lantern").1["data"] == ["brightness": 0.5])
            let made = try await owner.ask("POST", "things", #"{"name":"Bench","zone":"porch"}"#)
            #expect(made.1["target"]?["slug"] == "bench", "\(made)")
            #expect(messages(made.1).contains { $0.contains("has no position") })
            let all = try await owner.ask("GET", "things?environment=*").1.array?.compactMap {
                $0["slug"]?.string
            }
            #expect(all?.count == 6 && all?.contains("bench") == true && all?.contains("fridge") == true)
            #expect(try await owner.ask("DELETE", "environments/hut?contents=true").0 == 200)
            #expect(try await owner.ask("GET", "things/lantern").0 == 404)
            #expect(try await owner.ask("GET", "things").1.array?.count == 4)
        }
    }
}
