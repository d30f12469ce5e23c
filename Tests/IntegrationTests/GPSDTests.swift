import Flare
import Foundation
import JSON
import TestSupport
import Testing

/// Where we are on the earth, by way of a gpsd.
@Suite(.enabled(if: Mosquitto.isExpected), .mosquitto, .timeLimit(.minutes(1)))
struct GPSDTests {
    private static let version = #"{"class":"VERSION","release":"3.25","proto_major":3,"proto_minor":15}"#

    private func fix(_ latitude: Double, _ longitude: Double, error: Double = 5, mode: Int = 3) -> String {
        #"{"class":"TPV","mode":\#(mode),"lat":\#(latitude),"lon":\#(longitude),"eph":\#(error)}"#
    }

    /// Runs the body with a daemon whose gpsd says what the test has it say.
    private func withStandIn(
        _ keys: [String: String] = [:],
        _ body: (Home, Visitor, _ say: @escaping @Sendable (String...) throws -> Void) async throws -> Void
    ) async throws {
        let listener = try LoopbackSocket.listening()
        let keys = ["sensors.gps.gpsd": "127.0.0.1:\(listener.port)"].merging(keys) { $1 }
        try await withHome(keys) { home, visitor in
            let link = try await withCheckedThrowingContinuation { continuation in
                DispatchQueue.global().async { continuation.resume(with: Result { try listener.accept() }) }
            }
            try await body(home, visitor) { (lines: String...) in
                try link.send(Array(lines.map { $0 + "\r\n" }.joined().utf8))
            }
        }
    }

    @Test func `a fix in a geofence chooses the environment, and one outside of all changes nothing`()
        async throws
    {
        try await withStandIn(["device.publish_location": "true"]) { _, visitor, say in
            try await visitor.awaits("environment") { $0["slug"] == "flat" }
            try say(Self.version, fix(10, 20))
            try await visitor.awaits("device/location") { $0["latitude"] == 10 }
            try await visitor.awaits("health") { $0["links"]?["gps"] == true && $0["status"] == "ok" }
            #expect(try await visitor.awaits("environment")["slug"] == "flat")

            try say(fix(47.0001, 11))
            try await visitor.awaits("environment") { $0["slug"] == "hut" }
            let event = try await visitor.awaitsEvent("environment", "selected")
            #expect(event["cause"]?["source"] == "gps")

            try say(fix(10, 20))
            try await visitor.awaits("device/location") { $0["latitude"] == 10 }
            #expect(try await visitor.awaits("environment")["slug"] == "hut", "nowhere is no reason to leave")
        }
    }

    @Test func `a fix that may be far off, and none at all, are not believed`() async throws {
        try await withStandIn(["device.publish_location": "true", "sensors.gps.max_error_m": "50"]) {
            _,
            visitor,
            say in
            try say(Self.version, fix(47, 11, error: 51), fix(47, 11, mode: 1), fix(10, 20, error: 50))
            try await visitor.awaits("device/location") { $0["latitude"] == 10 }
            #expect(await visitor.said(on: "device/location").count == 1)
            #expect(try await visitor.awaits("environment")["slug"] == "flat")
        }
    }

    @Test func `its compass turns the device, to true north when a declination is wanted`() async throws {
        try await withStandIn { _, visitor, say in
            try say(Self.version, #"{"class":"ATT","heading":100,"mheading":95}"#)
            try await visitor.awaits("device/angle", "95")
        }
        try await withStandIn(["sensors.compass.declination": "auto"]) { home, visitor, say in
            try say(Self.version, #"{"class":"ATT","heading":100,"mheading":95}"#)
            try await visitor.awaits("device/angle", "100")
            // The flat is near Vienna, where north is 5.5° east of what a compass says.
            try say(#"{"class":"ATT","mheading":41}"#)
            try await visitor.awaits("device/angle", "46")
            #expect(await home.logs("model=WMM2025"))
        }
    }

    @Test func `a compass of higher rank, or the one that is asked for, counts`() async throws {
        let attitude = #"{"class":"ATT","mheading":200}"#
        try await withStandIn { _, visitor, say in
            try say(Self.version, attitude)
            try await visitor.awaits("device/angle", "200")
            visitor.say("sensors/compass/raw", "20")
            try say(#"{"class":"ATT","mheading":210}"#)
            try await visitor.awaits("device/angle", "210")
            #expect(await !visitor.said(on: "device/angle").contains("20"))
        }
        try await withStandIn(["sensors.compass.source": "mqtt"]) { _, visitor, say in
            try say(Self.version, attitude, fix(47, 11))
            try await visitor.awaits("environment") { $0["slug"] == "hut" }
            visitor.say("sensors/compass/raw", "20")
            try await visitor.awaits("device/angle", "20")
            #expect(await visitor.said(on: "device/angle") == ["20"])
        }
    }

    @Test func `a gpsd that is named and missing is an alert, and a sensor switched off lets go of it`()
        async throws
    {
        let port = try LoopbackSocket.freePort()
        try await withHome(["sensors.gps.gpsd": "127.0.0.1:\(port)"]) { _, visitor in
            let alert = try await visitor.awaits("alert/gps")
            #expect(alert["message"]?.string?.contains("127.0.0.1:\(port)") == true)
            try await visitor.awaits("health") { $0["links"]?["gps"] == false && $0["status"] == "degraded" }
            try await visitor.ask("sensors/gps/set", "OFF")
            try await visitor.ask("sensors/compass/set", "OFF")
            try await visitor.awaits("alert/gps", "")
            try await visitor.awaits("health") { $0["links"]?["gps"] == nil }
            try await visitor.ask("sensors/gps/set", "ON")
            try await visitor.awaits("alert/gps")
        }
    }
}

/// With the real one.
@Suite(
    .enabled(if: Mosquitto.isExpected && GPSD.isExpected, "\(GPSD.advice)"),
    .mosquitto,
    .serialized,
    .timeLimit(.minutes(2))
)
struct RealGPSDTests {
    @Test func `the environment follows a receiver, and the link comes back`() async throws {
        let port = try LoopbackSocket.freePort()
        let keys = ["sensors.gps.gpsd": "127.0.0.1:\(port)", "device.publish_location": "true"]
        try await withHome(keys) { home, visitor in
            try await GPSD.with(port: port, in: home.folder, latitude: 47.0001, longitude: 11) {
                try await visitor.awaits("environment", within: .seconds(40)) { $0["slug"] == "hut" }
                let place = try await visitor.awaits("device/location")
                #expect(abs((place["latitude"]?.number ?? 0) - 47.0001) < 1e-5)
                try await visitor.awaits("health") { $0["links"]?["gps"] == true }
            }
            try await visitor.awaits("alert/gps")
            try await GPSD.with(port: port, in: home.folder, latitude: 48.2, longitude: 16.3702) {
                try await visitor.awaits("environment", within: .seconds(60)) { $0["slug"] == "flat" }
                try await visitor.awaits("alert/gps", "")
            }
        }
    }
}
