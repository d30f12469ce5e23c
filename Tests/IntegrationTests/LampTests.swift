import Foundation
import JSON
import MQTT
import TestSupport
import Testing

/// Things that are real lamps: both ways, and when lamps misbehave.
@Suite(.enabled(if: Mosquitto.isExpected), .mosquitto, .timeLimit(.minutes(2)))
struct LampTests {
    @Test(arguments: RealLamp.Kind.allCases)
    func `what is done to the thing is done to the lamp, and the other way round`(kind: RealLamp.Kind)
        async throws
    {
        try await withLamp(kind) { lamp in
            try await withHome(file: "links:\n" + lamp.entry(for: "table-lamp")) { _, visitor in
                // The lamp says first what it is like.
                await lamp.press(isOn: false, level: 40, hue: 0)
                try await visitor.awaits("things/table-lamp") { $0["state"] == "OFF" }
                #expect(try await visitor.ask("things/table-lamp/set", order).outcome == "ok")
                try await lamp.awaits { $0.isOn && $0.level == 80 && $0.hue == 240 }
                let lit = try await visitor.awaits("things/table-lamp") { $0["state"] == "ON" }
                #expect(lit["color_name"] == "blue" && lit["brightness"] == 204 && lit["target"] == nil)

                // Quiet by then: the lamp's own words were not taken for news.
                #expect(await eventually { await lamp.orders.count >= 1 })
                await lamp.press(isOn: true, level: 30)
                try await visitor.awaits("things/table-lamp") {
                    ($0["brightness"]?.number).map { abs($0 - 76.5) <= 2 } ?? false
                }
                await lamp.press(isOn: false)
                try await visitor.awaits("things/table-lamp") { $0["state"] == "OFF" }
                let causes = await visitor.objects(on: "event/thing").compactMap { $0["cause"]?["source"] }
                #expect(Set(causes) == ["link", "command"])
                #expect(await lamp.orders.count == 1, "nothing of what the lamp said came back to it")
                let named = try await visitor.awaits("things/table-lamp")
                #expect(named["color_name"] == "blue", "the name survives")
                #expect(await visitor.said(on: "response/set").count == 1, "links ask without answers")
            }
        }
    }

    private let order = #"{"state":"ON","brightness":204,"color":"blue"}"#

    @Test(arguments: RealLamp.Kind.allCases)
    func `whether the lamp can be reached is the thing's availability`(kind: RealLamp.Kind) async throws {
        try await withLamp(kind) { lamp in
            try await withHome(file: "links:\n" + lamp.entry(for: "Table lamp")) { _, visitor in
                try await visitor.awaits("things/table-lamp/availability", "online")
                lamp.setAvailable(false)
                try await visitor.awaits("things/table-lamp/availability", "offline")
                try await visitor.awaits("things/kitchen-light/availability", "online")
                await lamp.forget()
                #expect(try await visitor.ask("things/table-lamp/set", order).outcome == "ok")
                try await visitor.awaits("things/table-lamp") { $0["target"]?["state"] == "ON" }
                #expect(await lamp.orders.isEmpty)
                lamp.setAvailable(true)
                try await visitor.awaits("things/table-lamp/availability", "online")
                // What was wanted meanwhile is done now.
                try await lamp.awaits { $0.isOn && $0.level == 80 }
                try await visitor.awaits("things/table-lamp") { $0["target"] == nil }
            }
        }
    }

    @Test func `a lamp that never answers is told of, and the thing shows what it should be`() async throws {
        try await withLamp(.zigbee2mqtt) { lamp in
            try await withHome(file: "links:\n" + lamp.entry(for: "table-lamp")) { _, visitor in
                await lamp.press(isOn: false)
                try await visitor.awaits("things/table-lamp") { $0["state"] == "OFF" }
                await lamp.setDeaf(true)
                #expect(try await visitor.ask("things/table-lamp/set", order).outcome == "ok")
                let alert = try await visitor.awaits("alert/lamps")
                #expect(alert["message"]?.string?.contains("table-lamp (\(lamp.topic)/set)") == true)
                let target = try await visitor.awaits("things/table-lamp") { $0["target"] != nil }["target"]
                #expect(target?["state"] == "ON" && target?["brightness"] == 204)
                try await visitor.awaits("things/table-lamp/availability", "offline")
                #expect(await eventually { await lamp.orders.count >= 3 }, "it is tried on and on")
                await lamp.setDeaf(false)
                await lamp.press(isOn: true, level: 80, hue: 240)
                try await visitor.awaits("alert/lamps", "")
                try await visitor.awaits("things/table-lamp/availability", "online")
                try await visitor.awaits("things/table-lamp") { $0["target"] == nil }
            }
        }
    }

