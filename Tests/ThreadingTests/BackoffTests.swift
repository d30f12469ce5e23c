import Testing
import Threading

@Suite struct BackoffTests {
    @Test func `pauses double up to the longest, and chance takes up to a half off`() {
        var longest = Backoff(minimumSeconds: 0.5, maximumSeconds: 30)
        let long = (0..<8).map { _ in longest.next(chance: 1) }
        #expect(long == [0.5, 1, 2, 4, 8, 16, 30, 30].map { .seconds($0) })
        var shortest = Backoff(minimumSeconds: 0.5, maximumSeconds: 30)
        let short = (0..<3).map { _ in shortest.next(chance: 0) }
        #expect(short == [.milliseconds(250), .milliseconds(500), .seconds(1)])
        shortest.linkLost(wasSteady: true)
        #expect(shortest.next(chance: 0.5) == .milliseconds(375))
    }

    @Test func `a link lost again soon does not keep the pause of the outage before it`() {
        var backoff = Backoff(minimumSeconds: 0.5, maximumSeconds: 5)
        let outage = (0..<6).map { _ in backoff.next(chance: 1) }
        #expect(outage == [0.5, 1, 2, 4, 5, 5].map { .seconds($0) })
        backoff.linkLost(wasSteady: false)
        #expect(backoff.next(chance: 1) == .seconds(1))
    }

    @Test func `links that are lost soon, one after the other, are made more and more slowly`() {
        var backoff = Backoff(minimumSeconds: 0.5, maximumSeconds: 5)
        let pauses = (0..<5).map { _ in
            backoff.linkLost(wasSteady: false)
            return backoff.next(chance: 1)
        }
        #expect(pauses == [1, 2, 4, 5, 5].map { .seconds($0) })
        backoff.linkLost(wasSteady: true)
        #expect(backoff.next(chance: 1) == .milliseconds(500))
    }

    @Test func `no configuration makes it busy or endless`() {
        for (minimum, maximum) in [(0.0, 0.0), (-1, -1), (5, 1), (.infinity, 1)] {
            var backoff = Backoff(minimumSeconds: minimum, maximumSeconds: maximum)
            for _ in 0..<100 {
                let pause = backoff.next(chance: 1)
                #expect(pause >= .milliseconds(1) && pause <= .seconds(3600))
            }
        }
    }

    @Test func `no two clients of a server that comes back wait equally long`() {
        let pauses = Set(
            (0..<10).map { _ in
                var backoff = Backoff(minimumSeconds: 0.5, maximumSeconds: 60)
                return backoff.next()
            }
        )
        #expect(pauses.count == 10)
    }
}
