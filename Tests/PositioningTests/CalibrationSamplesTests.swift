import Glibc
import JSON
import Positioning
import Testing

@Suite struct CalibrationSamplesTests {
    /// A device with iron of its own.
    private struct Device {
        let offset = Vector3(34, -81, 12)
        let iron = Matrix3(Vector3(1.2, 0.1, -0.05), Vector3(0.1, 0.85, 0.08), Vector3(-0.05, 0.08, 1.05))
        var generator = SeededGenerator(seed: 11)

        mutating func measured(_ field: Vector3, noise: Double = 0.4) -> Vector3 {
            var measured = iron * field + offset
            for axis in 0..<3 { measured[axis] += generator.normal(deviation: noise) }
            return measured
        }

        /// A uniformly distributed random direction.
        mutating func direction() -> Vector3 {
            let any = Vector3(
                generator.normal(deviation: 1),
                generator.normal(deviation: 1),
                generator.normal(deviation: 1)
            )
            return any.direction ?? Vector3(0, 0, 1)
        }
    }

    private func gathered(
        _ count: Int = 3000,
        noise: Double = 0.4,
        where isKept: (Vector3) -> Bool = { _ in true }
    ) -> CalibrationSamples {
        var device = Device()
        var samples = CalibrationSamples()
        for _ in 0..<count {
            let direction = device.direction()
            guard isKept(direction) else { continue }
            _ = samples.add(device.measured(48 * direction, noise: noise))
        }
        return samples
    }

    @Test func `calibration removes a device's iron to within a degree`() throws {
        let calibration = try gathered().full().get()
        #expect(calibration.quality == .full)
        #expect(calibration.spread < 0.03)
        #expect(calibration.coverage > 0.9)
        #expect((calibration.offset - Device().offset).length < 0.7)
        #expect((calibration.field / 48 - 1).magnitude < 0.1)

        var device = Device()
        for heading in stride(from: 0.0, to: 360, by: 7) {
            for (pitch, roll) in [(0, 0), (35, 20), (-50, -10)] as [(Double, Double)] {
                let attitude = Attitude(heading: heading, pitch: pitch, roll: roll)
                let dip = 60 * Double.pi / 180
                let sample = MotionSample(
                    time: 0,
                    field: device.measured(
                        attitude.inDevice(48 * Vector3(0, cos(dip), -sin(dip))),
                        noise: 0
                    ),
                    acceleration: attitude.inDevice(Vector3(0, 0, 9.81))
                )
                var compass = Compass(calibration: calibration)
                let heard = compass.update(with: sample)
                let told = try #require(heard)
                let error = CompassAngle.difference(from: told.degrees, to: heading).magnitude
                #expect(error < 1, "\(heading) \(pitch) \(roll)")
                #expect(!told.isDisturbed)
            }
        }
    }

    @Test func `a few disturbed samples are rejected`() throws {
        var samples = gathered()
        for step in 0..<12 { _ = samples.add(Vector3(80, -160 - 3 * Double(step), 90)) }
        let calibration = try samples.full().get()
        #expect((calibration.offset - Device().offset).length < 2)
    }

    @Test func `coverage grows with the directions seen`() {
        var device = Device()
        var samples = CalibrationSamples()
        #expect(samples.coverage == 0)
        for _ in 0..<50 { _ = samples.add(device.measured(Vector3(0, 48, 0))) }
        #expect(samples.coverage == 0, "noise is no turn")
        for _ in 0..<1500 { _ = samples.add(device.measured(48 * device.direction())) }
        #expect(samples.coverage > 0.9)
        let covered = (0..<CalibrationSamples.bands).flatMap { band in
            (0..<CalibrationSamples.cells).map { samples.isCovered(band: band, cell: $0) }
        }
        #expect(Double(covered.count { $0 }) / 72 == samples.coverage)
        #expect(!samples.isCovered(band: 6, cell: 0))
        #expect(samples.count < 1200)
    }

