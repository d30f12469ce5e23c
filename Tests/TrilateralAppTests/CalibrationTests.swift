import Settings
import Foundation
import GRDB
import Positioning
import TestSupport
import Testing
import TrilateralApp

struct CalibrationTests {
    private let calibration = MagnetometerCalibration(
        offset: Vector3(12.5, -3, 1e-7),
        stretch: Matrix3(Vector3(1.1, 0.02, 0), Vector3(0.02, 0.9, 0), Vector3(0, 0, 1)),
        field: 47.25,
        quality: .full,
        spread: 0.021,
        coverage: 0.9,
        samples: 311
    )

    @Test func `a calibration is kept for its device, to the last bit`() async throws {
        try await withTemporaryFolder { folder in
            let store = try StateStore(folder: folder.url)
            #expect(try store.calibration(of: "ak8963") == nil)
            try store.keep(calibration, of: "ak8963")
            var newer = calibration
            newer.samples = 5
            try store.keep(newer, of: "magn")
            #expect(try store.calibration(of: "ak8963") == calibration)
            #expect(try StateStore(folder: folder.url).calibration(of: "magn") == newer)
        }
    }

    @Test(arguments: ["", "{", "[]", #"{"quality":"full"}"#]) func `what cannot be read is none`(
        _ text: String
    )
        async throws
    {
        try await withTemporaryFolder { folder in
            let store = try StateStore(folder: folder.url)
            let queue = try DatabaseQueue(path: folder.path("trilateral.db"))
            try await queue.write { database in
                try database.execute(
                    sql: "INSERT INTO setting VALUES ('compass.calibration.chip', ?)",
                    arguments: [text]
                )
            }
            #expect(try store.calibration(of: "chip") == nil)
        }
    }

    /// Directions in the upper half.
    private func samples(_ count: Int) -> CalibrationSamples {
        var generator = SeededGenerator(seed: 3)
        var samples = CalibrationSamples()
        for _ in 0..<count {
            let any = Vector3(
                generator.normal(deviation: 1),
                generator.normal(deviation: 1),
                generator.normal(deviation: 1)
            )
            if let direction = any.direction { _ = samples.hear(45 * direction) }
        }
        return samples
    }

    @Test func `coverage is a line each tenth when piped`() {
        var view = CoverageView(isTerminal: false)
        #expect(view.update(.init(CalibrationSamples(), isFlat: false)) == "coverage 0 %, 0 samples\n")
        #expect(view.update(.init(CalibrationSamples(), isFlat: false)) == nil)
        let lines = (0..<60).compactMap { view.update(.init(samples($0 * 10), isFlat: false)) }
        #expect((5...10).contains(lines.count))
        #expect(lines.allSatisfy { $0.hasPrefix("coverage ") && $0.hasSuffix(" samples\n") })
    }

    @Test func `coverage is a map that is redrawn on a terminal`() throws {
        var view = CoverageView(isTerminal: true)
        let emptyText = view.update(.init(CalibrationSamples(), isFlat: false))
        let empty = try #require(emptyText)
        #expect(empty.split(separator: "\n").count == 7 && !empty.contains("#"))
        let seen = samples(300)
        let fullText = view.update(.init(seen, isFlat: false))
        let full = try #require(fullText)
        #expect(full.hasPrefix("\u{1B}[7A"))
        #expect(full.count { $0 == "#" } == Int((seen.coverage * 72).rounded()))
        var flat = CoverageView(isTerminal: true)
        let lineText = flat.update(.init(seen, isFlat: true))
        let line = try #require(lineText)
        #expect(line == "coverage 0 %, \(seen.count) samples\u{1B}[K\n", "a ball is no circle")
    }
}

struct HeadingKeyTests {
    private func load(_ keys: [String: String]) throws(ConfigurationErrors) -> TrilateralConfiguration.Sensors
    {
        let variables = keys.map { key, value in
            ("TRILATERAL_SENSORS_\(key.uppercased().map { $0 == "." ? "_" : String($0) }.joined())", value)
        }
        return try ConfigurationLoader.load(
            file: nil,
            environment: Dictionary(uniqueKeysWithValues: variables)
        ).values.sensors
    }

    @Test func `a declination is none, automatic, or degrees`() throws {
        #expect(try load([:]).declination == nil)
        #expect(try load(["compass.declination": "null"]).declination == nil)
        #expect(try load(["compass.declination": "auto"]).declination == .automatic)
        #expect(try load(["compass.declination": "-3.5"]).declination == .fixed(-3.5))
    }

    @Test func `a gpsd is named, or not asked`() throws {
        #expect(try load([:]).gpsd == HostAndPort(host: "localhost", port: 2947))
        #expect(try load(["gps.gpsd": "[::1]:2948"]).gpsd == HostAndPort(host: "::1", port: 2948))
        #expect(try load(["gps.gpsd": "null"]).gpsd == nil)
        let mount = try load(["compass.mount_matrix": "0, 1, 0; -1, 0, 0; 0, 0, 1"]).compassMount
        #expect(mount == Matrix3(Vector3(0, 1, 0), Vector3(-1, 0, 0), Vector3(0, 0, 1)))
    }

    @Test(arguments: [
        ("compass.declination", "east", "must be auto, or degrees from -180 to 180"),
        ("compass.declination", "200", "-180 to 180"),
        ("compass.mount_matrix", "1, 0; 0, 1", "must be nine numbers"),
        ("compass.source", "phone", "auto, iio, gpsd or mqtt"), ("compass.rate_hz", "0", "1 to 200"),
        ("gps.gpsd", "localhost", "HOST:PORT"), ("gps.max_error_m", "0", "1 to 100000"),
    ]) func `what is wrong is refused with what is legal`(_ key: String, _ value: String, _ words: String)
        throws
    {
        do throws(ConfigurationErrors) {
            _ = try load([key: value])
            #expect(Bool(false), "\(key): \(value) was taken")
        } catch {
            #expect(error.problems.map(\.path) == ["sensors.\(key)"])
            #expect(error.problems.first?.description.contains(words) == true, "\(error.problems)")
        }
    }
}
