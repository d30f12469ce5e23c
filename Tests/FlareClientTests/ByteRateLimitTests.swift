import FlareClient
import Testing

@Suite struct ByteRateLimitTests {
    @Test func `a burst up to the capacity is accepted, and more pauses reading`() {
        var meter = ByteRateLimit(perSecond: 1000, patience: 500, now: 0)
        for _ in 0..<1999 { meter.consume(bytes: 10, now: 0) }
        #expect(meter.pause(now: 0) == 0)
        meter.consume(bytes: 10, now: 0)
        #expect(meter.pause(now: 0) == 200)
        #expect(meter.pause(now: 100) == 0)
    }

    @Test func `a long message counts as several`() {
        var meter = ByteRateLimit(perSecond: 1000, patience: 500, now: 0)
        meter.consume(bytes: 1_000_000, now: 0)
        #expect(meter.pause(now: 0) > 1000)
    }

    @Test func `only an uninterrupted excess is a flood`() {
        var meter = ByteRateLimit(perSecond: 1000, patience: 500, now: 0)
        var now = 0
        while !meter.isFlooded(now: now), now < 60_000 {
            for _ in 0..<100 { meter.consume(bytes: 0, now: now) }
            now += 10 + meter.pause(now: now)
        }
        #expect(now < 5000)

        var bursts = ByteRateLimit(perSecond: 1000, patience: 500, now: 0)
        for second in 0..<60 {
            for _ in 0..<2500 where second % 5 == 0 { bursts.consume(bytes: 0, now: second * 1000) }
            if bursts.pause(now: second * 1000) > 0 { #expect(!bursts.isFlooded(now: second * 1000)) }
        }
    }

    @Test func `messages at the limit never pause reading`() {
        var meter = ByteRateLimit(perSecond: 1000, patience: 500, now: 0)
        for now in 0..<20_000 {
            meter.consume(bytes: 0, now: now)
            #expect(meter.pause(now: now) == 0)
        }
    }
}