    @Test func `too few samples are refused with what is missing`() {
        #expect(CalibrationSamples().full() == .failure(.tooFew(samples: 0, needed: 200)))
        #expect(CalibrationSamples().partial() == .failure(.tooFew(samples: 0, needed: 36)))
        guard
            case .failure(.uncovered(let coverage, needed: 0.6)) = gathered(20_000, where: { $0.z > 0.3 })
                .full()
        else { return #expect(Bool(false), "a third of the directions is not enough") }
        #expect((0.1..<0.6).contains(coverage))
    }

    @Test func `a varying field is refused`() {
        guard case .failure(.uneven(let spread, allowed: 0.06)) = gathered(noise: 8).full() else {
            return #expect(Bool(false))
        }
        #expect(spread > 0.06)
    }

    @Test func `an insensitive axis is refused`() {
        var device = Device()
        var samples = CalibrationSamples()
        for _ in 0..<5000 { _ = samples.add(device.direction() * Vector3(200, 200, 40)) }
        guard case .failure(.crooked(let ratio)) = samples.full() else { return #expect(Bool(false)) }
        #expect((4...6).contains(ratio))
    }

    @Test func `samples along a saddle are no ellipsoid`() {
        var generator = SeededGenerator(seed: 5)
        var samples = CalibrationSamples()
        for _ in 0..<5000 {
            let (u, v) = (generator.normal(deviation: 40), generator.normal(deviation: 40))
            _ = samples.add(Vector3(u, v, 0.02 * u * v))
        }
        guard case .failure = samples.full() else { return #expect(Bool(false)) }
    }

    @Test func `a turn on the spot gives a partial calibration for that orientation`() throws {
        let tilt = (pitch: 25.0, roll: -10.0)
        let dip = 62 * Double.pi / 180
        var device = Device()
        var samples = CalibrationSamples()
        func measured(_ heading: Double, noise: Double) -> (Vector3, Attitude) {
            let attitude = Attitude(heading: heading, pitch: tilt.pitch, roll: tilt.roll)
            let field = attitude.inDevice(48 * Vector3(0, cos(dip), -sin(dip)))
            var measured = field + device.offset
            for axis in 0..<3 { measured[axis] += device.generator.normal(deviation: noise) }
            return (measured, attitude)
        }
        for step in 0..<720 { _ = samples.add(measured(Double(step) / 2, noise: 0.2).0) }
        guard case .failure = samples.full() else { return #expect(Bool(false)) }
        let calibration = try samples.partial().get()
        #expect(calibration.quality == .partial)
        for heading in stride(from: 3.0, to: 360, by: 10) {
            let (field, attitude) = measured(heading, noise: 0)
            var compass = Compass(calibration: calibration)
            let told = compass.update(
                with:
                    MotionSample(time: 0, field: field, acceleration: attitude.inDevice(Vector3(0, 0, 9.81)))
            )
            let error = try CompassAngle.difference(from: #require(told).degrees, to: heading).magnitude
            #expect(error < 1, "\(heading)")
        }
    }

    @Test func `half a turn, a cluster and a line are no circle`() {
        var samples = CalibrationSamples()
        for step in 0..<360 {
            let angle = Double(step) / 2 * .pi / 180
            _ = samples.add(Vector3(40 * cos(angle), 40 * sin(angle), 10))
        }
        guard case .failure(.uncovered) = samples.partial() else { return #expect(Bool(false)) }
        guard case .failure = gathered().partial() else { return #expect(Bool(false)) }
        var line = CalibrationSamples()
        for step in 0..<200 { _ = line.add(Vector3(Double(step) * 3, 0, 0)) }
        guard case .failure = line.partial() else { return #expect(Bool(false)) }
    }

    @Test func `arbitrary numbers give a calibration or a refusal`() {
        var generator = SeededGenerator(seed: 9)
        for round in 0..<12 {
            var samples = CalibrationSamples()
            for _ in 0..<400 {
                func any() -> Double {
                    round % 3 == 0
                        ? Double(bitPattern: generator.next())
                        : generator.normal(deviation: round % 3 == 1 ? 1e3 : 1e-3)
                }
                _ = samples.add(Vector3(any(), any(), any()))
            }
            for result in [samples.full(), samples.partial()] {
                switch result {
                case .success(let calibration):
                    #expect(calibration.stretch.isFinite && calibration.offset.isFinite)
                case .failure(let refusal): #expect(!refusal.description.isEmpty)
                }
            }
        }
    }

    @Test func `a calibration survives its stored form and invalid JSON is refused`() throws {
        let calibration = try gathered().full().get()
        #expect(try MagnetometerCalibration(json: JSONValue(parsing: calibration.json.bytes)) == calibration)
        for key in ["offset_ut", "stretch", "field_ut", "quality", "spread", "coverage", "samples"] {
            guard case .object(var members) = calibration.json else { return #expect(Bool(false)) }
            for nonsense: JSONValue? in [nil, "x", .array([1, 2]), .array([1, 2, 3, 4])] {
                members[key] = nonsense
                #expect(MagnetometerCalibration(json: .object(members)) == nil, "\(key)")
            }
        }
        guard case .object(var members) = calibration.json else { return #expect(Bool(false)) }
        members["stretch"] = [[1, 0, 0], [1, 0, 0], [0, 0, 1]]
        #expect(MagnetometerCalibration(json: .object(members)) == nil, "a stretch that crushes")
        members = [:]
        #expect(MagnetometerCalibration(json: .object(members)) == nil)
    }
}
