import RateLimiting
import Testing

struct TokenBucketTests {
    @Test func `a burst is served at once, then so many a second`() {
        var bucket = TokenBucket(capacity: 3, perSecond: 2)
        #expect(bucket.due() == nil)
        for _ in 0..<3 { #expect(bucket.take(at: 1000) == true) }
        #expect(bucket.take(at: 1000) == false)
        #expect(bucket.due() == 1500)
        #expect(bucket.take(at: 1499) == false)
        #expect(bucket.take(at: 1500) == true)
        #expect(bucket.take(at: 1500) == false)
    }

    @Test func `a refused request takes nothing`() {
        var bucket = TokenBucket(capacity: 5, perSecond: 1)
        #expect(bucket.take(3, at: 0) == true)
        #expect(bucket.take(3, at: 0) == false)
        #expect(bucket.take(2, at: 0) == true)
        #expect(bucket.due(3) == 3000)
    }

    @Test func `a bucket never holds more than its capacity`() {
        var bucket = TokenBucket(capacity: 2, perSecond: 10)
        #expect(bucket.take(at: 0) == true)
        #expect(bucket.level(at: 60_000) == 2)
        #expect(bucket.take(2, at: 60_000) == true)
        #expect(bucket.take(at: 60_000) == false)
    }

    @Test func `what has happened already is charged as a debt`() {
        var bucket = TokenBucket(capacity: 2, perSecond: 1)
        bucket.charge(5, at: 0)
        #expect(bucket.level(at: 0) == -3)
        #expect(bucket.take(at: 3999) == false)
        #expect(bucket.take(at: 4000) == true)
    }

    @Test func `a clock that goes back gives no tokens`() {
        var bucket = TokenBucket(capacity: 1, perSecond: 1)
        #expect(bucket.take(at: 10_000) == true)
        #expect(bucket.take(at: 0) == false)
    }
}