    @Test func `a lamp that flaps starts no storm`() async throws {
        try await withLamp(.tasmota) { lamp in
            try await withHome(file: "links:\n" + lamp.entry(for: "table-lamp")) { _, visitor in
                await lamp.press(isOn: false)
                try await visitor.awaits("things/table-lamp") { $0["state"] == "OFF" }
                await visitor.forget()
                for count in 1...401 {
                    await lamp.press(isOn: !count.isMultiple(of: 2))
                    lamp.setAvailable(!count.isMultiple(of: 2))
                    if count.isMultiple(of: 40) { try await visitor.ask("request/ping") }
                }
                try await visitor.awaits("things/table-lamp/availability", "online")
                try await visitor.awaits("things/table-lamp") { $0["state"] == "ON" }
                #expect(await visitor.said(on: "things/table-lamp").count < 40)
                #expect(await visitor.said(on: "things/table-lamp/availability").count < 20)
                #expect(await lamp.orders.isEmpty, "nothing was sent back")
                // It still does what it is told.
                #expect(try await visitor.ask("things/table-lamp/set", order).outcome == "ok")
                try await lamp.awaits { $0.isOn && $0.level == 80 && $0.hue == 240 }
            }
        }
    }

    @Test func `garbage is counted, logged once a cause, and changes nothing`() async throws {
        let keys = ["mqtt.health_interval_seconds": "5"]
        try await withLamp(.wled) { lamp in
            try await withHome(keys, file: "links:\n" + lamp.entry(for: "table-lamp")) { home, visitor in
                let before = try await visitor.awaits("things/table-lamp")
                for number in 0..<20 {
                    lamp.say("/g", "bright \(number)")
                    lamp.say("/g", "-\(number + 1)")
                    lamp.say("/c", "#12")
                    lamp.say("/v", "<vs><ac>300</ac></vs>")
                    lamp.say("/status", "perhaps")
                }
                client(visitor, publish: "\(lamp.topic)/g", [0xff, 0xfe, 0x00])
                await lamp.press(isOn: true, level: 60, hue: 240)
                let after = try await visitor.awaits("things/table-lamp") { $0["color_name"] == "blue" }
                #expect(after["brightness"] == before["brightness"])
                #expect(await home.logs("message of a lamp ignored"))
                #expect(await home.log.components(separatedBy: "message of a lamp ignored").count - 1 <= 5)
                try await visitor.awaits("health") {
                    ($0["counters"]?["lamp_messages_ignored"]?.number ?? 0) > 90
                }
            }
        }
    }

    private func client(_ visitor: Visitor, publish topic: String, _ payload: [UInt8]) {
        visitor.client.publish(MQTTMessage(topic: topic, payload: payload, qos: .atLeastOnce))
    }

    @Test func `a lamp is asked at the start, and what it says wins over what was stored`() async throws {
        try await withLamp(.zigbee2mqtt) { lamp in
            try await withEmptyHome { home, visitor in
                try await home.take()
                let file = "links:\n" + lamp.entry(for: "table-lamp")
                try await visitor.whileStarting { try await home.start(file: file) }
                // The place has it on, and orange.
                try await visitor.awaits("things/table-lamp") { $0["state"] == "OFF" }
                let (questions, orders) = await (lamp.questions, lamp.orders.count)
                #expect(questions == 1 && orders == 0)
                await home.stop()
                await lamp.press(isOn: true, level: 20, hue: 120)
                try await visitor.whileStarting { try await home.start(file: file) }
                let lit = try await visitor.awaits("things/table-lamp") { $0["state"] == "ON" }
                #expect(lit["brightness"] == 51)
                #expect(await lamp.orders.isEmpty)
            }
        }
    }

