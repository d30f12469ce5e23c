import Positioning
import Testing

#if canImport(Glibc)
    import Glibc
#endif

@Suite struct CompassTests {
    /// The measurements in a device that points to `heading`, with its front and its right side raised by angles.
    private func sample(
        _ time: Double,
        heading: Double,
        pitch: Double = 0,
        roll: Double = 0,
        turning: Double? = nil,
        dip: Double = 65,
        strength: Double = 48
    ) -> MotionSample {
        let attitude = Attitude(heading: heading, pitch: pitch, roll: roll)
        let dipAngle = dip * .pi / 180
        let field = strength * Vector3(0, cos(dipAngle), -sin(dipAngle))
        return MotionSample(
            time: time,
            field: attitude.inDevice(field),
            acceleration: attitude.inDevice(Vector3(0, 0, 9.81)),
            rotation: turning.map { attitude.inDevice(Vector3(0, 0, -$0 * .pi / 180)) }
        )
    }

    private func apart(_ a: Double?, _ b: Double) -> Double {
        a.map { CompassAngle.difference(from: $0, to: b).magnitude } ?? .infinity
    }

    @Test func `tilt does not change the heading`() {
        for heading in stride(from: 0.0, to: 360, by: 15) {
            for (pitch, roll) in [(0, 0), (30, 0), (-40, 10), (0, 60), (20, -50), (60, 170)]
                as [(Double, Double)]
            {
                var compass = Compass()
                let told = compass.update(with: sample(0, heading: heading, pitch: pitch, roll: roll))
                #expect(apart(told?.degrees, heading) < 1e-6, "\(heading) \(pitch) \(roll)")
            }
        }
    }

    @Test func `a mount matrix rotates the magnetometer's axes`() throws {
        // A sensor that is mounted turned by 90° and upside down.
        let mount = Matrix3(Vector3(0, 1, 0), Vector3(1, 0, 0), Vector3(0, 0, -1))
        let back = try #require(mount.inverse)
        var compass = Compass(mount: mount)
        var turned = sample(0, heading: 123, pitch: 20, roll: 10)
        turned.field = back * turned.field
        let told1 = compass.update(with: turned)
        #expect(apart(told1?.degrees, 123) < 1e-6)
        var wrong = Compass()
        let told2 = wrong.update(with: turned)
        #expect(apart(told2?.degrees, 123) > 20)
    }

    @Test func `without an accelerometer the device is assumed to lie flat`() {
        var compass = Compass()
        var flat = sample(0, heading: 200)
        flat.acceleration = nil
        let told3 = compass.update(with: flat)
        #expect(apart(told3?.degrees, 200) < 1e-6)
    }

    @Test func `noise is smoothed and a turn is followed in about a second`() throws {
        var generator = SeededGenerator(seed: 4)
        var compass = Compass()
        var told: [Double] = []
        for step in 0..<200 {
            var noisy = sample(Double(step) * 0.05, heading: 359)
            for axis in 0..<3 { noisy.field[axis] += generator.normal(deviation: 2) }
            if let heading = compass.update(with: noisy) { told.append(apart(heading.degrees, 359)) }
        }
        #expect(told.count == 200)
        #expect(try #require(told.dropFirst(40).max()) < 6)
        var after = 0.0
        for step in 200..<240 {
            after = apart(compass.update(with: sample(Double(step) * 0.05, heading: 90))?.degrees, 90)
        }
        #expect(after < 10)
    }

    @Test func `with a gyroscope a turn is followed at once`() {
        var compass = Compass()
        var heading = 350.0
        var time = 0.0
        for _ in 0..<60 {
            _ = compass.update(with: sample(time, heading: heading, turning: 0))
            time += 0.05
        }
        for _ in 0..<40 {
            heading += 4.5
            let told = compass.update(with: sample(time, heading: heading, turning: 90))
            #expect(apart(told?.degrees, heading) < 3)
            time += 0.05
        }
    }

    @Test func `a nearby magnet turns a fused heading slowly and is reported`() throws {
        let calibration = MagnetometerCalibration(
            offset: .zero,
            stretch: .identity,
            field: 48,
            quality: .full,
            spread: 0.01,
            coverage: 1,
            samples: 300
        )
        var compass = Compass(calibration: calibration)
        var last: Compass.Heading?
        for step in 0..<400 {
            var disturbed = sample(Double(step) * 0.05, heading: 40, turning: 0)
            if step > 360 { disturbed.field += Vector3(60, 0, 0) }
            last = compass.update(with: disturbed)
        }
        let heading = try #require(last)
        #expect(heading.isDisturbed)
        #expect(apart(heading.degrees, 40) < 8)
    }

    @Test func `the bias of a resting gyroscope is no turn`() {
        var compass = Compass()
        var error = 0.0
        for step in 0..<400 {
            var resting = sample(Double(step) * 0.05, heading: 270, turning: 0)
            resting.rotation? += Vector3(0.1, -0.2, 0.25)
            error = apart(compass.update(with: resting)?.degrees, 270)
        }
        #expect(error < 1)
    }

    @Test func `a steady turn is no gyroscope bias`() {
        var compass = Compass()
        var error = 0.0
        for step in 0..<600 {
            let time = Double(step) * 0.05
            error = max(
                error,
                apart(compass.update(with: sample(time, heading: time * 15, turning: 15))?.degrees, time * 15)
            )
        }
        #expect(error < 3)
    }

