import Foundation
import JSON
import TestSupport
import Testing

/// What sensors do, where a phone is the sensor.
@Suite(.enabled(if: Mosquitto.isExpected), .mosquitto, .timeLimit(.minutes(1)))
struct SensorTests {
    @Test func `a compass turns the device`() async throws {
        try await withHome { _, visitor in
            visitor.say("sensors/compass/raw", "88.6")
            try await visitor.awaits("device/angle", "89")
            try await visitor.awaits("device") { $0["angle"] == 89 }
            let event = try await visitor.awaitsEvent("device", "turned")
            #expect(event["after"] == ["angle": 90] && event["cause"]?["source"] == "compass")
        }
    }

    @Test func `a place on the earth chooses the environment, and is told only on request`() async throws {
        for isPublished in [true, false] {
            try await withHome(["device.publish_location": "\(isPublished)"]) { _, visitor in
                visitor.say("sensors/gps/raw", #"{"latitude":47.0001,"longitude":11,"accuracy":5}"#)
                try await visitor.awaits("environment") { $0["slug"] == "hut" }
                #expect(try await visitor.awaitsEvent("environment", "selected")["cause"]?["source"] == "gps")
                #expect(try await visitor.ask("request/ping").outcome == "ok")
                if isPublished {
                    try await visitor.awaits(
                        "device/location",
                        #"{"gps_accuracy":5,"latitude":47.0001,"longitude":11}"#
                    )
                } else {
                    #expect(await visitor.said(on: "device/location").allSatisfy(\.isEmpty))
                }
            }
        }
    }

    @Test func `beacons move the device, change its zone, and bring things near, in order`() async throws {
        try await withHome { _, visitor in
            // Nobody has said yet where it is.
            try await visitor.awaits("zone") { $0["id"] == .null }
            try await walk(visitor, major: 2, minor: 2) {
                try await visitor.awaits("nearby") { $0["slug"] == "kitchen-light" }
            }
            try await visitor.awaits("zone") { $0["slug"] == "kitchen" }
            let position = try await visitor.awaits("device/position") { isBesideKitchenLight($0) }
            #expect(position["source"] == "beacons" && position["quality"] == "coarse")
            #expect(position["accuracy_m"]?.number != nil)
            let near = try await visitor.awaitsEvent("nearby", "near")
            let kinds = await visitor.eventsWithoutCalls.compactMap { $0["event_type"]?.string }
            #expect(Array(kinds.filter { $0 != "moved" }.prefix(3)) == ["started", "enter", "near"])
            #expect(near["slug"] == "kitchen-light")

            try await walk(visitor, major: 1, minor: 1) {
                try await visitor.awaits("nearby") { $0["slug"] == "table-lamp" }
            }
            #expect(try await visitor.awaitsEvent("nearby", "far")["slug"] == "kitchen-light")
            try await visitor.awaits("state") {
                $0["zone"]?["slug"] == "living-room" && $0["nearby"]?["slug"] == "table-lamp"
            }
        }
    }

    /// Hears one beacon, close by, until something has happened.
    private func walk(
        _ visitor: Visitor,
        major: Int,
        minor: Int,
        uuid: String = Place.beaconUUID,
        until happened: () async throws -> Void
    ) async throws {
        let packet =
            #"[{"uuid":"\#(uuid)","major":\#(major),"minor":\#(minor),"rssi":-50,"power":-59}]"#
        let walking = Task {
            while !Task.isCancelled {
                visitor.say("sensors/beacons/raw", packet)
                try? await Task.sleep(for: .milliseconds(200))
            }
        }
        defer { walking.cancel() }
        try await happened()
    }

    @Test func `beacons of the UUID that the configuration names count, not the environment's`() async throws
    {
        let own = "00000000-0000-0001-0000-000000000002"
        try await withHome(["sensors.beacons.uuid": own]) { _, visitor in
            try await walk(visitor, major: 1, minor: 1) {
                try await walk(visitor, major: 2, minor: 2, uuid: own) {
                    try await visitor.awaits("nearby") { $0["slug"] == "kitchen-light" }
                    // As if the other were not there, which is as loud.
                    try await visitor.awaits("device/position") { isBesideKitchenLight($0) }
                }
            }
        }
    }

    @Test func `receivers of the place that hear the device move it, and health says how fast`() async throws
    {
        try await withEmptyHome { home, visitor in
            let model = Place.model
                .replacing(#""minor": 1,"#, with: #""receiver": "living","#)
                .replacing(#""minor": 2}"#, with: #""receiver": "kitchen"}"#)
            try await home.take(model)
            let keys = [
                "sensors.espresense.device": "phone:\(home.node)", "mqtt.health_interval_seconds": "5",
            ]
            try await visitor.whileStarting { try await home.start(keys) }
            let topic = "espresense/devices/phone:\(home.node)"
            let walking = Task {
                while !Task.isCancelled {
                    visitor.say(absolute: "\(topic)/living", #"{"id":"x","rssi@1m":-59,"rssi":-75.5}"#)
                    visitor.say(absolute: "\(topic)/kitchen", #"{"id":"x","rssi@1m":-59,"rssi":-52}"#)
                    visitor.say(absolute: "\(topic)/cellar", #"{"id":"x","rssi@1m":-59,"rssi":-50}"#)
                    visitor.say(absolute: "\(topic)/kitchen", #"{"rssi":"loud"}"#)
                    try? await Task.sleep(for: .milliseconds(200))
                }
            }
            defer { walking.cancel() }
            try await visitor.awaits("nearby") { $0["slug"] == "kitchen-light" }
            try await visitor.awaits("device/position") {
                ($0["x"]?.number ?? 0) > 6.5 && $0["source"] == "beacons"
            }
            #expect(await home.logs("no thing of this environment has the receiver cellar"))
            #expect(await home.logs("rssi must be a number"))
            let health = try await visitor.awaits("health", within: .seconds(30)) { $0["position_ms"] != nil }
            let (median, most) = (
                health["position_ms"]?["median"]?.number ?? 0, health["position_ms"]?["p99"]?.number ?? 0
            )
            #expect(median > 0 && most >= median && health["position_ms"]?["count"]?.integer ?? 0 > 0)
        }
    }

    /// One beacon that is heard very loudly leaves some decimetres open.
    private func isBesideKitchenLight(_ position: JSONValue) -> Bool {
        guard let x = position["x"]?.number, let y = position["y"]?.number else { return false }
        return hypot(x - 8.5, y - 2) < 0.5
    }

    @Test func `a sensor that is off is not heard, and stays off after a restart`() async throws {
        try await withHome { home, visitor in
            try await visitor.awaits("sensors/compass", "ON")
            #expect(try await visitor.ask("sensors/compass/set", "OFF").outcome == "ok")
            #expect(try await visitor.ask("sensors/gps/set", #"{"state":"off","tx":1}"#).outcome == "ok")
            try await visitor.awaits("sensors/compass", "OFF")
            await home.stop()
            try await visitor.whileStarting { try await home.start() }
            try await visitor.awaits("sensors/compass", "OFF")
            try await visitor.awaits("sensors/gps", "OFF")
            try await visitor.awaits("sensors/beacons", "ON")
            visitor.say("sensors/compass/raw", "90")
            try await visitor.ask("request/ping")
            #expect(await visitor.said(on: "device/angle").isEmpty)
            #expect(try await visitor.ask("sensors/compass/set", "ON").outcome == "ok")
            // Two values, since the first may come before the switch has come to the sensors.
            #expect(
                try await eventually {
                    for degrees in ["90", "180"] { visitor.say("sensors/compass/raw", degrees) }
                    try await visitor.ask("request/ping")
                    return await visitor.text("device/angle") != nil
                }
            )
        }
    }

    @Test func `a sensor that the configuration switches off says so`() async throws {
        try await withHome(["sensors.beacons.enabled": "false"]) { _, visitor in
            try await visitor.awaits("sensors/beacons", "OFF")
            try await visitor.awaits("sensors/compass", "ON")
        }
    }

    @Test func `a wrong reading is logged once a cause, and moves nothing`() async throws {
        try await withHome { home, visitor in
            for _ in 0..<5 {
                visitor.say("sensors/compass/raw", "north")
                visitor.say("sensors/gps/raw", #"{"latitude":91,"longitude":0}"#)
                visitor.say("sensors/beacons/raw", #"{"uuid":"x"}"#)
                visitor.say("sensors/beacons/raw", "[[[[[[[[")
            }
            try await visitor.awaits("alert/sensor-readings") {
                $0["message"]?.string?.contains("other sender") == true
            }
            for _ in 0..<3 {
                visitor.say("sensors/compass/raw", "45")
                visitor.say("sensors/gps/raw", #"{"_type":"lwt"}"#)
                visitor.say("sensors/beacons/raw", "[]")
            }
            try await visitor.awaits("device/angle", "45")
            try await visitor.awaits("alert/sensor-readings", "")
            try await visitor.awaits("health") {
                $0["status"] == "ok" && $0["counters"]?["readings_refused"] == 20
            }
            for sensor in ["compass", "gps", "beacons"] { #expect(await home.logs("sensors/\(sensor)/raw")) }
            #expect(await home.log.components(separatedBy: "reading ignored").count - 1 <= 6)
            #expect(await visitor.eventsWithoutCalls.count { $0["event_type"] != "turned" } == 1)
        }
    }

    @Test func `the device is set when the configuration allows it`() async throws {
        try await withHome(["device.allow_set": "true"]) { home, visitor in
            let answer = try await visitor.ask(
                "device/set",
                #"{"position":{"x":8.5,"y":2,"z":1},"angle":360,"name":"Torch","tx":5}"#
            )
            #expect(answer.outcome == "ok" && answer["tx"] == 5)
            let device = try await visitor.awaits("device") {
                $0["name"] == "Torch" && $0["zone"] == "kitchen"
            }
            #expect(device["position"] == ["x": 8.5, "y": 2, "z": 1] && device["angle"] == 0)
            try await visitor.awaits("nearby") { $0["slug"] == "kitchen-light" && $0["distance_m"] == 0 }
            try await visitor.awaits("nearby/availability", "online")
            try await visitor.awaits("zone") { $0["slug"] == "kitchen" && $0["since"] != nil }
            let id = device["id"]?.string ?? ""
            #expect(
                try await home.rest("GET", "/environments/\(Place.flat)/devices/\(id)").body.contains("Torch")
            )
            #expect(
                try await visitor.ask("device/set", #"{"position":{"x":1e9,"y":0}}"#).outcome
                    == "out_of_range"
            )
            #expect(try await visitor.ask("device/set", #"{"position":{"x":1}}"#).outcome == "invalid_value")
            #expect(try await visitor.ask("device/set", "{}").outcome == "invalid_value")
        }
    }
}
