import Flare
import JSON
import MQTT
import TestSupport
import Testing

/// What others may send, by mistake or by malice: each is answered, and the daemon goes on.
@Suite(.enabled(if: Mosquitto.isExpected), .mosquitto, .timeLimit(.minutes(1)))
struct BadInputTests {
    @Test func `a thousand commands at once are all answered, and the last one counts`() async throws {
        try await withHome { _, visitor in
            for number in 1...1000 {
                visitor.say("things/television/set", #"{"volume":\#(number),"tx":\#(number)}"#)
            }
            #expect(
                await eventually(within: .seconds(30)) {
                    await visitor.said(on: "response/set").count >= 1000
                }
            )
            try await visitor.ask("request/ping")
            let answers = await visitor.objects(on: "response/set")
            #expect(answers.count == 1000)
            #expect(Set(answers.compactMap { $0["tx"]?.integer }) == Set(1...1000))
            #expect(Set(answers.map(\.outcome)).isSubset(of: ["ok", "superseded"]))
            #expect(answers.first { $0["tx"] == 1000 }?.outcome == "ok")
            try await visitor.awaits("things/television/data") { $0["volume"] == 1000 }
        }
    }

    @Test func `a payload that is too large is refused, and changes nothing`() async throws {
        try await withHome { _, visitor in
            try await visitor.awaits("things/television/data")
            for size in [65_537, 1 << 20, (1 << 20) + 1, 3 << 20] {
                let text = #"{"source":"\#(String(repeating: "x", count: size))"}"#
                #expect(
                    try await visitor.ask("things/television/set", text).outcome == "too_large",
                    "\(size)"
                )
            }
            #expect(try await visitor.ask("things/television/get")["data"]?["slug"] == "television")
            #expect(await visitor.said(on: "things/television/data").count == 1)
        }
    }

    @Test(arguments: [
        [0xff, 0xfe], [0x00], Array(#"{"a":1,"a":2}"#.utf8),
        Array(String(repeating: "[", count: 60_000).utf8),
        Array(#"{"color":"\ud800"}"#.utf8), Array(#"{"brightness":1e999}"#.utf8), Array("{}".utf8),
        Array(#"{"color":{"r":-1,"g":0,"b":0}}"#.utf8),
    ])
    func `bytes that make no sense are refused`(payload: [UInt8]) async throws {
        try await withHome { home, visitor in
            for tail in [
                "things/table-lamp/set", "things/table-lamp/set/color", "device/set", "environment/set",
                "things/table-lamp/action", "sensors/gps/set",
            ] {
                visitor.client.publish(
                    MQTTMessage(topic: "\(home.root)/\(tail)", payload: payload, qos: .atLeastOnce)
                )
            }
            #expect(await eventually { await visitor.said(on: "response/set").count == 6 })
            #expect(await visitor.objects(on: "response/set").allSatisfy { $0["status"] == "error" })
            try await visitor.ask("request/ping")
            #expect(await visitor.said(on: "things/table-lamp").count == 1)
            // Only those of the start.
            let events = await visitor.eventsWithoutCalls.filter { $0["event_type"] != "started" }
            #expect(events.isEmpty, "\(events)")
        }
    }

    @Test func `topics with odd characters are answered or left alone`() async throws {
        try await withHome { home, visitor in
            let odd = [
                "ä", "🛋", " ", "..", "a b", "%2F", "'; DROP TABLE thing", "$SYS",
                String(repeating: "x", count: 5000),
            ]
            try await visitor.awaits("things/table-lamp")
            for name in odd {
                #expect(
                    try await visitor.ask("things/\(name)/set/color", "red").outcome == "unknown_thing",
                    "\(name)"
                )
                #expect(
                    try await visitor.ask("things/table-lamp/set/\(name)", "1").outcome
                        == "unknown_attribute",
                    "\(name)"
                )
                #expect(try await visitor.ask("request/\(name)").outcome == "unknown_verb", "\(name)")
            }
            #expect(try await visitor.ask("things//set/color", "red").outcome == "unknown_thing")
            #expect(try await visitor.ask("request/").outcome == "unknown_verb")
            for name in ["things/a/b/c/set", "nearby/set/a/b", "things", "nearby/get", "state/set"] {
                visitor.say(name, "1")
            }
            #expect(try await visitor.ask("request/ping").outcome == "ok")
            let topics = Set(await visitor.told.map(\.topic)).filter { $0.contains("/response/") }
            #expect(
                topics.isSubset(
                    of: [
                        "set", "unknown", "ping", "a", "a-b", "2f", "drop-table-thing", "sys",
                        String(repeating: "x", count: 48),
                    ].map { "\(home.root)/response/\($0)" }.reduce(into: Set()) { $0.insert($1) }
                )
            )
        }
    }

    @Test func `a full disk refuses what cannot be stored, and nothing is shown that is not`() async throws {
        try await withEmptyHome { home, visitor in
            try await home.take()
            // Files may not grow beyond so many blocks of 1024 bytes.
            try await visitor.whileStarting { try await home.start(shell: "trap '' XFSZ; ulimit -f 700") }
            var (stored, refused) = ("hdmi1", "")
            for number in 0..<100 where refused.isEmpty {
                let text = "\(number)" + String(repeating: "x", count: 50_000)
                let answer = try await visitor.ask("things/television/set", #"{"source":"\#(text)"}"#)
                if answer.outcome == "ok" { stored = text } else { refused = answer.outcome }
            }
            #expect(refused == "server_rejected")
            #expect(stored != "hdmi1")
            #expect(try await visitor.ask("request/ping").outcome == "ok")
            try await visitor.awaits("things/television/data") { $0["source"]?.string == stored }
            // With space again, everything that was acknowledged is there.
            await home.stop()
            try await visitor.whileStarting { try await home.start() }
            try await visitor.awaits("things/television/data") { $0["source"]?.string == stored }
            #expect(try await visitor.ask("things/television/set", #"{"source":"hdmi2"}"#).outcome == "ok")
        }
    }
}