    @Test func `a shaken device keeps its last vertical`() {
        var compass = Compass()
        _ = compass.update(with: sample(0, heading: 80, pitch: 20))
        var shaken = sample(0.05, heading: 80, pitch: 20)
        shaken.acceleration = Vector3(15, 3, 9)
        let told4 = compass.update(with: shaken)
        #expect(apart(told4?.degrees, 80) < 1e-6)
        var first = Compass()
        let told5 = first.update(with: shaken)
        #expect(told5 == nil, "and has none before it was held still")
    }

    @Test func `there is no heading on edge or in a vertical field`() {
        var compass = Compass()
        let told6 = compass.update(with: sample(0, heading: 80, pitch: 89))
        #expect(told6 == nil)
        var other = Compass()
        let told7 = other.update(with: sample(0, heading: 80, dip: 89))
        #expect(told7 == nil)
    }

    @Test func `a clock that goes back or jumps restarts the compass and invalid numbers are ignored`() {
        var compass = Compass()
        _ = compass.update(with: sample(100, heading: 80))
        let told8 = compass.update(with: sample(50, heading: 200))
        #expect(apart(told8?.degrees, 200) < 1e-6)
        let told9 = compass.update(with: sample(90, heading: 300))
        #expect(apart(told9?.degrees, 300) < 1e-6)
        var broken = sample(90.05, heading: 10)
        broken.field.y = .nan
        let told10 = compass.update(with: broken)
        #expect(told10 == nil)
        broken = sample(.infinity, heading: 10)
        let told11 = compass.update(with: broken)
        #expect(told11 == nil)
        broken = sample(90.05, heading: 10)
        broken.rotation = Vector3(repeating: .infinity)
        let told12 = compass.update(with: broken)
        #expect(told12 == nil)
        let told13 = compass.update(with: sample(90.05, heading: 300))
        #expect(apart(told13?.degrees, 300) < 1e-6)
    }

    @Test func `arbitrary numbers give a valid heading or none`() {
        var generator = SeededGenerator(seed: 8)
        var compass = Compass()
        func any() -> Double {
            switch generator.next() % 4 {
            case 0: Double(bitPattern: generator.next())
            case 1: 0
            default: generator.normal(deviation: 20)
            }
        }
        for step in 0..<20_000 {
            let sample = MotionSample(
                time: generator.next() % 20 == 0 ? any() : Double(step) * 0.05,
                field: Vector3(any(), any(), any()),
                acceleration: generator.next() % 3 == 0 ? nil : Vector3(any(), any(), any()),
                rotation: generator.next() % 3 == 0 ? nil : Vector3(any(), any(), any())
            )
            if let heading = compass.update(with: sample) { #expect((0..<360).contains(heading.degrees)) }
        }
    }
}

/// The orientation of a device.
struct Attitude {
    /// Columns: the device's axes in east, north, up coordinates.
    private let axes: Matrix3

    init(heading: Double, pitch: Double, roll: Double) {
        let (h, p, r) = (heading * .pi / 180, pitch * .pi / 180, roll * .pi / 180)
        let turn = Matrix3(Vector3(cos(h), sin(h), 0), Vector3(-sin(h), cos(h), 0), Vector3(0, 0, 1))
        let lift = Matrix3(Vector3(1, 0, 0), Vector3(0, cos(p), -sin(p)), Vector3(0, sin(p), cos(p)))
        let lean = Matrix3(Vector3(cos(r), 0, sin(r)), Vector3(0, 1, 0), Vector3(-sin(r), 0, cos(r)))
        axes = turn * lift * lean
    }

    func inDevice(_ earth: Vector3) -> Vector3 { axes.transposed * earth }
}

@Suite struct CircularSmoothingTests {
    @Test func `the mean of 359 and 1 degrees is 0`() throws {
        var smoothing = CircularSmoothing(timeConstant: 5)
        for step in 0..<1000 { smoothing.add(step % 2 == 0 ? 359 : 1, for: 0.05) }
        let degrees = try #require(smoothing.degrees)
        #expect(CompassAngle.difference(from: degrees, to: 0).magnitude < 0.1)
    }

    @Test func `contradicting directions have no mean`() {
        var smoothing = CircularSmoothing(timeConstant: 1)
        for step in 0..<100 { smoothing.add(Double(step % 3) * 120, for: 0.2) }
        #expect(smoothing.degrees == nil)
        #expect(CircularSmoothing(timeConstant: 1).degrees == nil)
    }

    @Test func `NaN and infinity are ignored`() {
        var smoothing = CircularSmoothing(timeConstant: 1)
        smoothing.add(.nan, for: 1)
        #expect(smoothing.degrees == nil)
        smoothing.add(40, for: 0)
        for (degrees, seconds) in [(Double.nan, 1), (90, .nan), (90, -1), (.infinity, 1)] {
            smoothing.add(degrees, for: seconds)
        }
        #expect(smoothing.degrees.map { ($0 - 40).magnitude < 1e-9 } == true)
    }
}

@Suite struct CompassAngleTests {
    @Test(arguments: [
        (0.0, 0.0), (360, 0), (-90, 270), (725, 5), (-1e-20, 0), (359.5, 359.5),
    ]) func `every angle is normalised to 0 up to 360`(_ angle: Double, _ name: Double) {
        #expect(CompassAngle.normalised(angle) == name)
    }

    @Test func `the difference takes the shorter way round`() {
        #expect(CompassAngle.difference(from: 350, to: 10) == 20)
        #expect(CompassAngle.difference(from: 10, to: 350) == -20)
        #expect(CompassAngle.difference(from: 0, to: 180) == 180)
        #expect(CompassAngle.difference(from: 180, to: 0) == 180)
        #expect(CompassAngle.normalised(.nan) == nil)
        #expect(CompassAngle.normalised(.infinity) == nil)
    }
}
