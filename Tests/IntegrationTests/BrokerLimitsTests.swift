import Flare
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
}
