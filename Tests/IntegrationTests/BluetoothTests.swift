import Flare
import Foundation
import JSON
import MQTT
import TestSupport
import Testing

/// What the daemon says of its adapter and of beacons' batteries; contrib/vm-bluetooth tests the scanning itself.
@Suite(.enabled(if: Mosquitto.isExpected), .mosquitto, .timeLimit(.minutes(1)))
struct BluetoothTests {
    /// No machine has so many.
    private static let missing = "hci77"

    @Test func `an adapter that is not there is told until nobody wants it`() async throws {
        try await withHome(["sensors.beacons.adapter": Self.missing]) { _, visitor in
            let alert = try await visitor.awaits("alert/bluetooth")
            #expect(alert["severity"] == "error")
            #expect(alert["message"]?.string?.contains("hci77") == true)
            try await visitor.awaits("health") {
                $0["links"]?["bluetooth"] == false && $0["status"] == "degraded"
            }
            #expect(try await visitor.ask("sensors/beacons/set", "OFF").outcome == "ok")
            try await visitor.awaits("alert/bluetooth", "")
            let health = try await visitor.awaits("health") { $0["links"]?["bluetooth"] == nil }
            #expect(health["status"] == "ok" && health["counters"]?["beacons_heard"] == 0)
            #expect(try await visitor.ask("sensors/beacons/set", "ON").outcome == "ok")
            try await visitor.awaits("alert/bluetooth") { $0["severity"] == "error" }
        }
    }

    @Test func `who wants no adapter hears nothing of it`() async throws {
        try await withHome(["sensors.beacons.adapter": "none"]) { _, visitor in
            let health = try await visitor.awaits("health") { $0["status"] == "ok" }
            #expect(health["links"]?["bluetooth"] == nil && health["counters"]?["adverts_heard"] == nil)
            #expect(await visitor.text("alert/bluetooth") ?? "" == "")
        }
    }

    @Test func `a low battery is told with its thing, and the beacon's own topic has it`() async throws {
        try await withEmptyHome { home, visitor in
            let reading =
                #""type":"telemetry","format":"eddystone","battery":2.31,"major":1,"minor":1,"uuid":"\#(Place.beaconUUID)"}"#
            let lines = (1...40).map { #"{"t":\#(Double($0) / 4),"# + reading }
            try home.folder.write(
                ([#"{"trilateral_trace":1}"#] + lines).joined(separator: "\n"),
                to: "batteries.trace"
            )
            try await home.take()
            try await visitor.whileStarting {
                try await home.start(["sensors.replay.file": home.folder.path("batteries.trace")])
            }
            let alert = try await visitor.awaits("alert/beacon-battery")
            #expect(alert["severity"] == "warning")
            #expect(alert["message"]?.string?.contains("Table lamp (2.31 V)") == true)
            let beacon = try await visitor.awaits("things/table-lamp/beacon")
            #expect(beacon["battery_v"] == 2.31 && beacon["last_seen"]?.string?.hasSuffix("Z") == true)
            #expect(await visitor.messages(on: "things/table-lamp/beacon").first?.qos == .atMostOnce)
        }
    }

    @Test func `record says what keeps it from hearing`() async throws {
        try await withTemporaryFolder { folder in
            let words = ["record", "--bluetooth", "--seconds", "1", folder.path("trace")]
            let none = try await Program.run(words, in: folder, keys: ["sensors.beacons.adapter": "none"])
            #expect(none.status == 78 && none.output.contains("sensors.beacons.adapter"), "\(none.output)")
            let missing = try await Program.run(
                words,
                in: folder,
                keys: ["sensors.beacons.adapter": Self.missing]
            )
            #expect(missing.status == 0 && missing.output.contains("0 readings"), "\(missing.output)")
            #expect(
                missing.output.contains("Bluetooth: \(Self.missing) is not available"),
                "\(missing.output)"
            )
            #expect(folder.read("trace").contains("trilateral_trace"))
        }
    }
}
