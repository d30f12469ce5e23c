import Flare
import TestSupport
import Testing

/// The picture of the place on `B/map`.
@Suite(.enabled(if: Mosquitto.isExpected), .mosquitto, .timeLimit(.minutes(1)))
struct MapTests {
    @Test func `it is told, follows what happens, and goes when it is switched off`() async throws {
        try await withHome(["map.enabled": "true", "map.interval_seconds": "1"]) { home, visitor in
            #expect(await eventually { await visitor.text("map")?.contains(">Table lamp</text>") == true })
            #expect(await visitor.text("map")?.hasPrefix("<svg ") == true)
            try await visitor.ask("things/table-lamp/set/color", "#123456")
            #expect(await eventually { await visitor.text("map")?.contains("#123456") == true })
            try await visitor.ask("environment/set", "hut")
            #expect(await eventually { await visitor.text("map")?.contains(">Porch</text>") == true })
            #expect(await visitor.text("map")?.contains("Table lamp") == false)
            await home.stop()
            #expect(await visitor.text("map") != nil, "what was true last stays")
            try await home.start(["map.enabled": "false"])
            try await visitor.awaits("map", "")
        }
    }

    @Test func `however fast values change, there is one picture in the interval`() async throws {
        try await withHome(["map.enabled": "true", "map.interval_seconds": "3600"]) { _, visitor in
            #expect(await eventually { await visitor.text("map") != nil })
            for number in 0..<20 {
                try await visitor.ask("things/table-lamp/set/brightness", "\(number * 10)")
            }
            #expect(await visitor.said(on: "map").count == 1)
        }
    }

    @Test func `it is not told unless it is asked for`() async throws {
        try await withHome { _, visitor in
            try await visitor.ask("things/table-lamp/set/brightness", "7")
            #expect(await visitor.text("map") == nil)
        }
    }
}
