import Things

/// Notices when a thing and its lamp go round in circles, as two links that cross can make them, and waits.
///
/// Two daemons whose things are each other's lamps can change places for ever: each takes over what the other was. From the
/// second return to an earlier state on, each waits for a random time, longer with every turn; the later one then finds
/// both equal. For a person who presses a switch again and again this is a third of a second at first, at most 2.4 s.
struct OscillationDetector: Sendable {
    private struct Step: Sendable {
        let thing: LampState
        let lamp: LampState
    }

    private static let memory: Int64 = 3000
    private static let capacity = 8
    private static let shortest: UInt64 = 300
    /// How often the longest wait is doubled.
    private static let doublings = 3

    /// The last steps, each soon after the one before.
    private var steps: [Step] = []
    private var lastAt: Int64 = 0
    private var turns = 0
    private(set) var waitUntil: Int64?
    private var random: UInt64

    /// - Parameter seed: Another one for each link that there is.
    init(seed: UInt64) { random = seed }

    /// Whether something may be done about the difference between thing and lamp.
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

    /// Nothing is different any more.
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
