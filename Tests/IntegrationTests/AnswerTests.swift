import Flare
import JSON
import MQTT
import TestSupport
import Testing

/// Rules 1 to 3 of the contract.
@Suite(.enabled(if: Mosquitto.isExpected), .mosquitto, .timeLimit(.minutes(1)))
struct AnswerTests {
    private static let refused: [(topic: String, payload: String, code: String)] = [
        ("things/table-lamp/set", #"{"color":"#, "bad_json"),
        ("things/table-lamp/set", "red", "bad_json"),
        ("things/table-lamp/set", "[1]", "wrong_type"),
        ("things/table-lamp/set", #"{"colour":"red"}"#, "unknown_attribute"),
        ("things/tabel-lamp/set", #"{"color":"red"}"#, "unknown_thing"),
        ("things/table-lamp/set", #"{"brightness":256}"#, "out_of_range"),
        ("things/table-lamp/set", #"{"brightness":true}"#, "wrong_type"),
        ("things/table-lamp/set", #"{"color":"rde"}"#, "unknown_colour"),
        ("things/table-lamp/set", #"{"minor":3}"#, "not_settable"),
        ("things/table-lamp/set", #"{"state":"ON","transition":-1}"#, "out_of_range"),
        ("things/table-lamp/set", #"{"color":"red","brightness":999}"#, "out_of_range"),
        ("things/table-lamp/set", #"{"state":"ON","tx":[]}"#, "wrong_type"),
        ("things/table-lamp/set/volume", "3", "unknown_attribute"),
        ("things/table-lamp/set/state", "", "invalid_value"),
        ("things/table-lamp/action", "dance", "unknown_action"),
        ("things/table-lamp/get", #"{"what":1}"#, "unknown_key"),
        ("nearby/set", #"{"color":"red"}"#, "no_nearby_thing"),
        ("nearby/action", "nextColor", "no_nearby_thing"),
        ("device/set", #"{"angle":90}"#, "not_allowed"),
        ("device/set", #"{"angel":90}"#, "unknown_key"),
        ("environment/set", "nowhere", "unknown_environment"),
        ("sensors/gps/set", "perhaps", "invalid_value"),
        ("sensors/sonar/set", "ON", "unknown_key"),
        ("request/pong", "", "unknown_verb"),
        ("request/ping", #"{"x":1}"#, "unknown_key"),
        ("request/loglevel", "loud", "invalid_value"),
    ]

    @Test func `a command that is wrong is answered with its code, and nothing changes`() async throws {
        try await withHome { home, visitor in
            for (topic, payload, code) in Self.refused {
                let answer = try await visitor.ask(topic, payload)
                #expect(answer.outcome == code, "\(topic) \(payload): \(answer)")
                #expect(answer["status"]?.string == "error")
                #expect(answer["error"]?["message"]?.string?.isEmpty == false)
            }
            // A change that counts shows that all before it is through.
            try await visitor.ask("things/table-lamp/set", #"{"color":"blue"}"#)
            try await visitor.awaits("things/table-lamp/data") { $0["color"]?.string == "blue" }
            #expect(
                await visitor.objects(on: "things/table-lamp/data").compactMap { $0["color"]?.string } == [
                    "orange", "blue",
                ]
            )
            #expect(await visitor.objects(on: "event/thing").count == 1)
            #expect(await visitor.answerCounts.allSatisfy { $0 == 1 })
            #expect(await visitor.said(on: "response/set").isEmpty == false)
            #expect(await visitor.said(on: "response/ping").count == 1)
            #expect(await visitor.said(on: "response/pong").count == 1)
        }
    }

    @Test func `what is unknown is answered with the nearest that is known`() async throws {
        try await withHome { _, visitor in
            for (topic, payload, nearest) in [
                ("things/tabel-lamp/set", #"{"color":"red"}"#, "table-lamp"),
                ("things/table-lamp/set", #"{"colour":"red"}"#, "color"),
                ("request/snapshto", "", "snapshot"), ("sensors/compas/set", "ON", "compass"),
                ("things/table-lamp/action", "nextColour", "nextColor"),
                ("device/set", #"{"angel":90}"#, "angle"),
            ] {
                let message = try await visitor.ask(topic, payload)["error"]?["message"]?.string ?? ""
                #expect(message.contains(nearest), "\(topic) \(payload): \(message)")
            }
        }
    }

    @Test func `tx comes back as it was sent, on the response topic and below B`() async throws {
        try await withHome { _, visitor in
            for tx in [#""7""#, "7", "1.5", "12345678901234567890", #""zwölf / 12""#, #""""#, "-0.25"] {
                await visitor.forget()
                let answer = try await visitor.ask("things/table-lamp/set", #"{"color":"red","tx":\#(tx)}"#)
                #expect(answer["tx"].map { "\($0)" } == tx)
                try await visitor.awaits("response/set")
                #expect(await visitor.said(on: "response/set").allSatisfy { $0.contains(#""tx":\#(tx)}"#) })
                #expect(answer == (await visitor.json("response/set")))
            }
            let refused = try await visitor.ask("things/table-lamp/set", #"{"color":"rde","tx":7}"#)
            #expect(refused["tx"] == 7)
            #expect(try await visitor.ask("request/ping", #"{"tx":"p"}"#)["tx"] == "p")
            #expect(try await visitor.ask("things/fridge/get", #"{"tx":"g"}"#)["tx"] == "g")
            #expect(
                try await visitor.ask("things/table-lamp/action", #"{"action":"nextColor","tx":"a"}"#)["tx"]
                    == "a"
            )
            #expect(
                try await visitor.ask("environment/set", #"{"environment":"flat","tx":"e"}"#)["tx"] == "e"
            )
        }
    }

    @Test func `an answer names its target and what is accepted`() async throws {
        try await withHome { _, visitor in
            let answer = try await visitor.ask(
                "things/\(Place.tableLamp)/set",
                ##"{"color":"#FF8800","brightness":"40%"}"##
            )
            #expect(answer["target"] == ["kind": "thing", "slug": "table-lamp"])
            #expect(answer["accepted"]?["color"] == "#ff8800")
            #expect(answer["accepted"]?["brightness"] != nil)
            let partial = try await visitor.ask(
                "things/table-lamp/set",
                #"{"color":"red","wings":2,"partial":true}"#
            )
            #expect(partial.outcome == "ok")
            #expect(partial["rejected"] == ["wings": "unknown_attribute"])
            try await visitor.awaits("things/table-lamp") { $0["color_name"]?.string == "red" }
        }
    }

    @Test func `a get is answered with the state, a ping with version and uptime`() async throws {
        try await withHome { _, visitor in
            let lamp = try await visitor.awaits("things/table-lamp")
            #expect(try await visitor.ask("things/table-lamp/get")["data"] == lamp)
            let ping = try await visitor.ask("request/ping")["data"]
            #expect(ping?["version"] == (await visitor.json("info"))?["version"])
            #expect((ping?["uptime_s"]?.integer).map { (0..<60).contains($0) } == true)
        }
    }

    @Test func `an answer goes nowhere inside the daemon's own tree`() async throws {
        try await withHome { home, visitor in
            let payload = Array(#"{"color":"red","tx":1}"#.utf8)
            var message = MQTTMessage(
                topic: "\(home.root)/things/table-lamp/set",
                payload: payload,
                qos: .atLeastOnce
            )
            message.properties.responseTopic = "\(home.root)/things/television/set"
            visitor.client.publish(message)
            try await visitor.awaits("response/set") { $0["tx"] == 1 }
            try await visitor.ask("request/ping")
            #expect(await visitor.said(on: "things/television/set").isEmpty)
            #expect(await visitor.said(on: "response/set").count == 1)
        }
    }

    @Test
    func `a response topic with more levels than a broker takes is refused, and other commands are answered`()
        async throws
    {
        try await withMosquitto { broker in
            try await withHome(port: broker.port) { home, visitor in
                // Our own client would refuse to send it.
                let topic = "replies" + String(repeating: "/a", count: 201)
                try await ChildProcess.run(
                    try #require(ChildProcess.find("mosquitto_pub")),
                    [
                        "-p", "\(broker.port)", "-V", "5", "-t", "\(home.root)/request/ping",
                        "-m", #"{"tx":1}"#, "-D", "publish", "response-topic", topic,
                    ]
                )
                try await visitor.awaits("response/ping") { $0["tx"] == 1 && $0["status"] == "error" }
                let answer = await visitor.json("response/ping")
                #expect(answer?["error"]?["code"] == "not_allowed")
                #expect(answer?["error"]?["message"]?.string?.contains("at most 200 slashes") == true)
                #expect(try await visitor.ask("request/ping")["status"] == "ok")
                #expect(await visitor.said(on: "status") == ["online"])
            }
        }
    }

    @Test func `if_id refuses a command when another thing is nearby by now`() async throws {
        try await withHome(["device.allow_set": "true"]) { _, visitor in
            try await visitor.ask("device/set", #"{"position":{"x":1.5,"y":2,"z":1}}"#)
            try await visitor.awaits("nearby") { $0["slug"]?.string == "table-lamp" }
            let stale = #"{"color":"red","if_id":"\#(Place.kitchenLight)"}"#
            #expect(try await visitor.ask("nearby/set", stale).outcome == "stale_target")
            let action = #"{"action":"nextColor","if_id":"television"}"#
            #expect(try await visitor.ask("nearby/action", action).outcome == "stale_target")
            #expect(await visitor.json("nearby")?["color_name"]?.string == "orange")
            let right = #"{"color":"red","if_id":"\#(Place.tableLamp)"}"#
            #expect(try await visitor.ask("nearby/set", right).outcome == "ok")
            #expect(
                try await visitor.ask("nearby/set", #"{"color":"blue","if_id":"table-lamp"}"#).outcome == "ok"
            )
            try await visitor.awaits("nearby") { $0["color_name"]?.string == "blue" }
        }
    }

    @Test func `a replayed command is refused, told, and forgotten once it is cleared`() async throws {
        try await withEmptyHome { home, visitor in
            try await home.take()
            visitor.say("things/table-lamp/set", #"{"color":"red","tx":"old"}"#, isRetained: true)
            try await visitor.awaits("things/table-lamp/set")
            try await visitor.whileStarting { try await home.start() }
            let answer = try await visitor.awaits("response/set")
            #expect(answer.outcome == "retained_command")
            #expect(answer["tx"] == "old")
            let alert = try await visitor.awaits("alert/retained-command")
            #expect(alert["message"]?.string?.contains("\(home.root)/things/table-lamp/set") == true)
            #expect(
                await visitor.messages(on: "alert/retained-command").allSatisfy { $0.qos == .atLeastOnce }
            )
            #expect(try await visitor.ask("things/table-lamp/get")["data"]?["color_name"] == "orange")

            visitor.say("things/table-lamp/set", "", isRetained: true)
            try await visitor.awaits("alert/retained-command", "")
            #expect(await visitor.said(on: "response/set").count == 1)
            await home.stop()
            try await visitor.whileStarting { try await home.start() }
            #expect(try await visitor.ask("request/ping").outcome == "ok")
            #expect(await visitor.said(on: "response/set").isEmpty)
            #expect(await visitor.said(on: "alert/retained-command").allSatisfy(\.isEmpty))
        }
    }

    @Test func `a retained command that comes while we listen is carried out`() async throws {
        try await withHome { _, visitor in
            visitor.say("things/table-lamp/set", #"{"color":"red"}"#, isRetained: true)
            try await visitor.awaits("things/table-lamp") { $0["color_name"]?.string == "red" }
            #expect(try await visitor.awaits("response/set").outcome == "ok")
        }
    }

    @Test func `an answer larger than a packet of the broker may be becomes a refusal`() async throws {
        var options = MosquittoOptions()
        options.lines = ["max_packet_size 20000"]
        try await withMosquitto(options) { broker in
            try await withHome(port: broker.port) { home, visitor in
                let note = String(repeating: "a", count: 30_000)
                try await home.rest(
                    "PUT",
                    Place.path(ofThing: Place.fridge, in: Place.kitchen),
                    #"{"description":"\#(note)"}"#
                )
                _ = await eventually { await home.log.contains("more than the broker accepts") }
                let answer = try await visitor.ask("things/fridge/get", #"{"tx":"7"}"#)
                #expect(answer.outcome == "too_large")
                #expect(answer["tx"] == "7")
                #expect(try await visitor.ask("things/table-lamp/get").outcome == "ok")
            }
        }
    }
}
