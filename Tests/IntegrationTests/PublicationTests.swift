import JSON
import MQTT
import TestSupport
import Testing

/// Rules 9 and 12 of the contract: what is published, and how often.
@Suite(.enabled(if: Mosquitto.isExpected), .mosquitto, .timeLimit(.minutes(1)))
struct PublicationTests {
    @Test func `what does not change is not published`() async throws {
        try await withHome { home, visitor in
            for _ in 0..<3 {
                for (key, value) in [("color", "orange"), ("brightness", "153"), ("state", "ON")] {
                    #expect(try await visitor.ask("things/table-lamp/set/\(key)", value).outcome == "ok")
                }
                #expect(try await visitor.ask("environment/set", "flat").outcome == "ok")
                #expect(try await visitor.ask("sensors/gps/set", "ON").outcome == "ok")
                #expect(try await visitor.ask("request/refresh").outcome == "ok")
            }
            try await visitor.ask("things/table-lamp/set/color", "red")
            try await visitor.awaits("things/table-lamp") { $0["color_name"] == "red" }
            // The event of a change comes after the topics, and before the answer to the next question.
            #expect(await eventually { await visitor.eventsWithoutCalls.count >= 2 })
            try await visitor.ask("request/refresh")
            for tail in ["things/table-lamp", "things/table-lamp/data"] {
                #expect(await visitor.said(on: tail).count == 2, "\(tail)")
            }
            for tail in ["things/fridge", "sensors/gps", "environments/hut", "zones/kitchen", "status"] {
                #expect(await visitor.said(on: tail).count == 1, "\(tail)")
            }
            #expect(await visitor.eventsWithoutCalls.count == 2)
        }
    }

    @Test func `what moves is told at most so often, and its end always`() async throws {
        try await withHome(["device.allow_set": "true"]) { home, visitor in
            // More than 2 m from all things: what is near is told at once.
            try await visitor.ask("device/set", #"{"position":{"x":2.9,"y":3.95},"angle":0}"#)
            try await visitor.awaits("device") { $0["angle"] == 0 }
            await visitor.forget()
            let start = ContinuousClock.now
            for steps in 1...80 {
                let position = #"{"x":\#(2.9 + Double(steps) / 1000),"y":3.95}"#
                visitor.say("device/set", #"{"position":\#(position),"angle":\#(steps % 360)}"#)
                try await Task.sleep(for: .milliseconds(20))
            }
            try await visitor.ask("device/set", #"{"position":{"x":2.8,"y":3.95},"angle":359}"#)
            try await visitor.awaits("device/angle", "359")
            try await visitor.awaits("device/position") { $0["x"] == 2.8 }
            try await visitor.awaits("device") { $0["angle"] == 359 && $0["position"]?["x"] == 2.8 }
            try await visitor.awaits("state") { $0["device"]?["position"]?["x"] == 2.8 }
            let time = (ContinuousClock.now - start) / .seconds(1)
            for (tail, rate) in [("device/position", 5.0), ("device/angle", 10), ("device", 1), ("state", 1)]
            {
                let count = await visitor.said(on: tail).count
                #expect(Double(count) <= time * rate + 1, "\(tail): \(count) in \(time) s")
            }
        }
    }

    @Test func `payloads are compact JSON with sorted keys, times are of RFC 3339`() async throws {
        try await withHome(["device.allow_set": "true"]) { _, visitor in
            try await visitor.ask("device/set", #"{"position":{"x":1.5,"y":2,"z":1},"angle":90}"#)
            try await visitor.ask("nearby/set", #"{"color":"red","tx":1}"#)
            try await visitor.ask("nearby/set", #"{"colour":"red","tx":1}"#)
            try await visitor.awaits("state") { $0["nearby"]?["color_name"] == "red" }
            try await visitor.awaits("nearby") { $0["distance_m"] == 0 }
            #expect(await visitor.text("things/fridge/data") == #"{"door":false,"minor":6,"temperature":6}"#)
            var times = 0
            for message in await visitor.told {
                guard let json = try? JSONValue(parsing: message.payload), json.object != nil else {
                    continue
                }
                #expect(json.bytes == message.payload, "\(message.topic): \(message.text)")
                for key in ["ts", "since", "started"] {
                    guard let time = json[key] else { continue }
                    times += 1
                    #expect(time.isTimestamp, "\(message.topic): \(time)")
                }
            }
            #expect(times > 10)
        }
    }

    @Test func `health comes regularly, and with an expiry`() async throws {
        try await withHome(["mqtt.health_interval_seconds": "5"]) { _, visitor in
            let first = try await visitor.awaits("health") { $0["status"] == "ok" }
            #expect(first["links"] == ["flare": true, "mqtt": true])
            #expect(
                await visitor.messages(on: "health").allSatisfy {
                    ($0.properties.messageExpirySeconds ?? 0) > 170
                }
            )
            let count = await visitor.said(on: "health").count
            #expect(await eventually { await visitor.said(on: "health").count > count })
        }
    }
}
