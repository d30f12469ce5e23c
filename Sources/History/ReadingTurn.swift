/// How far one query is worked on before others, and samples to be stored, have their turn.
struct ReadingTurn {
    /// A turn ends as soon as one of these is reached.
    struct Limits: Sendable {
        /// Samples that are looked at.
        var samples = 5000
        var time = Duration.milliseconds(50)
    }

    private(set) var isOver = false
    private var left: Int
    private let end: ContinuousClock.Instant
    /// Samples since the clock was asked.
    private var unchecked = 0
    /// Asking the clock costs as much as looking at a sample does.
    private static let samplesOfCheck = 16

    init(_ limits: Limits = Limits()) {
        left = limits.samples
        end = ContinuousClock.now + limits.time
    }

    /// Counts samples that were looked at, a turn's worth at most.
    mutating func spend(_ samples: Int) {
        left -= samples
        unchecked += samples
        if unchecked >= Self.samplesOfCheck {
            unchecked = 0
            isOver = ContinuousClock.now >= end
        }
        if left <= 0 { isOver = true }
    }
}
