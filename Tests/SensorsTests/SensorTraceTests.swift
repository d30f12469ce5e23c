import Flare
import Foundation
import Positioning
import Sensors
import TestSupport
import Testing

@Suite struct SensorTraceTests {
    private static let identity = BeaconIdentity(uuid: BeaconUUID(high: 1, low: 2), major: 3, minor: 4)

    private static let readings: [SensorReading] = [
        .beacon(BeaconSighting(identity: identity, rssi: -60, powerAtOneMetre: -59, time: 0.1 + 0.2)),
        .beacon(
            BeaconSighting(
                identity: BeaconIdentity(
                    group: .namespace(EddystoneNamespace(high: 5, low: 6)),
                    major: 65535,
                    minor: 0
                ),
                rssi: -1,
                time: 1.0 / 3
            )
        ),
        .receiver(ReceiverSighting(receiver: "kitchen", rssi: -71, powerAtOneMetre: -65, time: 0.9)),
        .heading(degrees: 359.99999999999994, time: 1e-7),
        .location(GeoPoint(latitude: -33.1, longitude: 180), accuracyMetres: nil, time: 2),
        .location(GeoPoint(latitude: 1 / 7, longitude: -0.1), accuracyMetres: 12.5, time: 1_234_567.891),
        .telemetry(telemetry, of: .beacon(identity), time: 2.5),
        .telemetry(
            BeaconTelemetry(format: .ruuvi),
            of: .device(DeviceAddress(bits: 0xC0FF_EE00_0001, isRandom: true)),
            time: 2.75
        ),
        .moving(true, time: 2.8), .moving(false, time: 2.9),
        .tick(time: 3),
    ]

    private static var telemetry: BeaconTelemetry {
        var telemetry = BeaconTelemetry(format: .eddystone)
        telemetry.batteryVolts = 2.999
        telemetry.celsius = -127.99609375
        telemetry.humidity = 53.49
        telemetry.pascals = 100_044
        telemetry.acceleration = SIMD3(x: -32768, y: 0, z: 1036)
        telemetry.movements = 66
        telemetry.packets = 4_294_967_295
        telemetry.uptimeSeconds = 429_496_729.5
        return telemetry
    }

    private func read(_ origin: RecordingOrigin) throws(SensorError) -> [SensorReading] {
        var reader = try SensorTraceReader(origin)
        var readings: [SensorReading] = []
        while let reading = try reader.next() { readings.append(reading) }
        return readings
    }

    private func message(_ lines: String...) -> String {
        let text =
            ([#"{"trilateral_trace":1,"started":"2026-01-01T00:00:00.000Z"}"#] + lines)
            .joined(separator: "\n") + "\n"
        do {
            return "no error, \(try read(.bytes(Array(text.utf8), name: "t")).count) readings"
        } catch {
            return error.description
        }
    }

    @Test func `a trace restores readings exactly`() async throws {
        try await withTemporaryFile { path in
            var writer = try SensorTraceWriter(creating: path, started: "2026-01-01T00:00:00.000Z")
            for reading in Self.readings { try writer.append(reading) }
            try writer.flush()
            #expect(try read(.file(path)) == Self.readings)
        }
    }

    @Test func `any time and location is restored exactly`() async throws {
        try await withTemporaryFile { path in
            var generator = SeededGenerator(seed: 9)
            let readings: [SensorReading] = (0..<2000).map { _ in
                generator.next() % 2 == 0
                    ? .heading(degrees: 360 * generator.unit(), time: 1e5 * generator.unit())
                    : .location(
                        GeoPoint(latitude: 90 * generator.unit(), longitude: -180 * generator.unit()),
                        accuracyMetres: 100 * generator.unit(),
                        time: 1e9 * generator.unit()
                    )
            }
            var writer = try SensorTraceWriter(creating: path, started: "")
            for reading in readings { try writer.append(reading) }
            try writer.flush()
            #expect(try read(.file(path)) == readings)
        }
    }

    @Test func `readings older than a second are in the file`() async throws {
        try await withTemporaryFile { path in
            var writer = try SensorTraceWriter(creating: path, started: "")
            for time in [0, 0.5, 0.9, 1.1, 1.5] { try writer.append(.tick(time: time)) }
            #expect(try read(.file(path)).map(\.time) == [0, 0.5, 0.9, 1.1])
            try writer.flush()
            #expect(try read(.file(path)).count == 5)
        }
    }

    @Test func `a file that exists is not overwritten`() async throws {
        try await withTemporaryFile { path in
            try Data("mine".utf8).write(to: URL(fileURLWithPath: path))
            let error = #expect(throws: SensorError.self) {
                _ = try SensorTraceWriter(creating: path, started: "")
            }
            #expect(error?.description.contains("File exists") == true)
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data("mine".utf8))
        }
    }

