import Foundation
import Positioning
import Testing

/// Rest and steps, five times a second.
@Suite struct ShakeDetectorTests {
    /// The answers while the length of gravity varies by an amplitude, twice a second.
    private func answers(
        _ detector: inout ShakeDetector,
        amplitude: Double,
        seconds: ClosedRange<Double>,
        along direction: Vector3 = Vector3(0, 0, 1)
    ) -> [Bool?] {
        stride(from: seconds.lowerBound, to: seconds.upperBound, by: 0.2).map { time in
            let length = 9.81 + amplitude * sin(2 * .pi * 2 * time)
            return detector.update(with: direction * Vector3(repeating: length), at: time)
        }
    }

    @Test func `a device at rest does not move, and one that steps shake does`() {
        for direction in [Vector3(0, 0, 1), Vector3(0.6, 0, -0.8), Vector3(-1, 0, 0)] {
            var detector = ShakeDetector()
            let rest = answers(&detector, amplitude: 0.1, seconds: 0...5, along: direction)
            #expect(rest.first == .some(nil) && rest.last == false)
            #expect(!rest.contains(true))
            let walk = answers(&detector, amplitude: 2, seconds: 5...8, along: direction)
            #expect(walk.last == true)
            #expect(answers(&detector, amplitude: 0.1, seconds: 8...12, along: direction).last == false)
        }
    }

    @Test func `between the two limits the answer stays`() {
        var detector = ShakeDetector()
        #expect(answers(&detector, amplitude: 0.5, seconds: 0...4).last == false)
        #expect(answers(&detector, amplitude: 2, seconds: 4...8).last == true)
        #expect(answers(&detector, amplitude: 0.5, seconds: 8...16).last == true)
        #expect(answers(&detector, amplitude: 0, seconds: 16...20).last == false)
    }

    @Test(arguments: [0.0, 1, 256, 9810]) func `what is not gravity says nothing`(_ length: Double) {
        var detector = ShakeDetector()
        for tick in 0..<50 {
            let sample = Vector3(0, 0, length + Double(tick % 2) * 3)
            #expect(detector.update(with: sample, at: Double(tick) / 5) == nil)
        }
    }

    @Test func `after a gap, or when the clock goes back, it begins again`() {
        for jump in [1.5, 1000, -3, -1e9] {
            var detector = ShakeDetector()
            #expect(answers(&detector, amplitude: 2, seconds: 0...4).last == true)
            let after = answers(&detector, amplitude: 0, seconds: (4 + jump)...(7 + jump))
            #expect(after.prefix(5).allSatisfy { $0 == nil }, "\(jump): \(after)")
            #expect(after.last == false)
        }
    }

    @Test func `impossible measurements are left out`() {
        var detector = ShakeDetector()
        _ = answers(&detector, amplitude: 0, seconds: 0...3)
        for wild in [Double.nan, .infinity, 1e300, 5000] {
            #expect(detector.update(with: Vector3(wild, 0, 0), at: 3.1) == nil)
        }
        #expect(detector.update(with: Vector3(0, 0, 9.81), at: .nan) == nil)
        #expect(detector.update(with: Vector3(0, 0, 9.81), at: 3.2) == false)
    }
}