    @Test func `what changed while the broker was away is done when it is back`() async throws {
        try await withMosquitto { broker in
            try await withLamp(.zigbee2mqtt, port: broker.port) { lamp in
                try await withHome(file: "links:\n" + lamp.entry(for: "table-lamp"), port: broker.port) {
                    home,
                    visitor in
                    await lamp.press(isOn: false)
                    try await visitor.awaits("things/table-lamp") { $0["state"] == "OFF" }
                    await broker.kill()
                    let path = Place.path(ofThing: Place.tableLamp, in: Place.living)
                    #expect(try await home.rest("PUT", path, #"{"data.on":true}"#).status == 200)
                    try await broker.start()
                    try await lamp.awaits { $0.isOn }
                    try await visitor.awaits("things/table-lamp") { $0["state"] == "ON" }
                }
            }
        }
    }

    @Test func `a thing has one lamp, and what is no light has none`() async throws {
        try await withLamp(.zigbee2mqtt) { lamp in
            try await withLamp(.tasmota) { other in
                let file =
                    "links:\n" + lamp.entry(for: "table-lamp") + other.entry(for: Place.tableLamp)
                    + "  - {thing: Fridge, kind: wled, topic: cold/\(UInt32.random(in: .min ... .max))}\n"
                    + "  - {thing: tabel-lamp, kind: wled, topic: odd/\(UInt32.random(in: .min ... .max))}\n"
                try await withHome(file: file) { home, visitor in
                    await lamp.press(isOn: false)
                    try await visitor.awaits("things/table-lamp") { $0["state"] == "OFF" }
                    await other.press(isOn: true)
                    let alert = try await visitor.awaits("alert/links")
                    let message = alert["message"]?.string ?? ""
                    #expect(message.contains("\"\(Place.tableLamp)\" already has a link to another lamp"))
                    #expect(message.contains("\"Fridge\" cannot be switched"))
                    #expect(message.contains("\"tabel-lamp\" is not a thing in this environment"))
                    #expect(await home.logs("tabel-lamp"))
                    #expect(try await visitor.ask("request/ping").outcome == "ok")
                    #expect(await visitor.json("things/table-lamp")?["state"] == "OFF")
                }
            }
        }
    }

