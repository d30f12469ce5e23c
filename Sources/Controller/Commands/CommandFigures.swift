package import Things

/// How commands fared since the start: what became of them, and how long their answers took.
///
/// Counting one is an addition to an integer.
package struct CommandFigures: Sendable, Hashable {
    /// Commands that were carried out, at least in part.
    package private(set) var accepted = 0
    /// Refused commands, by the code of the answer.
    package private(set) var refused: [RefusalCode: Int] = [:]
    /// How many answers took less than 2^n milliseconds, but not less than half of that; n is the index.
    private var waits = [Int](repeating: 0, count: Self.steps)
    /// What all answers took together, milliseconds.
    package private(set) var totalMilliseconds = 0

    /// All waits of more than 65 s are counted together.
    private static let steps = 18

    package init() {}

    /// - Parameter milliseconds: From receiving the command to its answer; `nil` if it was not measured.
    package mutating func record(_ refusal: RefusalCode?, milliseconds: Int64?) {
        if let refusal { refused[refusal, default: 0] += 1 } else { accepted += 1 }
        guard let milliseconds else { return }
        let wait = max(0, min(milliseconds, 1 << 32))
        let bits = Int64.bitWidth - wait.leadingZeroBitCount
        waits[min(bits, Self.steps - 1)] += 1
        totalMilliseconds += Int(wait)
    }

    /// How many answers were measured.
    package var count: Int { waits.reduce(0, +) }

    /// How many answers took less than each limit, in rising order; the limit in seconds.
    package var buckets: [(limit: Double, count: Int)] {
        var sum = 0
        return waits.dropLast().enumerated().map { step, count in
            sum += count
            return (Double(1 << step) / 1000, sum)
        }
    }
}
