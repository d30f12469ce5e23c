import Foundation
import Positioning
import Sensors
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct IIOCompassTests {
    private static let calibration = MagnetometerCalibration(
        offset: Vector3(30, -10, 0),
        stretch: .identity,
        field: 45,
        quality: .full,
        spread: 0.01,
        coverage: 0.9,
        samples: 300
    )

    private func withCompass<Result: Sendable>(
        _ devices: [[String: String]] = [],
        _ change: (inout CompassSettings) -> Void = { _ in },
        calibration: @escaping @Sendable (String) -> MagnetometerCalibration? = { _ in nil },
        _ body: (SensorTree, Outbound<CompassCondition>) async throws -> Result
    ) async throws -> Result {
        try await withTemporaryFolder { folder in
            let tree = SensorTree(folder: folder)
            for (number, files) in devices.enumerated() { try tree.put(number, files) }
            var settings = CompassSettings()
            settings.folder = folder.path
            settings.rate = 200
            settings.searchSeconds = 0.02
            settings.inspectionSeconds = 0.02
            settings.patienceSeconds = 0.2
            change(&settings)
            return try await listening(to: { report in
                IIOCompass(
                    settings,
                    clock: steadySeconds,
                    calibration: calibration,
                    logger: .silent,
                    report: report
                ).source
            }) { try await body(tree, $0) }
        }
    }

    private func raw(_ heading: Double, scale: Double, offset: Double = 0) -> [String: String] {
        let angle = heading * .pi / 180
        let field = Vector3(-0.2 * sin(angle), 0.2 * cos(angle), -0.4)
        return SensorTree.axes("in_magn", field / scale - Vector3(repeating: offset))
    }

    @Test func `a chip that measures all is read, and its heading is magnetic`() async throws {
        var files = SensorTree.flat(250)
        files.merge(SensorTree.axes("in_anglvel", .zero)) { $1 }
        try await withCompass([files]) { _, told in
            #expect(await eventually { await told.points(to: 250) })
            #expect(await told.headings.allSatisfy { $0.north == .magnetic && $0.degrees < 360 })
            #expect(await eventually { await !told.conditions.isEmpty })
            let condition = try #require(await told.conditions.last)
            #expect(condition.state == .working && condition.device == "chip")
            #expect(condition.helpers == ["accelerometer", "gyroscope"])
            #expect(condition.calibration == "none")
            #expect(condition.problem?.contains("trilateral calibrate compass") == true)
        }
    }

    @Test func `the heading follows the turning device`() async throws {
        try await withCompass([SensorTree.flat(10)]) { tree, told in
            #expect(await eventually { await told.points(to: 10) })
            for heading in [350.0, 300] {
                try tree.put(0, SensorTree.flat(heading))
                #expect(await eventually { await told.points(to: heading) })
            }
        }
    }

    @Test func `the kernel's scale, offset and mount matrix are applied`() async throws {
        var files = raw(75, scale: 0.000598, offset: 12)
        files.merge(["name": "ak8963", "in_magn_scale": "0.000598", "in_magn_offset": "12"]) { $1 }
        // Mounted with x to the front and y to the left.
        files["in_magn_mount_matrix"] = "0, -1, 0; 1, 0, 0; 0, 0, 1"
        try await withCompass([files]) { _, told in
            #expect(await eventually { await told.points(to: 165) })
        }
        files["in_magn_mount_matrix"] = "0, 0, 0; 0, 0, 0; 0, 0, 0"
        try await withCompass([files]) { _, told in
            #expect(await eventually { await told.points(to: 75) }, "a singular matrix is ignored")
        }
        for kind in ["in_mount_matrix", "mount_matrix"] {
            files["in_magn_mount_matrix"] = nil
            files[kind] = "-1, 0, 0; 0, -1, 0; 0, 0, 1"
            try await withCompass([files]) { _, told in
                #expect(await eventually { await told.points(to: 255) })
            }
        }
    }

    @Test func `axes may have different scales and values may be scaled already`() async throws {
        var files = raw(75, scale: 1)
        files["in_magn_x_raw"] = files["in_magn_x_raw"].flatMap(Double.init).map { "\($0 / 2)" }
        files.merge(["in_magn_x_scale": "2", "in_magn_scale": "1"]) { $1 }
        try await withCompass([files]) { _, told in
            #expect(await eventually { await told.points(to: 75) })
            #expect(await eventually { await told.conditions.last?.device == "iio:device0" })
        }
        let scaled = SensorTree.axes("in_magn", Vector3(0, 0.2, -0.4), "input")
        try await withCompass([scaled]) { _, told in #expect(await eventually { await told.points(to: 0) }) }
    }

    @Test func `the configured matrix defines the front`() async throws {
        // A tablet on the wall: its top is up, and the heading is that of its back.
        let tree: (Double) -> [String: String] = { heading in
            let angle = heading * .pi / 180
            // North and up for a device whose y points up and whose z points away from the heading.
            let field = Vector3(-0.2 * sin(angle), -0.4, -0.2 * cos(angle))
            return SensorTree.axes("in_magn", field)
                .merging(SensorTree.axes("in_accel", Vector3(0, 9.81, 0))) { $1 }
        }
        try await withCompass([tree(130)], { $0.mount = Matrix3("1, 0, 0; 0, 0, -1; 0, 1, 0") }) { _, told in
            #expect(await eventually { await told.points(to: 130) })
        }
        try await withCompass([tree(130)]) { _, told in
            #expect(
                await eventually { await told.conditions.last?.problem?.contains("mount_matrix") == true }
            )
            #expect(await told.headings.isEmpty)
            #expect(await told.conditions.last?.state == .waiting)
        }
    }

    @Test func `a hub's sensors are combined without those of a laptop's base`() async throws {
        let tilt = 30 * Double.pi / 180
        let base = SensorTree.axes("in_accel", Vector3(9.81, 0, 0)).merging([
            "name": "accel_3d", "label": "accel-base",
        ]) { $1 }
        let lid = SensorTree.axes("in_accel", 9.81 * Vector3(0, sin(tilt), cos(tilt))).merging([
            "name": "accel_3d", "label": "accel-display",
        ]) { $1 }
        // The device points north with its front raised; east is to its right.
        let field = Vector3(0, 0.2 * cos(tilt) - 0.4 * sin(tilt), -0.2 * sin(tilt) - 0.4 * cos(tilt))
        let hub = SensorTree.axes("in_magn", field).merging([
            "name": "magn_3d", "in_rot_from_north_magnetic_tilt_comp_raw": "123",
        ]) { $1 }
        try await withCompass([base, lid, ["name": "als"], hub]) { _, told in
            #expect(await eventually { await told.points(to: 0) })
            #expect(await eventually { await !told.conditions.isEmpty })
            let condition = try #require(await told.conditions.last)
            #expect(condition.helpers == ["accelerometer"])
            #expect(condition.problem == nil && condition.calibration == nil, "the hub calibrates")
        }
    }

    @Test func `a hub's own heading is used without a magnetometer`() async throws {
        let hub = [
            "name": "magn_3d", "in_rot_from_north_true_tilt_comp_raw": "1234", "in_rot_scale": "0.001",
        ]
        try await withCompass([hub], { $0.rotationScale = 0.1 }) { _, told in
            #expect(await eventually { await told.points(to: 123.4, within: 0.01) })
            #expect(await told.headings.last?.north == .geographic)
        }
        try await withCompass([hub]) { _, told in
            #expect(
                await eventually { await told.conditions.last?.problem?.contains("rotation_scale") == true }
            )
            #expect(await told.headings.isEmpty)
        }
    }

    @Test func `a compass is used when it appears, disappears and returns`() async throws {
        try await withCompass([["name": "als", "in_illuminance_raw": "5"]]) { tree, told in
            #expect(await eventually { await told.conditions == [CompassCondition()] })
            #expect(await told.conditions.last?.problem == nil)
            for heading in [40.0, 140] {
                await told.forget()
                try tree.put(3, SensorTree.flat(heading))
                #expect(await eventually { await told.points(to: heading) })
                try tree.remove(3)
                let gone = "the compass chip is gone; it is used again when it returns"
                #expect(await eventually { await told.conditions.last?.problem == gone })
                #expect(await told.conditions.last?.state == .waiting)
            }
        }
        try await withCompass([], { $0.folder += "/nowhere" }) { _, told in
            #expect(await eventually { await told.conditions == [CompassCondition()] })
        }
    }

    @Test func `a compass that is plugged in again under the same name is reopened`() async throws {
        try await withCompass([SensorTree.flat(40)]) { tree, told in
            #expect(await eventually { await told.points(to: 40) })
            try tree.remove(0)
            try tree.put(0, SensorTree.flat(140))
            #expect(await eventually { await told.points(to: 140) })
        }
    }

    @Test func `a compass that comes and goes while it is opened is used in the end`() async throws {
        let often: @Sendable (inout CompassSettings) -> Void = { settings in
            (settings.searchSeconds, settings.inspectionSeconds) = (0.000_1, 0.000_1)
        }
        var files = SensorTree.flat(140)
        files["in_magn_scale"] = "1"
        files["in_magn_mount_matrix"] = "1, 0, 0; 0, 1, 0; 0, 0, 1"
        try await withCompass([files], often) { tree, told in
            let (here, away) = (tree.folder.path("iio:device0"), tree.folder.path("away"))
            for _ in 0..<20_000 {
                try #require(rename(here, away) == 0)
                try #require(rename(away, here) == 0)
            }
            #expect(await eventually { await told.points(to: 140) })
        }
    }

    @Test func `an accelerometer that appears later is used`() async throws {
        // It points north and leans to one side; without the tilt that looks like north-east.
        let up = Vector3(sin(Double.pi / 6), 0, cos(Double.pi / 6))
        let field = Vector3(0, 0.2, 0) - 0.4 * up
        try await withCompass([SensorTree.axes("in_magn", field)]) { tree, told in
            #expect(await eventually { await told.points(to: 45) })
            try tree.put(1, SensorTree.axes("in_accel", 9.81 * up))
            #expect(await eventually { await told.points(to: 0) })
            #expect(await eventually { await told.conditions.last?.helpers == ["accelerometer"] })
        }
    }

    @Test func `the configured compass is used and its absence reported`() async throws {
        let others = [SensorTree.flat(40), SensorTree.flat(80).merging(["name": "second"]) { $1 }]
        try await withCompass(others, { $0.device = "second" }) { _, told in
            #expect(await eventually { await told.points(to: 80) })
        }
        try await withCompass(others, { $0.device = "iio:device0" }) { _, told in
            #expect(await eventually { await told.points(to: 40) })
        }
        try await withCompass(others, { $0.device = "third" }) { _, told in
            #expect(await eventually { await !told.conditions.isEmpty })
            let problem = try #require(await told.conditions.last?.problem)
            #expect(problem.contains("\"third\"") && problem.hasSuffix("available: chip, second"))
        }
    }

    @Test func `a calibration is applied, also one made while the compass runs`() async throws {
        let made = Flag()
        try await withCompass(
            [SensorTree.flat(0)],
            calibration: { $0 == "chip" && made.isSet ? Self.calibration : nil }
        ) { _, told in
            #expect(await eventually { await told.points(to: 0) })
            made.set()
            // (0, 20) minus (30, -10) microtesla points to the front left: that is north.
            #expect(await eventually { await told.points(to: 45) })
            #expect(await eventually { await told.conditions.last?.problem == nil })
            #expect(await told.conditions.last?.calibration == "full")
        }
    }

    @Test func `a sensor that does not answer is reported and recovers`() async throws {
        try await withCompass([SensorTree.flat(40)], calibration: { _ in Self.calibration }) { tree, told in
            #expect(await eventually { await !told.headings.isEmpty })
            for nonsense in ["nan", "0x10", "1,5"] {
                try tree.set(0, "in_magn_y_raw", nonsense)
                #expect(await eventually { await told.conditions.last?.state == .waiting })
                let isNamed = await told.conditions.last?.problem?.contains("in_magn_y_raw: not a number")
                #expect(isNamed == true)
                try tree.set(0, "in_magn_y_raw", "0.1")
                #expect(await eventually { await told.conditions.last?.state == .working })
                #expect(await told.conditions.last?.problem == nil)
            }
        }
    }

    @Test func `raw measurements are available for a calibration`() async throws {
        try await withTemporaryFolder { folder in
            let tree = SensorTree(folder: folder)
            try tree.put(0, SensorTree.flat(0))
            var settings = CompassSettings()
            settings.folder = folder.path
            settings.rate = 200
            let compass = IIOCompass(
                settings,
                clock: steadySeconds,
                calibration: { _ in nil },
                logger: .silent,
                report: { _ in }
            )
            let (fields, port) = AsyncStream.makeStream(of: Vector3.self)
            let source = compass.measurements { field, device in
                #expect(device == "chip")
                port.yield(field)
                return false
            }
            try await source.run { _ in }
            port.finish()
            var all: [Vector3] = []
            for await field in fields { all.append(field) }
            #expect(all.count == 1)
            #expect((try #require(all.first) - Vector3(0, 20, -40)).length < 1e-9)
        }
    }
}

