/// When something that happens at regular times is due.
///
/// It keeps its times however late it is looked at. Times that passed meanwhile, as on a machine that slept, are not made
/// up for.
struct Repetition {
    private(set) var last: ContinuousClock.Instant

    func next(every interval: Duration) -> ContinuousClock.Instant { last + interval }

    /// Whether it is due, which counts as done.
    mutating func isDue(at now: ContinuousClock.Instant, every interval: Duration) -> Bool {
        guard now >= next(every: interval) else { return false }
        last = now < last + interval * 2 ? last + interval : now
        return true
    }
}
