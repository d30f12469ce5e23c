package import Controller
package import Flare

/// Shows changes of this device's position and heading as motion: 30 frames in half a second.
///
/// Position and angle move in straight lines, the angle the short way round, each over its own half second on a common
/// grid of frames. A new goal in the middle starts from where the picture is. Jumps are one frame: another
/// environment, and the first value. A late reader gets the newest frame, and the missed ones are left out.
///
/// Times are milliseconds on a steady clock.
/// - Source: contrib/contract/mqtt.md, "Frames".
package struct FrameAnimator: Sendable {
    /// Frames of one motion, and its duration in milliseconds.
    package static let steps: Int64 = 30
    package static let duration: Int64 = 500

    /// A motion from one value to another, beginning with a frame of the grid.
    private struct Motion<Value: Sendable & Hashable>: Sendable {
        let from: Value
        let to: Value
        let start: Int64

        /// 0 at its start, 1 from its end on.
        func progress(at tick: Int64) -> Double {
            Double(min(max(tick - start, 0), FrameAnimator.steps)) / Double(FrameAnimator.steps)
        }

        func hasEnded(at tick: Int64) -> Bool { tick - start >= FrameAnimator.steps }
    }

    private var environment: FlareID?
    private var position: Motion<Point3D>?
    private var angle: Motion<Double>?
    /// The time of the grid's frame 0.
    private var origin: Int64 = 0
    /// The last frame of the grid that was given out.
    private var tick: Int64 = 0
    /// Since when something is to be shown at once.
    private var jumpedAt: Int64?
    /// The last frame that was given out, rounded.
    private var last = DeviceFrame()

    package init() {}

    /// Follows the device of a node.
    package mutating func follow(_ state: ControllerState, at now: Int64) {
        setGoal(DeviceFrame(state), in: state.environmentID, at: now)
    }

    /// Sets where the device is: the picture moves there.
    ///
    /// A position or angle that is not finite is ignored: the former goal stays.
    package mutating func setGoal(_ goal: DeviceFrame, in environment: FlareID?, at now: Int64) {
        let (now, goal) = (Self.bounded(now), goal.rounded)
        var hasJumped = environment != self.environment
        self.environment = environment
        if isStill { (origin, tick) = (now, 0) }
        let current = max(tick, (now - origin) * Self.steps / Self.duration)
        if hasJumped { (position, angle) = (nil, nil) }

        if goal.position?.isFinite ?? true, goal.position != position?.to {
            let shown = position(at: current)
            hasJumped = hasJumped || shown == nil || goal.position == nil
            position = goal.position.map { Motion(from: shown ?? $0, to: $0, start: current) }
        }
        if goal.angle?.isFinite ?? true, goal.angle != angle?.to {
            let shown = angle(at: current)
            hasJumped = hasJumped || shown == nil || goal.angle == nil
            angle = goal.angle.map { Motion(from: shown ?? $0, to: $0, start: current) }
        }
        if hasJumped { jumpedAt = jumpedAt ?? now }
    }

    /// Ends the motion without a frame, because nobody is watching: the picture is at its goal.
    package mutating func settle() {
        position = position.map { standing(at: $0.to) }
        angle = angle.map { standing(at: $0.to) }
        jumpedAt = nil
        last = DeviceFrame(position: position?.to, angle: angle?.to)
    }

    /// The newest frame that is due; `nil` if none is, or if it looks like the one before.
    package mutating func frame(at now: Int64) -> DeviceFrame? {
        let now = Self.bounded(now)
        guard let due = nextDue, due <= now else { return nil }
        tick = max(tick, (now - origin) * Self.steps / Self.duration)
        jumpedAt = nil
        let frame = DeviceFrame(position: position(at: tick), angle: angle(at: tick)).rounded
        if let motion = position, motion.hasEnded(at: tick) { position = standing(at: motion.to) }
        if let motion = angle, motion.hasEnded(at: tick) { angle = standing(at: motion.to) }
        guard frame != last else { return nil }
        last = frame
        return frame == DeviceFrame() ? nil : frame
    }

    /// When the next frame is due; `nil` while nothing moves.
    package var nextDue: Int64? {
        if let jumpedAt { return jumpedAt }
        guard isMoving else { return nil }
        // The first millisecond of the next frame.
        return origin + ((tick + 1) * Self.duration + Self.steps - 1) / Self.steps
    }

    /// Whether the picture is at its goal and no frame is left.
    package var isStill: Bool { nextDue == nil }

    // MARK: Motions

    private var isMoving: Bool {
        position.map { $0.from != $0.to } ?? false || angle.map { $0.from != $0.to } ?? false
    }

    private func standing<Value>(at value: Value) -> Motion<Value> {
        Motion(from: value, to: value, start: tick)
    }

    private func position(at tick: Int64) -> Point3D? {
        guard let position else { return nil }
        let part = position.progress(at: tick)
        func between(_ from: Double, _ to: Double) -> Double {
            // Exact at the end, and finite for all finite numbers.
            part >= 1 ? to : from * (1 - part) + to * part
        }
        return Point3D(
            x: between(position.from.x, position.to.x),
            y: between(position.from.y, position.to.y),
            z: between(position.from.z, position.to.z)
        )
    }

    private func angle(at tick: Int64) -> Double? {
        guard let angle else { return nil }
        let part = angle.progress(at: tick)
        guard part < 1 else { return angle.to }
        let turn = DeviceFrame.normalized(angle.to - angle.from)
        return DeviceFrame.normalized(angle.from + (turn > 180 ? turn - 360 : turn) * part)
    }

    /// Far beyond every clock, and small enough to count frames with.
    private static func bounded(_ now: Int64) -> Int64 { min(max(now, -1 << 52), 1 << 52) }
}
