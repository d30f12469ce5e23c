import Foundation
import JSON
import MQTT
import Positioning
import Receivers
import Sensors
import TestSupport
import Testing

/// `trilateral receiver`, and the daemon as a receiver, with recorded packets in the place of an adapter.
@Suite(.enabled(if: Mosquitto.isExpected), .mosquitto, .timeLimit(.minutes(2)))
struct ReceiverTests {
    private static let key = "ec0234a357c8ad05341010a60a397d9b"
    private static let iBeacon = "iBeacon:\(Place.beaconUUID)-1-7"
    private static let stranger: UInt64 = 0x5102_0304_0506

    /// A capture of a phone with the key, a beacon, a stranger, and one who states a name; each heard thirty times in 3 s.
    private static func capture() throws -> [UInt8] {
        let key = try IdentityKey(text: key)
        let prand: UInt32 = 0x41_2345
        let phone = UInt64(prand) << 24 | UInt64(key.hash(of: prand, AESBlock.cipher))
        let uuid = Place.beaconUUID.filter { $0 != "-" }
        let digits = stride(from: 0, to: 32, by: 2).compactMap { start in
            UInt8(uuid.dropFirst(start).prefix(2), radix: 16)
        }
        let beacon: [UInt8] =
            [2, 1, 6, 26, 0xFF, 0x4C, 0, 2, 21] + digits + [0, 1, 0, 7, UInt8(bitPattern: -59)]
        let name: [UInt8] = [2, 1, 6, 5, 9] + Array("Tag1".utf8)
        var writer = BtsnoopWriter(secondsSince1970: 1_700_000_000)
        for number in 0..<30 {
            let packets: [(bits: UInt64, payload: [UInt8], rssi: Int)] = [
                (phone, [2, 1, 6], -61), (0x4A00_0000_0001, beacon, -50), (stranger, [2, 1, 6], -70),
                (0x4B00_0000_0002, name, -66),
            ]
            for packet in packets {
                writer.append(
                    Advertisement(
                        time: Double(number) / 10,
                        address: DeviceAddress(bits: packet.bits, isRandom: true),
                        payload: packet.payload,
                        rssi: packet.rssi
                    )
                )
            }
        }
        return writer.bytes
    }

