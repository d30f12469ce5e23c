/// Detects an endless exchange of states between a thing and its lamp, which two crossed links can cause, and
/// delays it.
///
/// Two daemons whose things are each other's lamps can swap states for ever, because each adopts the other's.
/// From the second return to an earlier state on, each side waits a random time, longer with every turn; the
/// later one then finds both equal. A person who presses a switch repeatedly waits a third of a second at
/// first, at most 2.4 s.
struct OscillationDetector: Sendable {
    private struct Step: Sendable {
        let thing: LampState
        let lamp: LampState
    }

    private static let memory: Int64 = 3000
    private static let capacity = 8
    private static let shortest: UInt64 = 300
    /// How often the longest wait doubles.
    private static let doublings = 3

    /// Recent steps, each soon after the one before.
    private var steps: [Step] = []
    private var lastAt: Int64 = 0
    private var turns = 0
    private(set) var waitUntil: Int64?
    private var random: UInt64

    /// - Parameter seed: Different for each link.
    init(seed: UInt64) { random = seed }

    /// Whether a difference between thing and lamp may be resolved now.
    mutating func mayStep(_ thing: LampState, _ lamp: LampState, at now: Int64) -> Bool {
        if waitUntil == nil, now - lastAt > Self.memory { steps = [] }
        let isSwapped = steps.last.map { thing.isShown(by: $0.lamp) && $0.thing.isShown(by: lamp) } ?? false
        let isTurn = isSwapped || steps.dropLast().contains { thing.isShown(by: $0.thing) }
        if isTurn, turns >= 1 {
            let due = waitUntil ?? now + pause(turns)
            waitUntil = due
            guard now >= due else { return false }
        }
        turns = isTurn ? turns + 1 : 0
        waitUntil = nil
        lastAt = now
        steps = steps.suffix(Self.capacity - 1) + [Step(thing: thing, lamp: lamp)]
        return true
    }

    /// Thing and lamp are equal.
    mutating func rest() { waitUntil = nil }

    private mutating func pause(_ turns: Int) -> Int64 {
        // SplitMix64, by Sebastiano Vigna.
        random &+= 0x9E37_79B9_7F4A_7C15
        var word = random
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        word ^= word >> 31
        return Int64(word % (Self.shortest << UInt64(min(turns - 1, Self.doublings))))
    }
}
