import JSON
import MQTT
import TestSupport
import Testing

/// What comes, goes and is renamed; and the choice of the environment.
/// - Source: contrib/contract/mqtt.md, "Rule 8: what is removed is cleared".
@Suite(.enabled(if: Mosquitto.isExpected), .mosquitto, .timeLimit(.minutes(1)))
struct ModelTests {
    private static let thingTopics = ["things/fridge", "things/fridge/data", "things/fridge/availability"]

    @Test func `a thing that is removed leaves nothing on the broker`() async throws {
        try await withHome(["device.allow_set": "true"]) { home, visitor in
            try await visitor.ask("device/set", #"{"position":{"x":5.5,"y":3.5,"z":1}}"#)
            try await visitor.awaits("nearby") { $0["slug"] == "fridge" }
            try await home.rest("DELETE", Place.path(ofThing: Place.fridge, in: Place.kitchen))
            for tail in Self.thingTopics {
                try await visitor.awaits(tail, "")
                #expect(await visitor.messages(on: tail).last?.payload.isEmpty == true)
            }
            try await visitor.awaits("nearby", #"{"id":null,"state":null}"#)
            try await visitor.awaits("nearby/availability", "offline")
            #expect(try await visitor.awaitsEvent("thing", "removed")["slug"] == "fridge")
            #expect(try await visitor.awaitsEvent("nearby", "far")["slug"] == "fridge")
            #expect(try await visitor.ask("things/fridge/get").outcome == "unknown_thing")
            try await withVisitor(to: home.root, port: SharedMosquitto.broker.port) { late in
                try await late.awaits("status", "online")
                try await late.awaits("things/television/data")
                for tail in Self.thingTopics { #expect(await late.text(tail) == nil) }
            }
        }
    }

    @Test func `a zone and an environment that are removed leave nothing on the broker`() async throws {
        try await withHome { home, visitor in
            try await home.rest("DELETE", "/environments/\(Place.flat)/zones/\(Place.kitchen)")
            try await visitor.awaits("zones/kitchen", "")
            #expect(try await visitor.awaitsEvent("zone", "removed")["slug"] == "kitchen")
            try await home.rest("DELETE", "/environments/\(Place.hut)")
            try await visitor.awaits("environments/hut", "")
            #expect(try await visitor.awaitsEvent("environment", "removed")["slug"] == "hut")
            #expect(try await visitor.ask("environment/set", "hut").outcome == "unknown_environment")
        }
    }

    @Test func `what went while the daemon was down is cleared at its start`() async throws {
        try await withHome { home, visitor in
            await home.stop()
            try await home.start(verb: "serve")
            try await home.rest("DELETE", Place.path(ofThing: Place.fridge, in: Place.kitchen))
            try await home.rest("DELETE", "/environments/\(Place.hut)")
            await home.stop()
            try await visitor.whileStarting { try await home.start() }
            for tail in Self.thingTopics + ["environments/hut"] { try await visitor.awaits(tail, "") }
            try await visitor.awaits("things/television") { $0["slug"] == "television" }
        }
    }

    @Test func `what comes in the place of something that went has its topics`() async throws {
        try await withHome { home, visitor in
            await home.stop()
            try await home.start(verb: "serve")
            let path = Place.path(ofThing: Place.fridge, in: Place.kitchen)
            try await home.rest("DELETE", path)
            try await home.rest(
                "POST",
                String(path.dropLast(Place.fridge.count + 1)),
                #"{"name":"Fridge","data":{"temperature":4}}"#
            )
            await home.stop()
            try await visitor.whileStarting { try await home.start() }
            let new = try await visitor.awaits("things/fridge") { $0["id"]?.string != Place.fridge }
            #expect(new["slug"] == "fridge")
            try await visitor.awaits("things/fridge/data") { $0["temperature"] == 4 }
            #expect(await visitor.text("things/fridge-2") == nil)
            await home.stop()
            try await visitor.whileStarting { try await home.start() }
            try await visitor.awaits("things/fridge") { $0["id"] == new["id"] }
        }
    }

    @Test func `a rename changes the name only`() async throws {
        try await withHome { home, visitor in
            try await home.rest(
                "PUT",
                Place.path(ofThing: Place.fridge, in: Place.kitchen),
                #"{"name":"Ice box"}"#
            )
            try await home.rest(
                "PUT",
                "/environments/\(Place.flat)/zones/\(Place.kitchen)",
                #"{"name":"Galley"}"#
            )
            let fridge = try await visitor.awaits("things/fridge") { $0["name"] == "Ice box" }
            #expect(fridge["slug"] == "fridge")
            try await visitor.awaits("zones/kitchen") { $0["name"] == "Galley" }
            let event = try await visitor.awaitsEvent("thing", "changed")
            #expect(event["before"] == ["name": "Fridge"] && event["after"] == ["name": "Ice box"])
            await home.stop()
            try await visitor.whileStarting { try await home.start() }
            try await visitor.awaits("things/fridge") { $0["name"] == "Ice box" }
            #expect(await visitor.said(on: "things/ice-box").isEmpty)
        }
    }

    @Test func `what is new comes with a short name of its own`() async throws {
        try await withHome { home, visitor in
            let things = "/environments/\(Place.flat)/zones/\(Place.living)/things"
            try await home.rest("POST", things, #"{"name":"Table lamp","data":{"on":true}}"#)
            try await home.rest("POST", things, #"{"name":"Ärmel & Söhne","data":{"on":true}}"#)
            try await home.rest("POST", things, #"{"name":"🛋","data":{"on":true}}"#)
            for slug in ["table-lamp-2", "armel-sohne", "thing"] {
                try await visitor.awaits("things/\(slug)") {
                    $0["slug"]?.string == slug && $0["state"] == "ON"
                }
                #expect(try await visitor.ask("things/\(slug)/set/state", "OFF").outcome == "ok")
            }
            #expect(try await visitor.awaitsEvent("thing", "added")["slug"] == "table-lamp-2")
        }
    }

    @Test func `the environment is chosen by next, previous, slug and id, and remembered`() async throws {
        try await withHome { home, visitor in
            var isInHut = false
            for choice in ["next", "next", "previous", "flat", Place.hut] {
                isInHut.toggle()
                try await choose(choice, isInHut ? "hut" : "flat", visitor)
            }
            #expect(await visitor.events.count { $0["event_type"] == "selected" } == 5)
            // Its page follows a moment later.
            try await awaitsDeviceInHut(home, visitor)
            await home.stop()
            try await visitor.whileStarting { try await home.start() }
            try await visitor.awaits("environment") { $0["slug"] == "hut" }
            try await awaitsDeviceInHut(home, visitor)
        }
    }

    /// Waits for our device there, which is the only one that the server has.
    private func awaitsDeviceInHut(_ home: Home, _ visitor: Visitor) async throws {
        let body = try await home.rest("GET", "/environments/\(Place.hut)/devices").body
        let devices = try JSONValue(parsing: Array(body.utf8)).array ?? []
        #expect(devices.count == 1)
        let id = devices.first?["_id"]
        try await visitor.awaits("device") { $0["id"] == id }
    }

    private func choose(_ choice: String, _ slug: String, _ visitor: Visitor) async throws {
        let (come, gone) = slug == "hut" ? ("lantern", "fridge") : ("fridge", "lantern")
        let answer = try await visitor.ask("environment/set", choice)
        #expect(answer.outcome == "ok")
        #expect(answer["target"] == ["kind": "environment", "slug": .string(slug)])
        try await visitor.awaits("environment") { $0["slug"]?.string == slug }
        try await visitor.awaits("things/\(come)") { $0["slug"]?.string == come }
        try await visitor.awaits("things/\(gone)", "")
        try await visitor.awaits("state") { $0["environment"]?["slug"]?.string == slug }
    }

    @Test func `an empty place is told, and filled while we run`() async throws {
        try await withEmptyHome { home, visitor in
            try await home.start()
            try await visitor.awaits("alert/no-environment")
            try await visitor.awaits("health") { $0["status"] == "degraded" && $0["alerts"] == 1 }
            try await visitor.awaits("environment", #"{"id":null}"#)
            #expect(try await visitor.ask("environment/set", "next").outcome == "unknown_environment")
            try await home.rest("POST", "/environments", #"{"name":"Garden"}"#)
            try await visitor.awaits("environment") { $0["slug"] == "garden" }
            try await visitor.awaits("alert/no-environment", "")
            try await visitor.awaits("health") { $0["status"] == "ok" && $0["alerts"] == 0 }
            try await visitor.awaits("device") { $0["name"] == "Walker" }
        }
    }

    @Test func `a refresh reads the place again, a reload the configuration`() async throws {
        try await withHome { _, visitor in
            #expect(try await visitor.ask("request/refresh").outcome == "ok")
            let epoch = try await visitor.awaits("info")["epoch"]
            #expect(try await visitor.ask("request/loglevel", "debug").outcome == "ok")
            #expect(try await visitor.ask("request/reload").outcome == "ok")
            try await visitor.awaitsEvent("bridge", "reloaded")
            #expect(try await visitor.awaits("info")["epoch"] == epoch)
            #expect(try await visitor.ask("things/table-lamp/set/color", "red").outcome == "ok")
        }
    }
}
