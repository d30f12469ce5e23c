import Bridge
import Messages
import SeededRandom
import Testing

struct EdgeErrorsTests {
    private let thing = EdgeAddress("v-1")

    @Test func `a thing gets one error a second`() {
        var errors = EdgeErrors()
        let times: [Int64] = [0, 1, 500, 999, 1000, 1001, 2500, 2600]
        let answered = times.filter { errors.take(thing, at: $0) }
        #expect(answered == [0, 1000, 2500])
        #expect(errors.unanswered == 5)
    }

    @Test func `things do not share it, and neither do a gateway and its end nodes`() {
        var errors = EdgeErrors()
        let all = [
            thing, EdgeAddress("v-2"), EdgeAddress("v-1", gateway: "g"), EdgeAddress("v-1", gateway: "h"),
        ]
        let (first, second) = (all.map { errors.take($0, at: 0) }, all.map { errors.take($0, at: 999) })
        #expect(first == [true, true, true, true] && second == [false, false, false, false])
    }

    @Test func `a flood of names needs no more memory, and ends a second after it`() {
        var errors = EdgeErrors()
        _ = errors.take(thing, at: 0)
        var answered = 0
        for number in 0..<50_000 where errors.take(EdgeAddress("flood-\(number)"), at: 1) { answered += 1 }
        #expect(answered == errors.count - 1 && errors.count <= 11_000)
        let (known, new) = (errors.take(thing, at: 1100), errors.take(EdgeAddress("new"), at: 1200))
        #expect(known && new, "who was known before is not affected")
        #expect(errors.count < 10)
    }

    @Test func `all end nodes of a gateway get four errors a second, however many names there are`() {
        var errors = EdgeErrors()
        var answered = 0
        for number in 0..<50_000 {
            if errors.take(EdgeAddress("w-\(number)", gateway: "g"), at: 0) { answered += 1 }
        }
        #expect(answered == 4 && errors.count == 5)
        let others = [EdgeAddress("g"), EdgeAddress("w-1", gateway: "h"), EdgeAddress("w-1")]
            .filter { errors.take($0, at: 0) }
        #expect(others.count == 3)
        // Four are left, of which a node that had one just before takes none.
        let later = ["w-0", "w-0", "w-0", "w-5", "w-6", "w-7", "w-8"].map {
            errors.take(EdgeAddress($0, gateway: "g"), at: 1000)
        }
        #expect(later == [true, false, false, true, true, true, false])
    }

    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func `whatever is sent, no thing gets two errors within a second`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var errors = EdgeErrors()
        var last: [EdgeAddress: Int64] = [:]
        var now: Int64 = 0
        for _ in 0..<20_000 {
            now += Int64(random.number(below: 50))
            let thing = EdgeAddress("v-\(random.number(below: 20))")
            guard errors.take(thing, at: now) else { continue }
            if let last = last[thing] { #expect(now - last >= 1000) }
            last[thing] = now
        }
        #expect(last.count == 20)
    }
}
