/// What is due when, the earliest first: a binary heap.
struct TimerQueue: Sendable {
    /// Sorted by time, then rule; of a rule, ends come before starts, so that what begins wins.
    struct Timer: Sendable, Comparable {
        let due: Int64
        let rule: Int
        let isStart: Bool
        let trigger: Int
        /// Where the rule is, and for which of its users.
        let slot: Int
        let generation: Int

        static func < (left: Self, right: Self) -> Bool {
            if left.due != right.due { return left.due < right.due }
            if left.rule != right.rule { return left.rule < right.rule }
            if left.isStart != right.isStart { return !left.isStart }
            return left.trigger < right.trigger
        }
    }

    private static let leastCapacity = 1024

    private var timers: [Timer] = []
    /// From this number on, those that mean nothing any more are to be removed.
    private var capacity = TimerQueue.leastCapacity

    var count: Int { timers.count }
    var isFull: Bool { timers.count >= capacity }

    /// Removes all others; then there is room for as many again.
    mutating func keep(where isKept: (Timer) -> Bool) {
        // What is sorted is a heap.
        timers = timers.filter(isKept).sorted()
        capacity = max(Self.leastCapacity, timers.count * 2)
    }

    var first: Timer? { timers.first }

    mutating func insert(_ timer: Timer) {
        timers.append(timer)
        var place = timers.count - 1
        while place > 0 {
            let parent = (place - 1) / 2
            guard timers[place] < timers[parent] else { return }
            timers.swapAt(place, parent)
            place = parent
        }
    }

    mutating func removeFirst() -> Timer? {
        guard let first = timers.first else { return nil }
        let last = timers.removeLast()
        guard !timers.isEmpty else { return first }
        timers[0] = last
        var place = 0
        while true {
            var least = place
            for child in 2 * place + 1...2 * place + 2
            where child < timers.count && timers[child] < timers[least] {
                least = child
            }
            guard least != place else { return first }
            timers.swapAt(place, least)
            place = least
        }
    }

    mutating func removeAll() { timers.removeAll() }
}
