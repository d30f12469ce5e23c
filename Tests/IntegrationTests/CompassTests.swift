import Foundation
import JSON
import TestSupport
import Testing

/// This machine's own compass, as the kernel would show it.
@Suite(.enabled(if: Mosquitto.isExpected), .mosquitto, .timeLimit(.minutes(1)))
struct CompassTests {
    /// The magnetometer of a device that lies flat, with iron of its own.
    private struct Magnetometer: Sendable {
        let folder: TemporaryFolder
        var iron = (x: 0.3, y: -0.2, z: 0.1)

        func write(_ name: String, _ text: String) throws {
            let path = folder.path("iio/iio:device0/\(name)")
            let bytes = Data((text + "\n").padding(toLength: 30, withPad: " ", startingAt: 0).utf8)
            guard let file = FileHandle(forWritingAtPath: path) else {
                try FileManager.default.createDirectory(
                    atPath: folder.path("iio/iio:device0"),
                    withIntermediateDirectories: true
                )
                return try bytes.write(to: URL(filePath: path))
            }
            try file.write(contentsOf: bytes)
            try file.close()
        }

        /// Gauss.
        func measure(_ x: Double, _ y: Double, _ z: Double) throws {
            try write("in_magn_x_raw", "\(x + iron.x)")
            try write("in_magn_y_raw", "\(y + iron.y)")
            try write("in_magn_z_raw", "\(z + iron.z)")
        }

        func point(to heading: Double) throws {
            let angle = heading * .pi / 180
            try measure(-0.2 * sin(angle), 0.2 * cos(angle), -0.4)
        }

        /// Turns it about all axes until the body has returned.
        func tumbling<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
            let turning = Task {
                var step = 0
                while !Task.isCancelled {
                    // Up and down a ball in a spiral, in steps so small that what is read between two of them fits as well.
                    step += 1
                    let height = 1 - abs(Double(step % 3000) / 750 - 2)
                    let ring = (1 - height * height).squareRoot()
                    let angle = Double(step) * 0.06
                    try measure(0.45 * ring * cos(angle), 0.45 * ring * sin(angle), 0.45 * height)
                    try await Task.sleep(for: .milliseconds(1))
                }
            }
            defer { turning.cancel() }
            return try await body()
        }
    }

    private func calibrate(_ words: [String], _ home: Home) async throws -> Program.End {
        let port = try SharedMosquitto.broker.port
        return try await Program.run(
            [
                "calibrate", "compass", "--state", home.state, "--mqtt", "127.0.0.1:\(port)", "--node",
                home.node,
            ] + words,
            in: home.folder,
            keys: ["sensors.compass.rate_hz": "200"],
            within: .seconds(50)
        )
    }

    @Test func `a compass is calibrated, and the daemon that runs uses it from then on`() async throws {
        try await withEmptyHome { home, visitor in
            let magnetometer = Magnetometer(folder: home.folder)
            try magnetometer.write("name", "chip")
            try magnetometer.point(to: 90)
            try await home.take()
            try await visitor.whileStarting { try await home.start() }
            let alert = try await visitor.awaits("alert/compass")
            #expect(alert["message"]?.string?.contains("chip is not calibrated") == true)
            try await visitor.awaits("health") { $0["links"]?["compass"] == true }
            try await visitor.awaits("device/angle") { $0 != 90 }

            let end = try await magnetometer.tumbling { try await calibrate(["--json"], home) }
            #expect(end.status == 0, "\(end.output)")
            #expect(end.output.contains("it uses the result within seconds"), "\(end.output)")
            #expect(end.output.contains("chip: turn it slowly about all its axes"))
            #expect(end.output.contains("coverage 10 %") || end.output.contains("coverage 1"))
            let result = try #require(end.output.split(separator: "\n").first { $0.hasPrefix("{") })
            let json = try JSONValue(parsing: String(result))
            #expect(json["quality"] == "full")
            let offset = (json["offset_ut"]?.array ?? []).compactMap(\.number)
            #expect(offset.count == 3)
            for (found, iron) in zip(offset, [30.0, -20, 10]) { #expect(abs(found - iron) < 1) }

            try magnetometer.point(to: 90)
            try await visitor.awaits("device/angle", "90", within: .seconds(20))
            try await visitor.awaits("alert/compass", "")
            await home.stop()
            try await visitor.whileStarting { try await home.start() }
            try magnetometer.point(to: 180)
            try await visitor.awaits("device/angle", "180")
        }
    }

    @Test
    func `a bad fit is refused with the reason, and a turn on the spot is enough where it is asked for`()
        async throws
    {
        try await withEmptyHome { home, _ in
            let none = try await calibrate([], home)
            #expect(none.status == 69)
            #expect(none.output.contains("there is no magnetometer below \(home.folder.path("iio"))"))

            let magnetometer = Magnetometer(folder: home.folder)
            try magnetometer.write("name", "chip")
            try magnetometer.point(to: 0)
            let still = try await calibrate(["--seconds", "1"], home)
            #expect(still.status == 65)
            #expect(still.output.contains("chip is not calibrated: only "), "\(still.output)")

            let turning = Task {
                var heading = 0.0
                while !Task.isCancelled {
                    try magnetometer.point(to: heading)
                    heading += 1
                    try await Task.sleep(for: .milliseconds(2))
                }
            }
            defer { turning.cancel() }
            let flat = try await calibrate(["--flat"], home)
            #expect(flat.status == 0, "\(flat.output)")
            #expect(flat.output.contains("chip is calibrated (partial, for a device that is held as it was)"))
        }
    }

    @Test func `record writes down headings and places, and replay turns them the same way`() async throws {
        let listener = try LoopbackSocket.listening()
        try await withEmptyHome { home, visitor in
            let magnetometer = Magnetometer(folder: home.folder, iron: (0, 0, 0))
            try magnetometer.write("name", "chip")
            try magnetometer.point(to: 270)
            let trace = home.folder.path("trace")
            let port = try SharedMosquitto.broker.port
            let recording = try Program.start(
                ["record", trace, "--mqtt", "127.0.0.1:\(port)", "--node", home.node, "--state", home.state],
                in: home.folder,
                keys: ["sensors.gps.gpsd": "127.0.0.1:\(listener.port)"],
                output: home.folder.path("recorded")
            )
            let link = try await withCheckedThrowingContinuation { continuation in
                DispatchQueue.global().async { continuation.resume(with: Result { try listener.accept() }) }
            }
            let fix = #"{"class":"TPV","mode":3,"lat":47,"lon":11,"eph":5}"# + "\n"
            try link.send(Array((#"{"class":"VERSION","release":"3.25","proto_major":3}"# + "\n" + fix).utf8))
            #expect(
                await eventually {
                    let parts = home.folder.read("trace").components(separatedBy: #""type":"location""#)
                    return parts.count > 1 && parts.last?.contains(#""north":"magnetic""#) == true
                }
            )
            recording.signal(SIGTERM)
            #expect(await recording.end() == 0)
            #expect(home.folder.read("recorded").contains("chip is not calibrated"))
            await recording.destroy()

            try await home.take()
            // The hut is at 47, 11, where the declination is 4°.
            let keys = [
                "sensors.replay.file": trace, "sensors.replay.loop": "true",
                "sensors.compass.declination": "auto",
            ]
            try await visitor.whileStarting { try await home.start(keys) }
            try await visitor.awaits("environment") { $0["slug"] == "hut" }
            try await visitor.awaits("device/angle", "274")
        }
    }
}
