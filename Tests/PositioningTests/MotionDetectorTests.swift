import Flare
import Positioning
import Testing

struct MotionDetectorTests {
    @Test func `a walk is motion and standing at its end is not`() {
        var sense = MotionDetector()
        let walk = (0..<6).map { sense.update(with: Point3D(x: Double($0), y: 0)) }
        #expect(walk == [false, false, true, true, true, true])
        let stand = (0..<6).map { _ in sense.update(with: Point3D(x: 5, y: 0)) }
        #expect(stand.last == false)
    }

    @Test func `jitter about a place is no motion`() {
        var sense = MotionDetector()
        for second in 0..<60 {
            let angle = Double(second) * 2.4
            let position = Point3D(
                x: 0.6 * (angle.truncatingRemainder(dividingBy: 2) - 1),
                y: second.isMultiple(of: 2) ? 0.4 : -0.4
            )
            let isMoving = sense.update(with: position)
            #expect(!isMoving)
        }
    }
}
