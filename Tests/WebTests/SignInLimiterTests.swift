import Testing
import Web

@Suite
struct SignInLimiterTests {
    private typealias Peer = SignInLimiter.Peer

    @Test func `a peer may try ten times, and then once in ten seconds`() {
        var limiter = SignInLimiter(now: 0)
        let peer = Peer("192.0.2.1")
        for _ in 0..<10 { #expect(limiter.attempt(by: peer, at: 100) == nil) }
        #expect(limiter.attempt(by: peer, at: 100) == 10)
        #expect(limiter.attempt(by: peer, at: 107) == 3)
        #expect(limiter.attempt(by: peer, at: 110) == nil)
        #expect(limiter.attempt(by: peer, at: 110) == 10)
    }

    @Test func `the right password costs nothing`() {
        var limiter = SignInLimiter(now: 0)
        let peer = Peer("192.0.2.1")
        for _ in 0..<1000 {
            #expect(limiter.attempt(by: peer, at: 0) == nil)
            limiter.succeeded(peer, at: 0)
        }
    }

    @Test func `many peers together are limited, but not those that know the password`() {
        var limiter = SignInLimiter(now: 0)
        let friend = Peer("192.0.2.1")
        #expect(limiter.attempt(by: friend, at: 0) == nil)
        limiter.succeeded(friend, at: 0)
        let allowed = (0..<200).filter { limiter.attempt(by: Peer("198.51.100.\($0)"), at: 0) == nil }
        #expect(allowed.count == 50)
        #expect(limiter.attempt(by: Peer("203.0.113.1"), at: 0) == 1)
        #expect(limiter.attempt(by: friend, at: 0) == nil)
    }

    @Test func `a flood of peers is not remembered without bound, and stays limited`() {
        var limiter = SignInLimiter(now: 0)
        let allowed = (0..<20_000).filter { number in
            limiter.attempt(by: Peer("10.0.\(number / 256).\(number % 256)"), at: Double(number) / 10) == nil
        }
        // 50 at first, and one a second for 2000 seconds.
        #expect((2000...2051).contains(allowed.count), "\(allowed.count)")
    }

    @Test(arguments: [
        ("192.0.2.1", "192.0.2.1", true), ("192.0.2.1", "192.0.2.2", false),
        ("::ffff:192.0.2.1", "192.0.2.1", true), ("2001:db8::1", "2001:db8::ffff:1", true),
        ("2001:db8::1", "2001:db8:0:1::1", false), ("fe80::1%eth0", "fe80::1", true),
        ("nonsense", nil, true),
    ])
    func `addresses of one customer are one peer`(first: String, second: String?, same: Bool) {
        #expect((Peer(first) == Peer(second)) == same)
    }

    @Test func `a clock that stands still or goes back gives no tokens`() {
        var limiter = SignInLimiter(now: 1000)
        let peer = Peer("192.0.2.1")
        for _ in 0..<10 { _ = limiter.attempt(by: peer, at: 1000) }
        #expect(limiter.attempt(by: peer, at: 500) != nil)
        #expect(limiter.attempt(by: peer, at: 500) != nil)
    }
}
