import Testing

@testable import Bridge

struct RepetitionTests {
    private let start = ContinuousClock.now

    /// The times at which something is due when it is looked at at these times, in seconds after the start.
    private func due(every interval: Double, lookingAt times: [Double]) -> [Double] {
        var repetition = Repetition(last: start)
        return times.filter { repetition.isDue(at: start + .seconds($0), every: .seconds(interval)) }
    }

    @Test(arguments: [5.0, 7, 10, 15, 60])
    func `it is due after each interval, whatever else is looked at between`(interval: Double) {
        let all = (1...240).map { Double($0) }
        let wanted = all.filter { $0.truncatingRemainder(dividingBy: interval) == 0 }
        #expect(due(every: interval, lookingAt: all) == wanted)
    }

    @Test func `looking late shifts nothing that follows`() {
        #expect(due(every: 10, lookingAt: [10.5, 19.9, 20.2, 29, 30]) == [10.5, 20.2, 30])
    }

    @Test func `what passed in sleep is not made up for`() {
        #expect(due(every: 10, lookingAt: [10, 1000, 1001, 1009, 1010]) == [10, 1000, 1010])
    }

    @Test func `another interval counts from the last time`() {
        var repetition = Repetition(last: start)
        #expect(repetition.next(every: .seconds(3600)) == start + .seconds(3600))
        #expect(repetition.next(every: .seconds(5)) == start + .seconds(5))
        #expect(repetition.isDue(at: start + .seconds(8), every: .seconds(5)) == true)
        #expect(repetition.next(every: .seconds(5)) == start + .seconds(10))
    }
}
