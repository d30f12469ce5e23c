import Flare
import Foundation
import JSON
import TestSupport
import Testing

/// What lamps and sensors report is read as far as it can be.
@Suite(.enabled(if: Mosquitto.isExpected), .mosquitto, .timeLimit(.minutes(2)))
struct PartialReportTests {
    private static func home(_ number: UInt32 = .random(in: .min ... .max)) -> String { "house\(number)" }

    @Test func `unusable values of a lamp's report are logged, and the others count`() async throws {
        try await withLamp(.zigbee2mqtt) { lamp in
            let keys = ["mqtt.health_interval_seconds": "5"]
            try await withHome(keys, file: "links:\n" + lamp.entry(for: "table-lamp")) { home, visitor in
                await lamp.press(isOn: false, level: 40)
                try await visitor.awaits("things/table-lamp") { $0["state"] == "OFF" }
                let report =
                    #"{"state":"ON","brightness":"much","color":{"x":1.2,"y":0.3},"color_temp":"warm","effect":7}"#
                for _ in 0..<10 { lamp.say("", report) }
                try await visitor.awaits("things/table-lamp") { $0["state"] == "ON" }
                #expect(await home.logs("brightness must be a number from 0 to 254"))
                #expect(await home.logs("unsupported colour"))
                #expect(await home.logs("color_temp must be a number of mired"))
                #expect(await home.log.components(separatedBy: "value of a lamp ignored").count - 1 == 3)
                lamp.say("", #"{"state":"ON","brightness":"51","color":{"r":"0","g":"0","b":"255"}}"#)
                try await visitor.awaits("things/table-lamp") {
                    $0["brightness"] == 51 && $0["color_name"] == "blue"
                }
                try await visitor.awaits("health") { $0["counters"]?["lamp_messages_ignored"] == 0 }
                #expect(await visitor.said(on: "alert/lamps").allSatisfy(\.isEmpty))
            }
        }
    }

    @Test func `a lamp whose answer is partly unusable does not count as silent`() async throws {
        let house = Self.home()
        let file = """
            links:
              - {thing: table-lamp, kind: json, state_topic: \(house)/is, command_topic: \(house)/do}
            """
        try await withHome(file: file + "\n") { _, visitor in
            visitor.say(
                absolute: "\(house)/is",
                #"{"state":"OFF","brightness":9,"color":{"r":255,"g":0,"b":0}}"#
            )
            try await visitor.awaits("things/table-lamp") { $0["state"] == "OFF" }
            let answer = try await visitor.ask(
                "things/table-lamp/set",
                #"{"state":"ON","brightness":204,"color":"blue"}"#
            )
            #expect(answer.outcome == "ok")
            visitor.say(
                absolute: "\(house)/is",
                #"{"state":"ON","brightness":null,"color_mode":"cwww","color":{"c":"?","w":{}}}"#
            )
            // It answers with white light, so that is what it has after two tries.
            try await visitor.awaits("things/table-lamp") {
                $0["state"] == "ON" && $0["color_name"] == "white" && $0["brightness"] == 204
                    && $0["target"] == nil
            }
            #expect(await visitor.said(on: "alert/lamps").allSatisfy(\.isEmpty))
            try await visitor.awaits("things/table-lamp/availability", "online")
        }
    }

    @Test func `a base topic of zigbee2mqtt may have several levels`() async throws {
        let house = Self.home()
        let file = "links:\n  - {thing: table-lamp, kind: zigbee2mqtt, topic: \(house)/z2m/hall/lamp}\n"
        try await withHome(file: file) { _, visitor in
            visitor.say(absolute: "\(house)/z2m/hall/lamp", #"{"state":"OFF"}"#)
            try await visitor.awaits("things/table-lamp") { $0["state"] == "OFF" }
            visitor.say(absolute: "\(house)/z2m/bridge/state", #"{"state":"offline"}"#, isRetained: true)
            try await visitor.awaits("things/table-lamp/availability", "offline")
            visitor.say(absolute: "\(house)/z2m/bridge/state", #"{"state":"online"}"#, isRetained: true)
            try await visitor.awaits("things/table-lamp/availability", "online")
            // What it is no longer told of does not keep a lamp offline.
            let own = "\(house)/z2m/hall/lamp/availability"
            visitor.say(absolute: own, "offline", isRetained: true)
            try await visitor.awaits("things/table-lamp/availability", "offline")
            visitor.say(absolute: own, "", isRetained: true)
            try await visitor.awaits("things/table-lamp/availability", "online")
            visitor.say(absolute: "\(house)/z2m/bridge/state", "", isRetained: true)
        }
    }

    @Test func `a Tasmota device may answer on its commands' own topics`() async throws {
        let device = Self.home()
        let file = "links:\n  - {thing: table-lamp, kind: tasmota, topic: \(device)}\n"
        try await withHome(file: file) { home, visitor in
            visitor.say(absolute: "stat/\(device)/POWER", #"{"POWER":"OFF"}"#)
            try await visitor.awaits("things/table-lamp") { $0["state"] == "OFF" }
            visitor.say(
                absolute: "stat/\(device)/DIMMER",
                #"{"POWER":"ON","Dimmer":20,"HSBColor":"240,100,20"}"#
            )
            try await visitor.awaits("things/table-lamp") {
                $0["state"] == "ON" && $0["brightness"] == 51 && $0["color_name"] == "blue"
            }
            visitor.say(absolute: "stat/\(device)/POWER", "")
            visitor.say(absolute: "stat/\(device)/POWER", "OFF")
            try await visitor.awaits("things/table-lamp") { $0["state"] == "OFF" }
            #expect(await !home.log.contains("of a lamp ignored"))
        }
    }

    @Test func `topics of sensors that are cleared are no bad readings`() async throws {
        let node = Self.home()
        let keys = [
            "sensors.espresense.device": "phone:\(node)", "mqtt.health_interval_seconds": "5",
        ]
        try await withHome(keys) { home, visitor in
            for _ in 0..<5 {
                visitor.say(absolute: "espresense/devices/phone:\(node)/hall", "", isRetained: true)
                for sensor in ["compass", "gps", "beacons"] {
                    visitor.say("sensors/\(sensor)/raw", "", isRetained: true)
                }
            }
            visitor.say(
                "sensors/gps/raw",
                #"{"latitude":"47.0001","longitude":11,"accuracy":"good","altitude":NaN}"#
            )
            try await visitor.awaits("environment") { $0["slug"] == "hut" }
            #expect(await home.logs("accuracy must be a number"))
            let health = try await visitor.awaits("health") { $0["counters"]?["readings_refused"] != nil }
            #expect(health["counters"]?["readings_refused"] == 0)
            #expect(await visitor.said(on: "alert/sensor-readings").allSatisfy(\.isEmpty))
            #expect(await !home.log.contains("reading ignored"))
        }
    }
}
