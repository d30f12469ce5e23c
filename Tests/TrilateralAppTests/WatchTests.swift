import Flare
import Foundation
import JSON
import Testing
import TrilateralApp

struct WatchModelTests {
    private func lines(_ messages: [(String, String)]) -> [String] {
        var model = WatchModel()
        return messages.compactMap {
            model.hear(topic: $0, payload: Array($1.utf8), at: "2026-11-21T10:11:12.345Z")
        }
    }

    @Test func `each event is one line`() {
        let body =
            #"{"event_type":"changed","ts":"2026-11-21T10:10:00.123Z","slug":"lamp","before":{"color":"red"},"after":{"color":"blue","on":true},"changed":["color","on"],"cause":{"source":"command"}}"#
        #expect(
            lines([("event/thing", body)]) == [
                "10:10:00 thing changed lamp color red -> blue, on true (command)"
            ]
        )
        let action = #"{"event_type":"action","ts":"x","slug":"a","action":"nextColor","changed":[]}"#
        #expect(lines([("event/thing", action)]) == ["x thing action a nextColor"])
    }

    @Test func `an event is told with the name of its object, in local time, a movement with its places`()
        throws
    {
        var model = WatchModel(time: LocalTime(zone: try #require(TimeZone(secondsFromGMT: 3600))))
        func line(_ topic: String, _ body: String) -> String? {
            model.hear(topic: topic, payload: Array(body.utf8), at: "2026-11-21T23:11:12.345Z")
        }
        #expect(line("things/lamp", #"{"name":"Desk lamp","slug":"lamp"}"#) == nil)
        let ts = #""ts":"2026-11-21T23:10:00.123Z""#
        #expect(
            line("event/nearby", #"{"event_type":"near","slug":"lamp",\#(ts)}"#)
                == "00:10:00 nearby near Desk lamp (lamp)"
        )
        #expect(
            line(
                "event/device",
                #"{"event_type":"moved","changed":["position"],"before":{"x":1,"y":2,"z":0},"after":{"x":1.5,"y":2,"z":0},\#(ts)}"#
            ) == "00:10:00 device moved 1.00 2.00 0.00 -> 1.50 2.00 0.00"
        )
        #expect(line("status", "online") == "00:11:12 status online")
    }

    @Test func `states are told once, status and alerts at every change`() {
        #expect(
            lines([
                ("status", "online"), ("status", "online"),
                ("zone", #"{"id":"1","name":"Kitchen","slug":"kitchen"}"#),
                ("zone", #"{"id":null}"#), ("status", "offline"), ("alert/x", #"{"message":"broken"}"#),
                ("alert/x", ""),
            ]) == [
                "10:11:12 status online", "10:11:12 zone Kitchen (kitchen)", "10:11:12 status offline",
                "10:11:12 alert/x broken",
                "10:11:12 alert/x cleared",
            ]
        )
    }

    @Test(
        arguments: [
            (
                "info", #"{"version":"1.2","schema":1,"flare":{"mode":"embedded","url":"http://a:1"}}"#,
                "version 1.2, Flare embedded http://a:1"
            ),
            (
                "health", #"{"status":"ok","links":{"mqtt":true,"flare":true}}"#,
                "status ok, flare up, mqtt up"
            ),
            (
                "device/position",
                #"{"x":1,"y":2,"z":0,"accuracy_m":1.5,"quality":"good","source":"beacons"}"#,
                "x 1.00  y 2.00  z 0.00  ±1.5 m  good  beacons"
            ), ("device/angle", "95", "95° E"), ("nearby", #"{"id":null,"state":null}"#, "none"),
            (
                "nearby", #"{"id":"1","name":"Lamp","slug":"lamp","state":"ON","distance_m":1}"#,
                "Lamp (lamp)  1.0 m  state ON"
            ), ("nearby/availability", "online", "online"), ("sensors/gps", "ON", "ON"),
            ("device", #"{"id":"1","name":"Phone"}"#, "Phone"),
        ]
    )
    func `every state is a line in words, in the form of an event`(
        topic: String,
        payload: String,
        words: String
    ) {
        #expect(lines([(topic, payload)]) == ["10:11:12 \(topic) \(words)"])
    }

    @Test func `what is no JSON, or harmful, does no harm`() {
        #expect(lines([("event/zone", "{")]) == [])
        #expect(lines([("status", "a\u{1B}[2J\nb")]) == ["10:11:12 status a\\u{1b}[2J\\nb"])
        #expect(lines([("event/zone", "[]")]) == ["--:--:-- zone ?"])
    }

    @Test func `only so many events are remembered`() {
        var model = WatchModel()
        for number in 0..<1000 {
            _ = model.hear(topic: "event/zone", payload: Array("{\"seq\":\(number)}".utf8), at: "")
        }
        #expect(model.events.count == 200)
        #expect(model.events.last?.body["seq"] == 999)
    }
}

struct WatchScreenTests {
    private func model() -> WatchModel {
        var model = WatchModel()
        model.linkProblem = nil
        let messages = [
            ("status", "online"), ("info", #"{"version":"1.2.3"}"#),
            ("environment", #"{"id":"1","name":"Home","slug":"home"}"#),
            ("zone", #"{"id":"2","name":"Kitchen","slug":"kitchen","since":"2026-11-21T10:09:00.000Z"}"#),
            ("device", #"{"id":"3","name":"Walker","position":{"x":9,"y":9,"z":9},"angle":10}"#),
            (
                "device/position",
                #"{"x":1.25,"y":-3.4,"z":1,"accuracy_m":1.23,"quality":"good","source":"beacons"}"#
            ),
            ("device/angle", "95"),
            (
                "nearby",
                #"{"id":"4","name":"Lamp","slug":"lamp","state":"ON","brightness":128,"color":{"r":255,"g":0,"b":10},"distance_m":1.24,"bearing_deg":40,"actions":["on","off"],"target":{"brightness":255}}"#
            ),
            ("sensors/gps", "OFF"), ("sensors/beacons", "ON"),
            ("health", #"{"links":{"flare":true,"mqtt":false}}"#),
            ("alert/a", #"{"message":"no beacons"}"#),
            ("event/zone", #"{"event_type":"enter","ts":"2026-11-21T10:09:00.000Z","slug":"kitchen"}"#),
        ]
        for (topic, payload) in messages {
            _ = model.hear(topic: topic, payload: Array(payload.utf8), at: "")
        }
        return model
    }

    @Test func `everything is in its place`() {
        let lines = WatchScreen(root: "trilateral/a", columns: 100, rows: 40).lines(model())
        #expect(
            lines == [
                "Trilateral trilateral/a  ·  online  ·  version 1.2.3", "Ctrl-C ends", "",
                "Environment  Home (home)", "Zone         Kitchen (kitchen)  since 10:09:00",
                "Device       Walker",
                "Position     x 1.25  y -3.40  z 1.00  ±1.2 m  good  beacons", "Angle        95° E",
                "Nearby       Lamp (lamp)  1.2 m  bearing 40°",
                "             state ON  brightness 128 (50 %)  color #ff000a  on its way to brightness 255",
                "             actions on off", "Sensors      beacons ON  gps OFF",
                "Links        flare up  mqtt down",
                "Alert        no beacons", "", "Events", "  10:09:00 zone enter kitchen",
            ]
        )
    }

    @Test func `an empty model is shown as unknown`() {
        let lines = WatchScreen(root: "r", columns: 80, rows: 24).lines(WatchModel())
        #expect(lines.first == "Trilateral r  ·  no link to the broker: connecting")
        #expect(lines.contains("Position     unknown"))
        #expect(lines.contains("Nearby       ?"))
    }

    @Test(arguments: [(1, 1), (10, 5), (20, 8), (80, 12), (200, 60)])
    func `no size is exceeded`(columns: Int, rows: Int) {
        var model = model()
        _ = model.hear(topic: "zone", payload: Array(#"{"id":"1","name":"台所のとても長い名前\n\t"}"#.utf8), at: "")
        let lines = WatchScreen(root: "trilateral/a", columns: columns, rows: rows).lines(model)
        #expect(lines.count <= rows)
        for line in lines {
            let wide = line.unicodeScalars.filter { $0.value > 0x2E80 }.count
            #expect(line.count + wide <= columns)
        }
    }

    @Test func `numbers beyond reason do no harm`() {
        var model = WatchModel()
        for (topic, payload) in [
            ("device/angle", "1e300"), ("device/position", #"{"x":1e300,"y":-1e300,"z":0}"#),
            ("nearby", #"{"id":"1","brightness":-1e200,"color":{"r":1e9,"g":-1,"b":0.5},"distance_m":1e99}"#),
        ] {
            _ = model.hear(topic: topic, payload: Array(payload.utf8), at: "")
        }
        #expect(!WatchScreen(root: "r", columns: 80, rows: 24).lines(model).isEmpty)
    }
}

struct TerminalPainterTests {
    @Test func `only lines that differ are written`() {
        var painter = TerminalPainter()
        #expect(painter.paint(["a", "b"]) == "\u{1B}[1;1Ha\u{1B}[K\u{1B}[2;1Hb\u{1B}[K")
        #expect(painter.paint(["a", "c"]) == "\u{1B}[2;1Hc\u{1B}[K")
        #expect(painter.paint(["a", "c"]) == "")
        #expect(painter.paint(["a"]) == "\u{1B}[2;1H\u{1B}[K")
        #expect(painter.reset() == "\u{1B}[2J")
        #expect(painter.paint(["a"]) == "\u{1B}[1;1Ha\u{1B}[K")
    }
}
