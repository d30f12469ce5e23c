import People
import Testing

struct LimiterTests {
    private var limiter = GuessLimiter()
    private let second: Int64 = 1000

    /// A wrong guess; the seconds to wait if it was not allowed.
    private mutating func guess(_ name: String = "bob", from address: String = "a", at now: Int64) -> Int? {
        if let wait = limiter.begin(name, from: address, at: now) { return wait }
        limiter.failed(name, from: address, at: now)
        return nil
    }

    @Test mutating func `after five failures each pause is twice as long, up to fifteen minutes`() {
        var now: Int64 = 0
        for _ in 0..<5 { #expect(guess(at: now) == nil) }
        for pause in [60, 120, 240, 480, 900, 900] {
            #expect(guess(at: now) == pause)
            #expect(guess(at: now + second) == pause - 1)
            now += Int64(pause) * second
            #expect(guess(at: now - 1) == 1)
            let result = guess(at: now)
            #expect(result == nil, "after \(pause)")
        }
    }

    @Test mutating func `nobody locks another one out`() {
        for _ in 0..<5 { #expect(guess(from: "a", at: 0) == nil) }
        #expect(guess(from: "a", at: 0) == 60)
        #expect(guess(from: "b", at: 0) == nil)
        #expect(guess("eve", from: "a", at: 0) == nil)
    }

    @Test mutating func `twenty failures of an address block it for all names`() {
        for number in 0..<20 { #expect(guess("u\(number)", at: Int64(number)) == nil) }
        #expect(guess("other", at: 20) == 60)
        #expect(guess("other", from: "b", at: 20) == nil)
        let next = 19 + 60 * second
        #expect(guess("other", at: next) == nil)
        #expect(guess("another", at: next) == 120)
    }

    @Test mutating func `failures of an address count for ten minutes`() {
        for number in 0..<40 { #expect(guess("u\(number)", at: Int64(number) * 32 * second) == nil) }
    }

    /// A right guess; the seconds to wait if it was not allowed.
    private mutating func know(_ name: String = "bob", from address: String = "a", at now: Int64) -> Int? {
        if let wait = limiter.begin(name, from: address, at: now) { return wait }
        limiter.succeeded(name, from: address, at: now)
        return nil
    }

    @Test mutating func `the right password does not lift the limit for others at the same address`() {
        var guesses = 0
        // Whoever shares an address with bob guesses between his sign-ins.
        for moment in 0..<600 {
            if guess(at: Int64(moment) * second) == nil { guesses += 1 }
            _ = know(at: Int64(moment) * second)
        }
        #expect(guesses < 10)
    }

    @Test mutating func `ten minutes after the right password the failures before it are forgotten`() {
        for _ in 0..<4 { #expect(guess(at: 0) == nil) }
        let first = know(at: 1)
        #expect(first == nil)
        for _ in 0..<5 { #expect(guess(at: 600_001) == nil) }
        #expect(guess(at: 600_001) == 60)
        let second = know(at: 660_001)
        #expect(second == nil)
        for _ in 0..<5 { #expect(guess(at: 1_260_001) == nil) }
    }

    @Test func `so many may be checked at once while none was wrong`() {
        var limiter = GuessLimiter(atOnce: 50)
        var (before, after) = (0, 0)
        for number in 0..<60 where limiter.begin("n\(number)", from: "a", at: 0) == nil { before += 1 }
        #expect(before == 50)
        limiter.failed("n0", from: "a", at: 1)
        for number in 1..<50 { limiter.succeeded("n\(number)", from: "a", at: 1) }
        for number in 0..<60 where limiter.begin("n\(number)", from: "a", at: 2) == nil { after += 1 }
        #expect(after == 19)
    }

    @Test mutating func `guesses at the same time count before they are checked`() {
        var begun = 0
        for _ in 0..<100 where limiter.begin("bob", from: "a", at: 0) == nil { begun += 1 }
        #expect(begun == 5)
        for _ in 0..<5 { limiter.abandoned("bob", from: "a") }
        #expect(guess(at: 0) == nil)
        var names = 0
        for number in 0..<100 where limiter.begin("n\(number)", from: "c", at: 0) == nil { names += 1 }
        #expect(names == 20)
    }

    @Test mutating func `an hour without failures forgets everything`() {
        for _ in 0..<5 { #expect(guess(at: 0) == nil) }
        let later = 3600 * second
        for _ in 0..<5 { #expect(guess(at: later) == nil) }
        #expect(guess(at: later) == 60)
    }

    @Test mutating func `a clock that jumps traps nothing`() {
        for now: Int64 in [0, 5_000_000, -5_000_000, 100] { _ = guess(at: now) }
        #expect(guess(String(repeating: "x", count: 1_000_000), at: 200) == nil)
    }

    @Test mutating func `the memory is bounded`() {
        for number in 0..<20_000 { _ = guess("n\(number)", from: "a\(number)", at: Int64(number)) }
        // The latest are remembered.
        for _ in 0..<4 { #expect(guess("n19999", from: "a19999", at: 20_000) == nil) }
        #expect(guess("n19999", from: "a19999", at: 20_000) == 60)
    }

    // MARK: Email

    @Test func `email messages are limited by name, by address and in all`() {
        var messages = EmailLimiter()
        func count(_ attempts: Int, _ name: (Int) -> String, _ address: (Int) -> String, at now: Int64) -> Int
        {
            (0..<attempts).count { messages.take(name($0), from: address($0), at: now) }
        }
        #expect(count(9, { _ in "bob" }, { "a\($0)" }, at: 0) == 5)
        #expect(count(30, { "n\($0)" }, { _ in "x" }, at: 0) == 20)
        let (isFull, isOpen) = (!messages.hasRoom(for: "x", at: 0), messages.hasRoom(for: "y", at: 0))
        #expect(isFull && isOpen)
        #expect(count(300, { "m\($0)" }, { "b\($0)" }, at: 0) == 175)
        #expect(count(9, { _ in "bob" }, { "c\($0)" }, at: 3_599_999) == 0)
        #expect(count(9, { _ in "bob" }, { "d\($0)" }, at: 3_600_000) == 5)
    }
}
