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
    /// The same in the form of a plain light, as are all values here.
    private let start: JSONObject
    let goal: JSONObject
    /// The keys whose values change gradually.
    private let moving: Set<String>
    /// Brightness of a light when on, 0…1; `nil` unless the light is switched on or off.
    let resting: Double?
    private let began: Instant
    let milliseconds: Double
    let cause: ChangeEvent.Cause
    /// Who started it; it stops when their right ends.
    let command: Command?
    /// The values last sent to the server.
    private(set) var current: JSONObject
    /// When intermediate values were last published.
    private(set) var shownAt: Instant?

    /// - Parameter original: The thing's data as stored.
    init(
        of object: ObjectReference,
        from original: JSONObject,
        to goal: JSONObject,
        kind: ThingKind?,
        seconds: Double,
        cause: ChangeEvent.Cause,
        by command: Command?,
        at now: Instant
    ) {
        let start = kind?.canonical(original) ?? original
        var goal = goal
        var resting: Double?
        let end = start.merging(goal) { $1 }
        if let level = ThingAppearance.level(of: end),
            ThingAppearance.isOn(start) != ThingAppearance.isOn(end)
        {
            resting = level
            goal["brightness"] = goal["brightness"] ?? .number(level)
        }
        let halfway = ThingSetting.interpolated(from: start, to: goal, fraction: 0.5)
        (self.object, self.original, self.start, self.goal, self.resting) = (
            object, original, start, goal, resting
        )
        moving = Set(goal.keys.filter { $0 != "on" && halfway[$0] != goal[$0] })
        (began, milliseconds, self.cause, self.command) = (now, seconds * 1000, cause, command)
        current = ThingSetting.interpolated(from: start, to: goal, fraction: 0)
    }

    /// Moves on to the values of a time.
    /// - Returns: The values to store; `nil` if they are those that were last sent.
    mutating func step(at now: Instant) -> (values: JSONObject, isLast: Bool)? {
        let elapsed = Double(now.milliseconds(since: began))
        let isLast = elapsed >= milliseconds
        let values =
            isLast
            ? goal
            : ThingSetting.interpolated(from: start, to: goal, fraction: elapsed / milliseconds)
        guard isLast || values != current else { return nil }
        current = values
        return (values, isLast)
    }

    /// The intermediate values to publish, as stored; `nil` if others were published just now.
    mutating func shown(
        _ values: JSONObject,
        kind: ThingKind?,
        at now: Instant
    ) -> [(name: String, value: JSONValue?)]? {
        if let shownAt, now.milliseconds(since: shownAt) < Self.showInterval { return nil }
        shownAt = now
        guard let kind else {
            return moving.map { ($0, values[$0]) }
        }
        return kind.stored(values.filter { moving.contains($0.key) }, in: original).map { ($0.key, $0.value) }
    }

    /// The values that intermediate ones have replaced, as stored.
    func hidden(kind: ThingKind?) -> [(name: String, value: JSONValue?)] {
        shownAt == nil ? [] : movingNames(kind: kind).map { ($0, original[$0]) }
    }

    /// The names of the values that change gradually, as stored.
    func movingNames(kind: ThingKind?) -> Set<String> {
        Set(moving.map { kind?.name(ofCanonical: $0) ?? $0 })
    }
}