    @Test func `a trace does not grow beyond its limit`() async throws {
        try await withTemporaryFile { path in
            var writer = try SensorTraceWriter(creating: path, started: "", limit: 1000)
            var error: SensorError?
            var count = 0
            while error == nil, count < 1000 {
                do throws(SensorError) {
                    try writer.append(.tick(time: Double(count)))
                    count += 1
                } catch let problem {
                    error = problem
                }
            }
            #expect(error == .full(file: path, limit: 1000))
            #expect(try read(.file(path)).count == count)
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)).count <= 1000)
        }
    }

    @Test func `a full disk and a missing folder are reported`() throws {
        let missing = #expect(throws: SensorError.self) {
            _ = try SensorTraceWriter(creating: "/nonexistent/x", started: "")
        }
        #expect(missing?.description == "/nonexistent/x: cannot be written: No such file or directory")
        let folder = #expect(throws: SensorError.self) { _ = try SensorTraceReader(.file("/")) }
        #expect(folder?.description == "/: cannot be read: Is a directory")
    }

    @Test(arguments: [
        (
            #"{"t":1,"type":"heading","degrees":361}"#,
            "line 2 at byte 60: degrees must be a number from 0.0 to 360.0"
        ),
        (#"{"t":-1,"type":"tick"}"#, "t must be a number"),
        (#"{"type":"tick"}"#, "t is missing"),
        (#"{"t":1}"#, "type is missing"),
        (
            #"{"t":1,"type":"smell"}"#,
            #"unknown type "smell"; legal are beacon, receiver, heading, location, telemetry, moving and tick"#
        ),
        (#"{"t":1,"type":"tick","tpye":1}"#, #"unknown key "tpye"; did you mean "type"?"#),
        (
            #"{"t":1,"type":"beacon","uuid":"12","major":1,"minor":1,"rssi":-6}"#,
            "uuid must be 32 hexadecimal"
        ),
        (#"{"t":1,"type":"beacon","namespace":"x","major":1,"minor":1,"rssi":-6}"#, "namespace must be 20"),
        (#"{"t":1,"type":"location","latitude":91,"longitude":0}"#, "latitude must be"),
        ("[]", "a reading must be a JSON object"),
        ("nonsense", "is not JSON"),
    ])
    func `an invalid line is reported with its position`(_ line: String, _ problem: String) {
        #expect(message(line).contains(problem), "\(message(line))")
        #expect(message(#"{"t":1,"type":"tick"}"#, "", line).contains("line 4"))
    }

    @Test func `an overlong line is refused`() {
        #expect(message(String(repeating: " ", count: 5000)).contains("at most 4096 bytes"))
    }

    @Test func `an incomplete last line ends the trace`() throws {
        let text = "{\"trilateral_trace\":1}\n{\"t\":1,\"type\":\"tick\"}\n{\"t\":2,\"type\":\"ti"
        var reader = try SensorTraceReader(.bytes(Array(text.utf8), name: "t"))
        #expect(try reader.next() == .tick(time: 1))
        #expect(try reader.next() == nil)
        #expect(reader.truncation?.description.hasPrefix("t: line 3 at byte 45: is not JSON") == true)
        let whole = Array((text + "ck\"}").utf8)
        #expect(try read(.bytes(whole, name: "t")).count == 2)
    }

    @Test(arguments: [
        ("{}\n", "is not a trace"), ("{\"trilateral_trace\":2}\n", "version 2"), ("{\"trila", "is not JSON"),
    ])
    func `any other file is refused with the reason`(_ text: String, _ problem: String) {
        let error = #expect(throws: SensorError.self) {
            _ = try SensorTraceReader(.bytes(Array(text.utf8), name: "t"))
        }
        #expect(error?.description.contains(problem) == true)
    }

    @Test func `random and mutated traces never trap`() async throws {
        let good = try await withTemporaryFile { path in
            var writer = try SensorTraceWriter(creating: path, started: "")
            for reading in Self.readings { try writer.append(reading) }
            try writer.flush()
            return [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        }
        var generator = SeededGenerator(seed: 6)
        var count = 0
        for _ in 0..<5000 {
            var bytes = good
            for _ in 0..<Int(generator.next() % 4) {
                bytes[Int(generator.next() % UInt64(bytes.count))] = UInt8(
                    truncatingIfNeeded: generator.next()
                )
            }
            bytes.removeLast(Int(generator.next() % 40))
            guard var reader = try? SensorTraceReader(.bytes(bytes, name: "t")) else { continue }
            while let reading = try? reader.next() {
                count += 1
                #expect(reading.time.isFinite)
            }
        }
        #expect(count > 1000)
    }
}