    @Test
    func `a link whose thing does not exist is an alert until it does, and then stays with it`()
        async throws
    {
        try await withLamp(.zigbee2mqtt) { lamp in
            try await withHome(file: "links:\n" + lamp.entry(for: "Reading lamp")) { home, visitor in
                let alert = try await visitor.awaits("alert/links")
                #expect(
                    alert["message"]
                        == "Lamp links without effect: \"Reading lamp\" is not a thing in this environment."
                )
                let things = "/environments/\(Place.flat)/zones/\(Place.living)/things"
                try await home.rest("POST", things, #"{"name":"reading LAMP","data":{"on":true}}"#)
                try await visitor.awaits("alert/links", "")
                await lamp.press(isOn: false)
                try await visitor.awaits("things/reading-lamp") { $0["state"] == "OFF" }
                // One that has its thing keeps it, also when it is looked up anew.
                try await home.rest("POST", things, #"{"name":"Reading Lamp","data":{"on":true}}"#)
                try await visitor.awaits("things/reading-lamp-2")
                #expect(try await visitor.ask("request/restart").outcome == "ok")
                #expect(await home.logs("stays with reading-lamp, which it meant first"))
                await lamp.press(isOn: true)
                try await visitor.awaits("things/reading-lamp") { $0["state"] == "ON" }
                #expect(await visitor.json("alert/links") == nil)
            }
        }
    }

    @Test func `two daemons whose links cross end equal`() async throws {
        func file(_ other: Home) -> String {
            let topic = "\(other.root)/things/table-lamp"
            return
                "links:\n  - {thing: table-lamp, kind: json, state_topic: \(topic), command_topic: \(topic)/set}\n"
        }
        func shape(_ visitor: Visitor) async -> [JSONValue?] {
            let lamp = await visitor.json("things/table-lamp")
            return ["state", "brightness", "color"].map { lamp?[$0] }
        }
        try await withEmptyHome { one, first in
            try await withEmptyHome { two, second in
                for (home, visitor, color) in [(one, first, "red"), (two, second, "green")] {
                    try await home.take()
                    try await visitor.whileStarting { try await home.start() }
                    #expect(try await visitor.ask("things/table-lamp/set/color", color).outcome == "ok")
                    await home.stop()
                }
                try await first.whileStarting { try await one.start(file: file(two)) }
                try await second.whileStarting { try await two.start(file: file(one)) }
                #expect(await eventually { await shape(first) == shape(second) })
                for (visitor, other, color) in [(first, second, "blue"), (second, first, "orange")] {
                    #expect(try await visitor.ask("things/table-lamp/set/color", color).outcome == "ok")
                    try await other.awaits("things/table-lamp") { $0["color_name"]?.string == color }
                    #expect(await eventually { await shape(first) == shape(second) })
                }
            }
        }
    }

    @Test func `a transition is passed on to a lamp that can, and led in steps for one that cannot`()
        async throws
    {
        let number = UInt32.random(in: .min ... .max)
        let file = """
            links:
              - {thing: table-lamp, kind: json, state_topic: a/\(number), command_topic: a/\(number)/set}
              - thing: kitchen-light
                kind: template
                state_topic: b/\(number)
                command_topic: b/\(number)/set
                command: "{percent}"
            """
        try await withHome(file: file) { _, visitor in
            try await withVisitor(to: "a/\(number)", port: SharedMosquitto.broker.port) { able in
                try await withVisitor(to: "b/\(number)", port: SharedMosquitto.broker.port) { unable in
                    client(visitor, publish: "a/\(number)", Array(#"{"state":"ON","brightness":51}"#.utf8))
                    client(visitor, publish: "b/\(number)", Array("51".utf8))
                    for thing in ["table-lamp", "kitchen-light"] {
                        try await visitor.awaits("things/\(thing)") {
                            $0["state"] == "ON" && $0["brightness"] == 51
                        }
                        let order = #"{"brightness":255,"transition":1}"#
                        async let answer = visitor.ask("things/\(thing)/set", order)
                        try await visitor.awaits("things/\(thing)") { $0["target"]?["brightness"] == 255 }
                        #expect(try await answer.outcome == "ok")
                    }
                    try await able.awaits("set") { $0["transition"] == 1 && $0["brightness"] == 255 }
                    try await unable.awaits("set", "100")
                    let steps = await unable.said(on: "set").compactMap { Int($0) }
                    #expect(steps == steps.sorted() && steps.count > 2 && (steps.first ?? 100) < 50)
                    try await visitor.awaits("things/kitchen-light") { $0["brightness"] == 255 }
                }
            }
        }
    }

    @Test func `links of another environment rest, and a reload changes them`() async throws {
        try await withLamp(.zigbee2mqtt) { lamp in
            try await withHome(file: "links:\n" + lamp.entry(for: "lantern")) { home, visitor in
                await lamp.press(isOn: true, level: 70)
                #expect(try await visitor.ask("things/table-lamp/set", order).outcome == "ok")
                #expect(await lamp.orders.isEmpty)
                #expect(try await visitor.ask("environment/set", "hut").outcome == "ok")
                try await visitor.awaits("things/lantern") {
                    ($0["brightness"]?.number).map { abs($0 - 178.5) <= 2 } ?? false
                }
                #expect(try await visitor.ask("things/lantern/set", #"{"brightness":51}"#).outcome == "ok")
                try await lamp.awaits { $0.level == 20 }
                #expect(try await visitor.ask("environment/set", "flat").outcome == "ok")
                await lamp.press(isOn: true, level: 90)

                try home.folder.write("links:\n" + lamp.entry(for: "table-lamp"), to: "trilateral.yaml")
                await visitor.forget()
                #expect(try await visitor.ask("request/reload").outcome == "ok")
                try await visitor.awaitsEvent("bridge", "reloaded")
                try await visitor.awaits("things/table-lamp") {
                    ($0["brightness"]?.number).map { abs($0 - 229.5) <= 2 } ?? false
                }
            }
        }
    }
}
