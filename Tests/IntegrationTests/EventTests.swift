import JSON
import MQTT
import TestSupport
import Testing

/// What is an event, and what is told of it.
/// - Source: contrib/contract/mqtt.md, "Rule 5: the start is not an event".
@Suite(.enabled(if: Mosquitto.isExpected), .mosquitto, .timeLimit(.minutes(1)))
struct EventTests {
    @Test func `the start is the only event of a start`() async throws {
        try await withHome { _, visitor in
            try await visitor.ask("things/table-lamp/set/state", "OFF")
            try await visitor.awaitsEvent("thing", "changed")
            let others = await visitor.eventsWithoutCalls
            #expect(others.compactMap { $0["event_type"]?.string } == ["started", "changed"])
        }
    }

    @Test func `events have numbers without a gap, and the epoch of this run`() async throws {
        try await withHome(["device.allow_set": "true"]) { home, visitor in
            for round in 0..<10 {
                visitor.say(
                    "device/set",
                    #"{"position":{"x":\#(round % 2 == 0 ? 8.5 : 1.5),"y":2},"angle":\#(round * 7)}"#
                )
                visitor.say("things/television/set/volume", "\(round)")
                visitor.say("things/kitchen-light/action", "nextColor")
            }
            try await visitor.ask("device/set", #"{"name":"End"}"#)
            let last = try await visitor.awaitsEvent("device", "changed")
            let epoch = try await visitor.awaits("info")["epoch"]
            let events = await visitor.events
            let first = try #require(events.first?["seq"]?.integer)
            #expect(events.compactMap { $0["seq"]?.integer } == (0..<events.count).map { first + $0 })
            #expect(events.allSatisfy { $0["epoch"] == epoch })
            #expect(last["after"] == ["name": "End"] && last["before"] == ["name": "Walker"])
            let kinds = Set(events.compactMap { $0["event_type"]?.string })
            #expect(
                kinds.isSuperset(of: [
                    "started", "moved", "turned", "enter", "exit", "near", "changed", "action",
                ])
            )
            #expect(try await visitor.awaits("state")["epoch"] == epoch)

            await home.stop()
            try await visitor.whileStarting { try await home.start() }
            let next = try await visitor.awaitsEvent("bridge", "started")
            #expect(next["seq"]?.integer.map { $0 <= 4 } == true, "only the lifecycle comes first")
            #expect(next["epoch"] != epoch)
        }
    }

    @Test func `an event tells what was, what is, and who wanted it`() async throws {
        try await withHome { _, visitor in
            try await visitor.ask("things/table-lamp/set", #"{"color":"red","tx":"mine"}"#)
            let event = try await visitor.awaitsEvent("thing", "changed")
            #expect(event["id"] == .string(Place.tableLamp) && event["slug"] == "table-lamp")
            #expect(event["before"] == ["color": "orange"] && event["after"] == ["color": "red"])
            #expect(event["changed"] == ["color"])
            #expect(event["cause"] == ["source": "command", "tx": "mine"])
            #expect(event["ts"]?.isTimestamp == true)
        }
    }

    @Test func `a command's state comes before its event, and its answer last`() async throws {
        try await withHome { _, visitor in
            try await visitor.ask("request/ping")
            await visitor.forget()
            try await visitor.ask("things/table-lamp/set", #"{"color":"red"}"#)
            let topics = await visitor.told.map { String($0.topic.dropFirst(visitor.root.count + 1)) }
            let state = try #require(topics.firstIndex(of: "things/table-lamp"))
            let event = try #require(topics.firstIndex(of: "event/thing"))
            let answer = try #require(topics.firstIndex(of: "response/set"))
            #expect(state < event && event < answer, "\(topics)")
        }
    }

    @Test func `a snapshot sends the state again, with the number of the last event`() async throws {
        try await withHome { _, visitor in
            try await visitor.ask("things/table-lamp/set/color", "red")
            let last = try await visitor.awaitsEvent("thing", "changed")["seq"]?.integer
            try await visitor.awaits("things/table-lamp") { $0["color_name"] == "red" }
            // Lights of a zone are told at most ten times a second, so they may come last.
            try await visitor.awaits("zones/living-room/lights") {
                $0["color"]?["b"] == 0 && $0["color"]?["g"] == 0
            }
            // Its answer comes after every state of the change.
            try await visitor.ask("request/ping")
            await visitor.forget()
            #expect(try await visitor.ask("request/snapshot").outcome == "ok")
            let state = try await visitor.awaits("state")
            #expect(state["seq"]?.integer == last)
            let topics = await visitor.told.map { String($0.topic.dropFirst(visitor.root.count + 1)) }
            #expect(Set(topics) == ["state", "response/snapshot"], "nothing else")
        }
    }

    @Test func `an action tells that it was carried out, and each change it makes`() async throws {
        try await withHome { _, visitor in
            try await visitor.ask("things/table-lamp/action", #"{"action":"nextColor","tx":1}"#)
            let event = try await visitor.awaitsEvent("thing", "action")
            #expect(event["action"] == "nextColor" && event["slug"] == "table-lamp")
            #expect(try await visitor.awaitsEvent("thing", "changed")["after"] == ["color": "warm white"])
        }
    }
}

extension JSONValue {
    /// Whether it is a time: RFC 3339, UTC, milliseconds.
    var isTimestamp: Bool {
        string?.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil
    }
}
