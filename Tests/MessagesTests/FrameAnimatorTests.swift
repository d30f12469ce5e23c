import Controller
import Flare
import JSON
import Messages
import SeededRandom
import Testing

struct FrameAnimatorTests {
    private static let hall = FlareID(high: 1, low: 0)
    private static let garden = FlareID(high: 1, low: 1)

    /// An animator whose device stands at the origin and looks north, all shown.
    private func standing(
        at position: Point3D = .zero,
        angle: Double = 0,
        since now: Int64 = 0
    ) -> FrameAnimator {
        var animator = FrameAnimator()
        animator.setGoal(DeviceFrame(position: position, angle: angle), in: Self.hall, at: now)
        animator.settle()
        return animator
    }

    /// All frames with their times, each taken when it is due.
    private func play(_ animator: inout FrameAnimator) -> [(at: Int64, frame: DeviceFrame)] {
        var frames: [(at: Int64, frame: DeviceFrame)] = []
        var calls = 0
        while let due = animator.nextDue, calls < 1000 {
            calls += 1
            if let frame = animator.frame(at: due) { frames.append((due, frame)) }
        }
        return frames
    }

    @Test func `a move is shown in 30 frames over half a second`() {
        var animator = standing(since: 0)
        animator.setGoal(DeviceFrame(position: Point3D(x: 3, y: 6), angle: 0), in: Self.hall, at: 1000)
        let frames = play(&animator)
        #expect(frames.count == 30)
        // 16.7 ms each, in whole milliseconds.
        #expect(frames.prefix(4).map(\.at) == [1017, 1034, 1050, 1067])
        #expect(frames.first?.frame.position == Point3D(x: 0.1, y: 0.2))
        #expect(frames.last?.frame.position == Point3D(x: 3, y: 6))
        #expect(frames.last?.at == 1500)
        #expect(animator.isStill)
    }

    @Test(
        arguments: [(350, 10, 0.7), (10, 350, 359.3), (0, 180, 6), (90, 271, 84.0)]
            as [(Double, Double, Double)]
    )
    func `an angle turns the short way round`(from: Double, to: Double, last: Double) {
        var animator = standing(angle: from)
        animator.setGoal(DeviceFrame(position: .zero, angle: to), in: Self.hall, at: 0)
        let frames = play(&animator).compactMap(\.frame.angle)
        #expect(frames.last == to)
        #expect(frames.count == 30)
        if from == 350 || from == 10 {
            // Through north: nothing between 11 and 349 degrees.
            #expect(frames.allSatisfy { $0 <= 10 || $0 >= 350 })
        } else {
            #expect(frames.first == last)
        }
    }

    @Test func `a new goal in the middle starts from where the picture is`() {
        var animator = standing()
        animator.setGoal(DeviceFrame(position: Point3D(x: 3, y: 0), angle: 0), in: Self.hall, at: 0)
        while let due = animator.nextDue, due <= 250 { _ = animator.frame(at: due) }
        animator.setGoal(DeviceFrame(position: Point3D(x: 1.5, y: 3), angle: 0), in: Self.hall, at: 255)
        let frames = play(&animator)
        #expect(frames.count == 30)
        #expect(frames.first?.frame.position == Point3D(x: 1.5, y: 0.1))
        #expect(frames.last?.frame.position == Point3D(x: 1.5, y: 3))
        #expect(frames.last?.at == 750)
    }

    @Test func `a turn during a move does not disturb it`() {
        var animator = standing()
        animator.setGoal(DeviceFrame(position: Point3D(x: 3, y: 0), angle: 0), in: Self.hall, at: 0)
        while let due = animator.nextDue, due <= 250 { _ = animator.frame(at: due) }
        animator.setGoal(DeviceFrame(position: Point3D(x: 3, y: 0), angle: 90), in: Self.hall, at: 250)
        let frames = play(&animator)
        #expect(frames.first { $0.at == 500 }?.frame == DeviceFrame(position: Point3D(x: 3, y: 0), angle: 45))
        #expect(frames.last?.at == 750)
        #expect(frames.count == 30)
    }

    @Test func `the first position is shown at once, in one frame`() {
        var animator = FrameAnimator()
        animator.setGoal(DeviceFrame(angle: 10), in: Self.hall, at: 0)
        #expect(play(&animator).map(\.frame) == [DeviceFrame(angle: 10)])
        animator.setGoal(DeviceFrame(position: Point3D(x: 5, y: 5), angle: 10), in: Self.hall, at: 100)
        #expect(play(&animator).map(\.frame) == [DeviceFrame(position: Point3D(x: 5, y: 5), angle: 10)])
    }