/// Set once.
final class Flag: Sendable {
    private let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)

    var isSet: Bool { access(folder.path, F_OK) == 0 }
    func set() { mkdir(folder.path, 0o700) }

    deinit { rmdir(folder.path) }
}

@Suite struct RotationScaleTests {
    /// The values of a sensor that is turned slowly.
    private func turned(
        _ scale: inout RotationScale,
        from start: Double,
        to end: Double,
        unit: Double
    ) -> Double? {
        var last: Double?
        for step in stride(from: start, through: end, by: start < end ? 4 : -4) {
            let heading = CompassAngle.normalised(step) ?? 0
            last = scale.heading((heading / unit).rounded(), offset: 0)
        }
        return last
    }

    @Test(arguments: [1, 0.1, 0.01, 1e-3, 1e-5]) func `passing north reveals the unit`(_ unit: Double)
        throws
    {
        for told in [nil, 0.001, 1e-6, 25] as [Double?] {
            for (start, end) in [(20.0, 420.0), (340, -60)] {
                var scale = RotationScale(configured: nil, stated: told)
                let last = turned(&scale, from: start, to: end, unit: unit)
                #expect(scale.degrees == unit)
                let error = try CompassAngle.difference(from: #require(last), to: end).magnitude
                #expect(error < 4.1)
            }
        }
    }

    @Test func `there is no heading before the unit is known`() {
        var scale = RotationScale(configured: nil, stated: 0.001)
        #expect(turned(&scale, from: 5, to: 350, unit: 0.01) == nil)
        var jitter = RotationScale(configured: nil, stated: nil)
        for step in 0..<1000 {
            #expect(jitter.heading(Double([0, 300, 3, 280][step % 4]), offset: 0) == nil)
        }
    }

    @Test func `the driver's scale is used when it gives a full circle`() {
        var scale = RotationScale(configured: nil, stated: 360.0 / 4096)
        _ = turned(&scale, from: 20, to: 420, unit: 360.0 / 4096)
        #expect(scale.degrees == 360.0 / 4096)
    }

    @Test func `the configured scale takes precedence`() {
        var scale = RotationScale(configured: 0.5, stated: 0.1)
        #expect(scale.heading(100, offset: 20) == 60)
        #expect(scale.heading(-30, offset: 20) == 355)
        #expect(scale.heading(10_000, offset: 0) == nil)
        #expect(scale.heading(.nan, offset: 0) == nil)
    }

    @Test func `arbitrary numbers give a valid heading or none`() {
        var generator = SeededGenerator(seed: 2)
        for round in 0..<40 {
            var scale = RotationScale(
                configured: nil,
                stated: round % 2 == 0 ? nil : Double(bitPattern: generator.next())
            )
            for _ in 0..<500 {
                let raw = round % 3 == 0 ? Double(bitPattern: generator.next()) : generator.unit() * 36000
                if let heading = scale.heading(raw, offset: 0) { #expect((0..<360).contains(heading)) }
            }
        }
    }
}
