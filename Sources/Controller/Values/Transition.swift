import Flare
import JSON
import Things

/// A gradual change of a thing's data.
struct Transition: Sendable {
    /// Three or four intermediate values a second are enough for readers, milliseconds.
    private static let showInterval: Int64 = 250

    let object: ObjectReference
    /// The thing's data at the start, as stored.
    private let original: JSONObject
    /// The light at the start.
    private let start: LightValues
    let goal: ThingPatch
    /// The data keys whose values change gradually.
    let moving: Set<String>
    /// Brightness of a light when on, 0…1; `nil` unless the light is switched on or off.
    let resting: Double?
    private let began: Instant
    let milliseconds: Double
    let cause: ChangeEvent.Cause
    /// Who started it; it stops when their right ends.
    let command: Command?
    /// The change last sent to the server.
    private(set) var current: ThingPatch
    /// When intermediate values were last published.
    private(set) var shownAt: Instant?

    /// - Parameters:
    ///   - original: The thing's data as stored.
    ///   - shape: That of the thing; `nil` for what is none.
    init(
        of object: ObjectReference,
        from original: JSONObject,
        to goal: ThingPatch,
        shape: ThingShape?,
        seconds: Double,
        cause: ChangeEvent.Cause,
        by command: Command?,
        at now: Instant
    ) {
        let start = shape?.light(of: original) ?? LightValues()
        var goal = goal
        var resting: Double?
        let end = start.applying(goal)
        if let level = end.level, start.isOn != end.isOn {
            resting = level
            goal.level = level
        }
        let halfway = goal.interpolated(from: start, fraction: 0.5)
        let middle = shape?.stored(halfway, in: original) ?? halfway.values
        let final = shape?.stored(goal, in: original) ?? goal.values
        (self.object, self.original, self.start, self.goal, self.resting) = (
            object, original, start, goal, resting
        )
        moving = Set(middle.filter { $0.value != final[$0.key] }.keys)
        (began, milliseconds, self.cause, self.command) = (now, seconds * 1000, cause, command)
        current = goal.interpolated(from: start, fraction: 0)
    }

    /// Moves on to the values of a time.
    /// - Returns: The change to store; `nil` if it is the one that was last sent.
    mutating func step(at now: Instant) -> (patch: ThingPatch, isLast: Bool)? {
        let elapsed = Double(now.milliseconds(since: began))
        let isLast = elapsed >= milliseconds
        let patch =
            isLast ? goal : goal.interpolated(from: start, fraction: elapsed / milliseconds)
        guard isLast || patch != current else { return nil }
        current = patch
        return (patch, isLast)
    }

    /// The intermediate values to publish; `nil` if others were published just now.
    /// - Parameter values: Those of a step, as stored.
    mutating func shown(_ values: JSONObject, at now: Instant) -> [(name: String, value: JSONValue?)]? {
        if let shownAt, now.milliseconds(since: shownAt) < Self.showInterval { return nil }
        shownAt = now
        return values.filter { moving.contains($0.key) }.map { ($0.key, $0.value) }
    }

    /// The values that intermediate ones have replaced, as stored.
    var hidden: [(name: String, value: JSONValue?)] {
        shownAt == nil ? [] : moving.map { ($0, original[$0]) }
    }
}
