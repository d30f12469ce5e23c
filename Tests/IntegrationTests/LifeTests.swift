import Flare
import Foundation
import JSON
import MQTT
import TestSupport
import Testing

/// How a daemon ends, what it leaves, and what it finds again.
@Suite(.enabled(if: Mosquitto.isExpected), .mosquitto, .timeLimit(.minutes(1)))
struct LifeTests {
    @Test func `a late subscriber sees the retained state`() async throws {
        try await withHome { home, visitor in
            try await visitor.ask("things/table-lamp/set/color", "red")
            try await visitor.awaits("things/table-lamp") { $0["color_name"] == "red" }
            let wanted = [
                "status", "info", "health", "state", "environment", "zone", "device",
                "nearby",
                "nearby/availability", "sensors/gps", "sensors/beacons", "sensors/cmx", "sensors/compass",
                "environments/flat", "environments/hut", "zones/living-room", "zones/kitchen",
                "things/fridge",
                "things/fridge/data", "things/fridge/availability", "things/table-lamp", "things/television",
            ]
            try await withVisitor(to: home.root, port: SharedMosquitto.broker.port) { late in
                for tail in wanted {
                    #expect(await eventually { await late.text(tail) != nil }, "\(tail)")
                    #expect(await late.messages(on: tail).first?.isRetained == true, "\(tail)")
                }
                #expect(await late.json("things/table-lamp")?["color_name"] == "red")
                #expect(await late.said(on: "alert/no-environment").isEmpty)
                #expect(await late.events.isEmpty, "events and answers are not kept")
                #expect(await late.said(on: "response/set").isEmpty)
                for tail in ["state", "info"] {
                    #expect(await late.text(tail).map { $0.utf8.count < 2048 } == true)
                }
            }
        }
    }

    @Test func `SIGKILL leaves the last will`() async throws {
        try await withHome { home, visitor in
            await home.kill()
            try await visitor.awaits("status", "offline")
            try await withVisitor(to: home.root, port: SharedMosquitto.broker.port) { late in
                try await late.awaits("status", "offline")
                #expect(await late.messages(on: "status").first?.isRetained == true)
            }
        }
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func `a signal ends it with a goodbye and exit code 0`(signal: Int32) async throws {
        try await withHome { home, visitor in
            await home.signal(signal)
            #expect(await home.end(within: .seconds(2)) == 0)
            try await visitor.awaits("status", "offline")
            try await visitor.awaitsEvent("bridge", "stopping")
            let topics = await visitor.heard.map(\.topic)
            #expect(topics.last == "\(home.root)/status", "after everything else")
        }
    }

    @Test func `a signal ends it in time when the broker is gone, or does not answer`() async throws {
        try await withMosquitto { broker in
            try await withHome(port: broker.port) { home, _ in
                await broker.kill()
                #expect(await home.logs("the link to the broker"))
                #expect(await home.stop(within: .seconds(2)) == 0)
                try await broker.start()
                try await home.start()
                #expect(await home.logs("connected to the broker"))
                await broker.freeze()
                #expect(await home.stop(within: .seconds(4)) == 0)
                await broker.thaw()
            }
        }
    }

    @Test func `the device is the same after a restart`() async throws {
        try await withHome { home, visitor in
            let id = try await visitor.awaits("device")["id"]
            await home.stop()
            try await visitor.whileStarting { try await home.start() }
            #expect(try await visitor.awaits("device")["id"] == id)
            await home.kill()
            try await visitor.whileStarting { try await home.start() }
            #expect(try await visitor.awaits("device")["id"] == id)
        }
    }

    @Test func `a device is made anew when none was saved`() async throws {
        try await withHome { home, visitor in
            let id = try await visitor.awaits("device")["id"]
            await home.stop()
            for suffix in ["", "-wal", "-shm"] { unlink("\(home.state)/trilateral.db\(suffix)") }
            try await visitor.whileStarting { try await home.start() }
            #expect(try await visitor.awaits("device")["id"] != id)
        }
    }

    @Test(arguments: [true, false])
    func `a device is made anew when the server does not know it`(whileRunning: Bool) async throws {
        try await withHome { home, visitor in
            let id = try #require(try await visitor.awaits("device")["id"]?.string)
            if !whileRunning {
                await home.stop()
                try await home.start(verb: "serve")
            }
            try await home.rest("DELETE", "/environments/\(Place.flat)/devices/\(id)")
            if !whileRunning {
                await home.stop()
                try await visitor.whileStarting { try await home.start() }
            }
            let new = try await visitor.awaits("device") { $0["id"]?.string.map { $0 != id } ?? false }
            #expect(new["name"] == "Walker")
        }
    }

    @Test(arguments: [true, false])
    func `a device is made anew when it belongs to another environment`(whileRunning: Bool) async throws {
        try await withHome { home, visitor in
            let id = try #require(try await visitor.awaits("device")["id"]?.string)
            if !whileRunning {
                await home.stop()
                try await home.start(verb: "serve")
            }
            try await home.rest(
                "PUT",
                "/environments/\(Place.flat)/devices/\(id)",
                #"{"environment":"\#(Place.hut)"}"#
            )
            if !whileRunning {
                await home.stop()
                try await visitor.whileStarting { try await home.start() }
            }
            try await visitor.awaits("device") { $0["id"]?.string.map { $0 != id } ?? false }
            #expect(try await home.rest("GET", "/environments/\(Place.hut)/devices/\(id)").body.contains(id))
        }
    }

    @Test func `what was acknowledged before SIGKILL is there after it`() async throws {
        try await withHome { home, visitor in
            let things = ["television", "fridge", "table-lamp", "kitchen-light"]
            let keys = ["volume", "temperature", "level", "level"]
            for round in 1...1000 {
                for (thing, key) in zip(things, keys) {
                    let value = key == "level" ? "\(Double(round) / 1000)" : "\(round)"
                    visitor.say("things/\(thing)/set", #"{"\#(key)":\#(value),"tx":\#(round)}"#)
                }
            }
            #expect(
                await eventually {
                    await visitor.objects(on: "response/set").count { $0.outcome == "ok" } >= 300
                }
            )
            await home.kill()
            try await visitor.awaits("status", "offline")
            var acknowledged: [String: Int] = [:]
            for answer in await visitor.objects(on: "response/set") where answer.outcome == "ok" {
                let thing = answer["target"]?["slug"]?.string ?? ""
                acknowledged[thing] = max(acknowledged[thing] ?? 0, answer["tx"]?.integer ?? 0)
            }
            #expect(acknowledged.count == 4)
            try await visitor.whileStarting { try await home.start() }
            for (thing, key) in zip(things, keys) {
                let data = try await visitor.awaits("things/\(thing)/data")
                let stored = data[key == "level" ? "brightness" : key]?.number ?? -1
                #expect(
                    Int((key == "level" ? stored * 1000 : stored).rounded()) >= acknowledged[thing] ?? .max
                )
            }
        }
    }
}
