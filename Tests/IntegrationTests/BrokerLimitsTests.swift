import Flare
import JSON
import TestSupport
import Testing

@Suite(.enabled(if: Mosquitto.isExpected), .timeLimit(.minutes(1)))
struct BrokerLimitsTests {
    @Test(arguments: ["5", "3.1.1"])
    func
        `things are driven over a broker without QoS 1 and retained messages, and an alert says what is missing`(
            version: String
        ) async throws
    {
        var options = MosquittoOptions()
        options.lines = ["max_qos 0", "retain_available false"]
        try await withMosquitto(options) { broker in
            try await withHome(["mqtt.version": version], port: broker.port) { home, visitor in
                visitor.say("things/table-lamp/set", #"{"color":"blue","tx":1}"#)
                try await visitor.awaits("response/set") { $0["status"]?.string == "ok" }
                try await visitor.awaits("things/table-lamp/data") { $0["color"]?.string == "blue" }
                try await visitor.awaits("alert/broker-limits") {
                    $0["message"]?.string?.contains("discovery") == true
                }
                await home.kill()
                try await visitor.awaits("status", "offline")
            }
        }
    }

    /// It is not told the limit, and finds it by the links that end.
    @Test func `a broker of 3_1_1 with small packets gets the rest, and the alert names the devices`()
        async throws
    {
        var options = MosquittoOptions()
        options.lines = ["max_packet_size 1500"]
        try await withMosquitto(options) { broker in
            try await withEmptyHome(port: broker.port) { home, visitor in
                try await home.take()
                try await home.start(["discovery.enabled": "true", "mqtt.version": "3.1.1"])
                try await visitor.awaits("alert/broker-publications", within: .seconds(45)) {
                    $0["message"]?.string?.contains("Home Assistant does not get") == true
                }
            }
        }
    }

    @Test(arguments: ["message_size_limit", "max_packet_size"])
    func `a broker with small messages is an alert that names the devices which Home Assistant does not get`(
        limit: String
    ) async throws {
        var options = MosquittoOptions()
        options.lines = ["\(limit) 1500"]
        try await withMosquitto(options) { broker in
            try await withHome(["discovery.enabled": "true"], port: broker.port) { home, visitor in
                try await visitor.awaits("alert/broker-publications") {
                    let message = $0["message"]?.string ?? ""
                    return message.contains("Table lamp") && message.contains(limit)
                }
                try await visitor.awaits("health") { $0["status"]?.string == "degraded" }
                visitor.say("things/table-lamp/set", #"{"color":"blue","tx":1}"#)
                try await visitor.awaits("response/set") { $0["status"]?.string == "ok" }
            }
        }
    }
}