    @Test func `another environment is shown at once, in one frame`() {
        var animator = standing()
        animator.setGoal(DeviceFrame(position: Point3D(x: 9, y: 0), angle: 0), in: Self.hall, at: 0)
        _ = animator.frame(at: 100)
        let arrival = DeviceFrame(position: Point3D(x: 2, y: 2), angle: 200)
        animator.setGoal(arrival, in: Self.garden, at: 200)
        #expect(animator.nextDue == 200)
        #expect(play(&animator).map(\.frame) == [arrival])
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity])
    func `values that are not finite are ignored`(bad: Double) {
        var animator = standing(at: Point3D(x: 1, y: 1), angle: 45)
        animator.setGoal(DeviceFrame(position: Point3D(x: bad, y: 2), angle: bad), in: Self.hall, at: 0)
        #expect(animator.isStill)
        animator.setGoal(DeviceFrame(position: Point3D(x: 1, y: 4), angle: bad), in: Self.hall, at: 0)
        let frames = play(&animator)
        #expect(frames.last?.frame == DeviceFrame(position: Point3D(x: 1, y: 4), angle: 45))
    }

    @Test func `a late reader gets the newest frame only`() {
        var animator = standing()
        animator.setGoal(DeviceFrame(position: Point3D(x: 3, y: 0), angle: 0), in: Self.hall, at: 0)
        #expect(animator.frame(at: 0) == nil)
        #expect(animator.frame(at: 250)?.position == Point3D(x: 1.5, y: 0))
        #expect(animator.frame(at: 250) == nil)
        #expect(animator.frame(at: 9000)?.position == Point3D(x: 3, y: 0))
        #expect(animator.isStill)
    }

    @Test func `nothing is shown for the same goal, nor for less than a millimetre`() {
        var animator = standing()
        animator.setGoal(DeviceFrame(position: .zero, angle: 360), in: Self.hall, at: 0)
        animator.setGoal(DeviceFrame(position: Point3D(x: 0.0004, y: 0), angle: 0.04), in: Self.hall, at: 10)
        #expect(animator.isStill)
    }

    @Test func `without a watcher the picture is at its goal, and no frame is due`() {
        var animator = standing()
        animator.setGoal(DeviceFrame(position: Point3D(x: 3, y: 0), angle: 0), in: Self.hall, at: 0)
        animator.settle()
        #expect(animator.isStill)
        animator.setGoal(DeviceFrame(position: Point3D(x: 6, y: 0), angle: 0), in: Self.hall, at: 50)
        #expect(animator.nextDue == 67)
        #expect(animator.frame(at: 67)?.position == Point3D(x: 3.1, y: 0))
    }

    @Test func `a frame is written with millimetres and tenths of a degree`() {
        let frame = DeviceFrame(position: Point3D(x: 1.23456, y: -0.0001, z: 2), angle: 359.97)
        #expect(
            String(decoding: frame.json.bytes, as: UTF8.self)
                == #"{"angle":0,"position":{"x":1.235,"y":0,"z":2}}"#
        )
        #expect(String(decoding: DeviceFrame(angle: -90.04).json.bytes, as: UTF8.self) == #"{"angle":270}"#)
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `frames of any walk are legal, keep time and end at the goal`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var animator = FrameAnimator()
        var now = Int64(random.number(below: 1_000_000))
        var (goal, shown) = (DeviceFrame(), DeviceFrame())
        for _ in 0..<300 {
            now += Int64(random.number(below: 4) == 0 ? random.number(below: 900) : random.number(below: 40))
            if random.chance(4) {
                let wild = random.chance(6)
                func coordinate() -> Double {
                    let value = Double(random.number(below: 20_000)) / 1000 - 10
                    return wild ? random.pick([.nan, .infinity, 1e308, -1e308, 1e-300], else: value) : value
                }
                let position = Point3D(x: coordinate(), y: coordinate(), z: coordinate())
                let angle = wild ? random.pick([.nan, -1e308, 1e17, -720.5], else: 0) : coordinate() * 100
                animator.setGoal(DeviceFrame(position: position, angle: angle), in: Self.hall, at: now)
                if position.isFinite { goal.position = position }
                if angle.isFinite { goal.angle = angle }
            }
            guard let due = animator.nextDue, due <= now, let frame = animator.frame(at: now) else {
                continue
            }
            shown = frame
            #expect(frame.position?.isFinite ?? true)
            if let angle = frame.angle { #expect((0..<360).contains(angle)) }
            #expect(frame == frame.rounded)
            #expect(animator.nextDue.map { $0 > now } ?? true)
        }
        now += 600
        shown = animator.frame(at: now) ?? shown
        #expect(animator.isStill)
        #expect(shown == goal.rounded)
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `neighbouring frames are a thirtieth of the way apart`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        func turn() -> Double { Double(random.number(below: 3600)) / 10 }
        var animator = standing(angle: turn())
        animator.setGoal(DeviceFrame(position: .zero, angle: turn()), in: Self.hall, at: 0)
        let angles = play(&animator).compactMap(\.frame.angle)
        let steps = zip(angles, angles.dropFirst()).map { before, after in
            let difference = abs(after - before)
            return min(difference, 360 - difference)
        }
        // At most 180 degrees in 30 steps, and both are rounded.
        #expect(steps.allSatisfy { $0 <= 6.1001 })
    }
}
