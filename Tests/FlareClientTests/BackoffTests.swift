import FlareClient
import SocketIO
import Testing

@Suite struct BackoffTests {
    @Test func `pauses double up to the longest, and chance takes up to a half off`() {
        var longest = Backoff(minimumSeconds: 0.5, maximumSeconds: 30)
        let long = (0..<8).map { _ in longest.next(chance: 1) }
        #expect(long == [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000])
        var shortest = Backoff(minimumSeconds: 0.5, maximumSeconds: 30)
        let short = (0..<3).map { _ in shortest.next(chance: 0) }
        #expect(short == [250, 500, 1000])
        shortest.linkLost(wasSteady: true)
        #expect(shortest.next(chance: 0.5) == 375)
    }

    @Test func `a link lost again soon does not keep the pause of the outage before it`() {
        var backoff = Backoff(minimumSeconds: 0.5, maximumSeconds: 5)
        let outage = (0..<6).map { _ in backoff.next(chance: 1) }
        #expect(outage == [500, 1000, 2000, 4000, 5000, 5000])
        backoff.linkLost(wasSteady: false)
        #expect(backoff.next(chance: 1) == 1000)
    }

    @Test func `links that are lost soon, one after the other, are made more and more slowly`() {
        var backoff = Backoff(minimumSeconds: 0.5, maximumSeconds: 5)
        let pauses = (0..<5).map { _ in
            backoff.linkLost(wasSteady: false)
            return backoff.next(chance: 1)
        }
        #expect(pauses == [1000, 2000, 4000, 5000, 5000])
        backoff.linkLost(wasSteady: true)
        #expect(backoff.next(chance: 1) == 500)
    }

    @Test func `no more than five seconds lie between two attempts unless configured`() {
        let configuration = FlareClientConfiguration(host: "a")
        #expect(configuration.reconnectMaximumSeconds == 5)
        #expect(configuration.quietSeconds + configuration.livenessSeconds < 15)
    }

    @Test func `no configuration makes it busy or endless`() {
        for (minimum, maximum) in [(0.0, 0.0), (-1, -1), (5, 1), (.infinity, 1)] {
            var backoff = Backoff(minimumSeconds: minimum, maximumSeconds: maximum)
            for _ in 0..<100 {
                let pause = backoff.next(chance: 1)
                #expect(pause >= 1 && pause <= 3_600_000)
            }
        }
    }
}

@Suite struct TransportSequenceTests {
    private static let ways = FlareClientConfiguration(host: "a").approaches

    @Test func `all ways are tried in a row when the server refuses each`() {
        var approaches = TransportSequence(Self.ways)
        var tried = [approaches.current]
        while approaches.goOn(after: .refused(status: 400, "")) { tried.append(approaches.current) }
        #expect(tried == Self.ways)
        #expect(tried.map(\.transport) == [.websocket, .polling, .websocket, .polling])
        #expect(tried.map(\.revision) == [.four, .four, .three, .three])
        // After the pause from the beginning.
        #expect(approaches.current == Self.ways[0])
    }

    @Test func `what worked is tried first the next time`() {
        var approaches = TransportSequence(Self.ways)
        #expect(approaches.goOn(after: .refused(status: 400, "")) == true)
        approaches.joined()
        #expect(approaches.current == Self.ways[1])
        #expect(approaches.goOn(after: .unreachable("gone")) == false)
        #expect(approaches.current == Self.ways[1])
    }

    @Test func `a silent server is asked in another way, but later`() {
        var approaches = TransportSequence(Self.ways)
        #expect(approaches.goOn(after: .timedOut(waitingFor: "welcome", milliseconds: 1)) == false)
        #expect(approaches.current == Self.ways[1])
    }

    @Test func `who was stranded by a websocket tries none the next time`() {
        var approaches = TransportSequence(Self.ways)
        #expect(approaches.goOn(after: .refused(status: 400, "")) == true)
        #expect(approaches.current == .init(.polling, .four, takesEither: true, upgrades: true))
        approaches.ended(.stranded)
        #expect(approaches.current == .init(.polling, .four, takesEither: true, upgrades: false))
        approaches.ended(.serverClosed)
        #expect(approaches.current.upgrades)
    }

    @Test func `what is configured is the only way`() {
        var configuration = FlareClientConfiguration(host: "a")
        configuration.revision = .three
        configuration.transport = .polling
        var approaches = TransportSequence(configuration.approaches)
        #expect(approaches.current == .init(.polling, .three, takesEither: false, upgrades: false))
        #expect(approaches.goOn(after: .refused(status: 400, "")) == false)
    }
}

@Suite struct ByteRateLimitTests {
    @Test func `what comes at once is taken, what comes on top waits`() {
        var meter = ByteRateLimit(perSecond: 1000, patience: 500, now: 0)
        for _ in 0..<1999 { meter.take(bytes: 10, now: 0) }
        #expect(meter.pause(now: 0) == 0)
        meter.take(bytes: 10, now: 0)
        #expect(meter.pause(now: 0) == 200)
        #expect(meter.pause(now: 100) == 0)
    }

    @Test func `a long message counts as several`() {
        var meter = ByteRateLimit(perSecond: 1000, patience: 500, now: 0)
        meter.take(bytes: 1_000_000, now: 0)
        #expect(meter.pause(now: 0) > 1000)
    }

    @Test func `a flood is one that does not stop`() {
        var meter = ByteRateLimit(perSecond: 1000, patience: 500, now: 0)
        var now = 0
        while !meter.isFlooded(now: now), now < 60_000 {
            for _ in 0..<100 { meter.take(bytes: 0, now: now) }
            now += 10 + meter.pause(now: now)
        }
        #expect(now < 5000)

        var bursts = ByteRateLimit(perSecond: 1000, patience: 500, now: 0)
        for second in 0..<60 {
            for _ in 0..<2500 where second % 5 == 0 { bursts.take(bytes: 0, now: second * 1000) }
            if bursts.pause(now: second * 1000) > 0 { #expect(!bursts.isFlooded(now: second * 1000)) }
        }
    }

    @Test func `what comes no faster than it is taken never waits`() {
        var meter = ByteRateLimit(perSecond: 1000, patience: 500, now: 0)
        for now in 0..<20_000 {
            meter.take(bytes: 0, now: now)
            #expect(meter.pause(now: now) == 0)
        }
    }
}
