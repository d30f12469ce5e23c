import Lamps
import SeededRandom
import Testing

@Suite struct DeadlineQueueTests {
    @Test(arguments: [1, 2, 3, 10, 100])
    func `the earliest deadline is the least of all after any changes`(count: Int) {
        var random = SplitMix64(seed: UInt64(count))
        var deadlines = DeadlineQueue(count: count)
        var naive = [Int64?](repeating: nil, count: count)
        var now: Int64 = 0
        var takes = 0
        for _ in 0..<5000 {
            if Int.random(in: 0..<10, using: &random) > 0 {
                let index = Int.random(in: 0..<count, using: &random)
                // Few distinct times, so that many are equal.
                let due: Int64? =
                    Int.random(in: 0..<4, using: &random) == 0
                    ? nil : now + .random(in: -2...20, using: &random)
                deadlines[index] = due
                naive[index] = due
            } else {
                now += .random(in: 0...3, using: &random)
                let due = naive.indices.filter { naive[$0].map { $0 <= now } ?? false }
                    .sorted { (naive[$0] ?? 0, $0) < (naive[$1] ?? 0, $1) }
                #expect(deadlines.removeDue(at: now) == due)
                for index in due { naive[index] = nil }
                takes += due.count
            }
            #expect(deadlines.earliest == naive.compactMap(\.self).min())
            let index = Int.random(in: 0..<count, using: &random)
            #expect(deadlines[index] == naive[index])
        }
        #expect(takes > 50)
    }

    @Test func `a new queue has no deadlines`() {
        var deadlines = DeadlineQueue(count: 2)
        #expect(deadlines.earliest == nil && deadlines.removeDue(at: .max) == [])
        deadlines[1] = .max
        deadlines[0] = .min
        #expect(deadlines.earliest == .min)
        #expect(deadlines.removeDue(at: 0) == [0])
        #expect(deadlines.removeDue(at: .max) == [1])
        #expect(DeadlineQueue(count: 0).earliest == nil)
    }
}