    /// Runs the body with the files of a receiver, its keys of the configuration, and one who hears its topics.
    private func withFiles(
        _ body: (TemporaryFolder, _ keys: [String: String], Visitor) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            let topic = "espresense\(UInt32.random(in: .min ... .max))"
            try Data(Self.capture()).write(to: URL(filePath: folder.path("heard.btsnoop")))
            try folder.write("phone \(Self.key)\n", to: "keys")
            chmod(folder.path("keys"), 0o600)
            let port = try SharedMosquitto.broker.port
            let keys = [
                "receiver.topic": topic, "receiver.keys_file": folder.path("keys"),
                "sensors.replay.file": folder.path("heard.btsnoop"), "sensors.replay.loop": "true",
                "mqtt.host": "127.0.0.1", "mqtt.port": "\(port)", "log.level": "trace",
            ]
            try await withVisitor(to: topic, port: port) { visitor in
                try await body(folder, keys, visitor)
            }
        }
    }

    @Test(arguments: [SIGTERM, SIGKILL])
    func `a receiver publishes whom it knows, and leaves offline however it ends`(_ end: Int32) async throws {
        try await withFiles { folder, keys, visitor in
            let child = try Program.start(
                ["receiver", "--name", "kitchen"],
                in: folder,
                keys: keys,
                output: folder.path("log")
            )
            do {
                try await visitor.awaits("rooms/kitchen/status", "online")
                let telemetry = try await visitor.awaits("rooms/kitchen/telemetry") { $0["uptime"] != nil }
                #expect(telemetry["firm"] == "trilateral" && telemetry["version"] != nil)
                let phone = try await visitor.awaits("devices/irk:phone/kitchen")
                #expect(phone["id"] == "irk:phone" && phone["rssi"] == -61)
                let beacon = try await visitor.awaits("devices/\(Self.iBeacon)/kitchen")
                #expect(beacon["rssi"] == -50 && beacon["rssi@1m"] == -59)
                let named = try await visitor.awaits("devices/name:tag1/kitchen")
                #expect(named["name"] == "Tag1")
            } catch {
                await child.destroy()
                throw error
            }
            let words = try Data(contentsOf: URL(filePath: "/proc/\(child.processID)/cmdline"))
            child.signal(end)
            try await visitor.awaits("rooms/kitchen/status", "offline")
            let status = await child.end(within: .seconds(10))
            #expect(end == SIGKILL || status == 0)
            await child.destroy()

            let heard = await visitor.heard
            let digits = HeardID.digits(Self.stranger)
            #expect(!heard.contains { $0.topic.contains(digits) || $0.text.contains(digits) })
            let everything =
                heard.map { "\($0.topic) \($0.text)" }.joined(separator: "\n") + folder.read("log")
                + String(decoding: words, as: UTF8.self)
            #expect(!everything.lowercased().contains(Self.key))
        }
    }

    @Test func `strangers are published to who asks for them`() async throws {
        try await withFiles { folder, keys, visitor in
            let child = try Program.start(
                ["receiver", "--name", "hall"],
                in: folder,
                keys: keys.merging(["receiver.strangers": "true"]) { $1 },
                output: folder.path("log")
            )
            do {
                try await visitor.awaits("devices/\(HeardID.digits(Self.stranger))/hall") {
                    $0["rssi"] == -70
                }
            } catch {
                await child.destroy()
                throw error
            }
            await child.destroy()
        }
    }

    static let refusals: [([String], [String: String], Int32, String)] = [
        (["--name", "a/b"], [:], 64, "--name must be a receiver's name"),
        ([], ["receiver.name": "a+b"], 78, "receiver.name: must be a receiver's name"),
        ([], ["receiver.period_seconds": "0"], 78, "receiver.period_seconds: must be 0.1 to 3600"),
        ([], ["receiver.keys_file": "/nonexistent"], 78, "receiver.keys_file"),
        ([], [:], 78, "sensors.beacons.adapter must be auto"),
    ]

    @Test(arguments: refusals)
    func `what cannot work is refused with what is legal`(
        _ words: [String],
        _ keys: [String: String],
        _ status: Int32,
        _ text: String
    ) async throws {
        try await withTemporaryFolder { folder in
            let end = try await Program.run(["receiver"] + words, in: folder, keys: keys)
            #expect(end.status == status && end.output.contains(text), "\(end.output)")
        }
    }

    @Test func `a daemon that is a receiver locates the device of another one`() async throws {
        try await withFiles { folder, keys, visitor in
            // The receiver's own place is empty.
            try await withEmptyHome { station, _ in
                let own = keys.merging(["receiver.enabled": "true", "receiver.name": "kitchen"]) { $1 }
                    .filter { !$0.key.hasPrefix("mqtt.") }
                try await station.start(own)
                try await visitor.awaits("rooms/kitchen/status", "online")
                try await withEmptyHome { home, other in
                    try await home.take(
                        Place.model.replacing(#""minor": 2}"#, with: #""receiver": "kitchen"}"#)
                    )
                    let settings = [
                        "sensors.espresense.device": Self.iBeacon,
                        "sensors.espresense.topic": keys["receiver.topic"] ?? "",
                    ]
                    try await other.whileStarting { try await home.start(settings) }
                    try await other.awaits("nearby") { $0["slug"] == "kitchen-light" }
                    try await other.awaits("zone") { $0["slug"] == "kitchen" }
                }
                #expect(await station.stop() == 0)
                try await visitor.awaits("rooms/kitchen/status", "offline")
            }
        }
    }
}
