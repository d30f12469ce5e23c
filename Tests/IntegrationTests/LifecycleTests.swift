import Flare
import Foundation
import GRDB
import JSON
import TestSupport
import Testing

/// The lifecycle on a real broker: displays, commands, and what follows.
@Suite(.enabled(if: Mosquitto.isExpected), .mosquitto, .timeLimit(.minutes(1)))
struct LifecycleTests {
    private let display = "lifecycle:\n  active_when: display\n"

    @Test func `a display on the broker makes the application limited, active and background again`()
        async throws
    {
        try await withHome(file: display) { home, visitor in
            try await visitor.awaits("lifecycle") { $0["state"] == "background" }
            visitor.say("display/hall/presence", "hidden", isRetained: true)
            try await visitor.awaits("lifecycle") { $0["state"] == "limited" && $0["displays"] == 1 }
            visitor.say("display/hall/presence", "visible", isRetained: true)
            try await visitor.awaits("lifecycle") { $0["level"] == "FULL" && $0["visible"] == 1 }
            try await visitor.awaits("state") { $0["lifecycle"]?["state"] == "active" }
            visitor.say("display/hall/presence", "gone", isRetained: true)
            try await visitor.awaits("lifecycle") { $0["state"] == "background" && $0["displays"] == 0 }
            // The event follows the state.
            try await visitor.awaits("event/lifecycle") { $0["from"] == "Active" }
            let calls = await visitor.objects(on: "event/lifecycle").map { $0["call"]?.string ?? "" }
            #expect(
                calls.suffix(3) == [
                    "applicationDidBecomeLimited", "applicationDidBecomeActive",
                    "applicationDidEnterBackground",
                ]
            )
            let last = try #require(await visitor.objects(on: "event/lifecycle").last)
            #expect(last["event_type"] == "applicationDidEnterBackground")
            #expect(last["notification"] == "SDLApplicationDidEnterBackground")
            #expect(last["from"] == "Active" && last["to"] == "Background")
            // A fresh daemon hears from the broker what is still retained.
            visitor.say("display/hall/presence", "visible", isRetained: true)
            try await visitor.awaits("lifecycle") { $0["state"] == "active" }
            await home.stop()
            try await visitor.whileStarting { try await home.start(file: display) }
            try await visitor.awaits("lifecycle") { $0["state"] == "active" }
            visitor.say("display/hall/presence", "", isRetained: true)
            try await visitor.awaits("lifecycle") { $0["state"] == "background" }
        }
    }

    @Test func `every part can be set by command, and another word changes nothing`() async throws {
        try await withHome { _, visitor in
            try await visitor.awaits("lifecycle") { $0["state"] == "background" }
            for (part, word, key) in [
                ("level", "FULL", "level"), ("audio", "attenuated", "audio"), ("context", "menu", "context"),
            ] {
                let answer = try await visitor.ask(
                    "lifecycle/\(part)/set",
                    "{\"\(part)\":\"\(word)\",\"tx\":3}"
                )
                #expect(answer["status"] == "ok" && answer["tx"] == 3, "\(answer)")
                #expect(answer["target"] == ["kind": "lifecycle", "slug": .string(part)])
                try await visitor.awaits("lifecycle") { $0[key]?.string == word }
            }
            try await visitor.awaits("state") { $0["audio"] == ["state": "attenuated", "gain": 0.3] }
            let before = await visitor.said(on: "lifecycle").count
            for (part, word) in [
                ("level", "HIGH"), ("level", "DISCONNECTED"), ("audio", "loud"), ("context", "x"),
            ] {
                #expect(try await visitor.ask("lifecycle/\(part)/set", word).outcome == "invalid_value")
            }
            #expect(try await visitor.ask("lifecycle/language/set", "xx").outcome == "unknown_language")
            #expect(try await visitor.ask("lifecycle/mood/set", "good").outcome == "unknown_key")
            #expect(await visitor.said(on: "lifecycle").count == before)
        }
    }

    @Test func `sensors stop after the grace, and the log of the calls outlives the daemon`() async throws {
        let file = "lifecycle:\n  sensors: {background: [compass], grace_seconds: 0.1}\n"
        try await withHome(file: file) { home, visitor in
            try await visitor.awaits("lifecycle") { $0["suspended"] == ["gps", "beacons", "cmx"] }
            try await visitor.awaits("sensors/beacons", "ON")
            visitor.say("display/a/presence", "hidden")
            try await visitor.awaits("lifecycle") { $0["suspended"] == nil && $0["state"] == "limited" }
            await home.stop()
            let database = try DatabaseQueue(path: home.state + "/trilateral.db")
            let calls = try await database.read {
                try String.fetchAll($0, sql: "SELECT call FROM lifecycle_log ORDER BY id")
            }
            #expect(
                calls.prefix(3) == [
                    "applicationDidConnect", "applicationDidFinishLaunching", "applicationDidEnterBackground",
                ]
            )
            #expect(calls.contains("applicationDidBecomeLimited"))
        }
    }

    @Test func `presence that cannot be understood is counted, and each cause is logged once`() async throws {
        try await withHome { home, visitor in
            try await visitor.awaits("lifecycle") { $0["state"] == "background" }
            for payload in ["here", "{}", "\u{1}", "here"] { visitor.say("display/a/presence", payload) }
            visitor.say("display/a/presence", "hidden")
            try await visitor.awaits("lifecycle") { $0["state"] == "limited" }
            #expect(await home.logs("a display's presence is ignored"))
            let lines = await home.log.components(separatedBy: "a display's presence is ignored").count - 1
            #expect(lines == 3)
        }
    }
}
