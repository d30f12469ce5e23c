import Bindings
import SeededRandom
import Testing

struct GroupIntervalTests {
    @Test(arguments: GroupInterval.allCases)
    func `an interval is read with its prefix and without`(interval: GroupInterval) {
        #expect(GroupInterval(interval.rawValue) == interval)
        #expect(GroupInterval("INTERVAL_\(interval.rawValue)") == interval)
        #expect(GroupInterval("INTERVAL_INTERVAL_\(interval.rawValue)") == nil)
        #expect(GroupInterval(interval.rawValue.lowercased()) == nil)
    }

    @Test(arguments: GroupInterval.allCases)
    func `a group begins at a multiple of the interval and has its times`(interval: GroupInterval) {
        var random = SplitMix64(seed: 1)
        for _ in 0..<2000 {
            let time = Int64(truncatingIfNeeded: random.next()) % HistoryTime.legal.upperBound
            let group = interval.group(of: time)
            #expect(group.contains(time))
            #expect(group.lowerBound % interval.milliseconds == 0)
            #expect(group.upperBound - group.lowerBound == interval.milliseconds)
        }
        #expect(interval.group(of: -1).upperBound == 0)
        #expect(interval.group(of: 0).lowerBound == 0)
    }

    @Test(arguments: GroupInterval.allCases)
    func `times at the edges do not trap`(interval: GroupInterval) {
        for time in [Int64.min, .min + 1, -1, 0, 1, .max - 1, .max] {
            _ = interval.group(of: time)
            _ = interval.cover(of: time...time)
        }
        #expect(!interval.allows(.min ... .max))
        #expect(interval.pieces(of: .min ... .max, most: 3).count == 3)
    }

    @Test(arguments: GroupInterval.allCases)
    func `59 intervals are allowed and 60 are not`(interval: GroupInterval) {
        let length = interval.milliseconds
        #expect(interval.allows(7...(7 + 59 * length)))
        #expect(interval.allows(7...(7 + 60 * length - 1)))
        #expect(!interval.allows(7...(7 + 60 * length)))
    }

    @Test func `whole groups and what is beside them cover a range once`() {
        var random = SplitMix64(seed: 2)
        for interval in GroupInterval.allCases {
            let length = Int(interval.milliseconds)
            for _ in 0..<500 {
                let lower = Int64(random.number(below: 5 * length) - 2 * length)
                let range = lower...(lower + Int64(random.number(below: 4 * length)))
                let cover = interval.cover(of: range)
                var parts = cover.partial
                if let whole = cover.whole {
                    #expect(whole.lowerBound % interval.milliseconds == 0)
                    #expect(whole.upperBound % interval.milliseconds == 0)
                    parts.append(whole.lowerBound...(whole.upperBound - 1))
                }
                parts.sort { $0.lowerBound < $1.lowerBound }
                #expect(parts.first?.lowerBound == range.lowerBound)
                #expect(parts.last?.upperBound == range.upperBound)
                for (part, following) in zip(parts, parts.dropFirst()) {
                    #expect(part.upperBound + 1 == following.lowerBound)
                }
                for part in cover.partial {
                    #expect(part.upperBound - part.lowerBound < 2 * interval.milliseconds)
                }
            }
        }
    }

    @Test func `a long range is asked for in pieces that part no group`() {
        let interval = GroupInterval.quarterHour
        let range = Int64(12_345)...(12_345 + 200 * interval.milliseconds)
        let pieces = interval.pieces(of: range, most: 100)
        #expect(pieces.count == 4)
        #expect(pieces.first?.lowerBound == range.lowerBound)
        #expect(pieces.last?.upperBound == range.upperBound)
        for (piece, following) in zip(pieces, pieces.dropFirst()) {
            #expect(interval.allows(piece))
            #expect(piece.upperBound + 1 == following.lowerBound)
            #expect(interval.start(of: following.lowerBound) == following.lowerBound)
        }
    }
}
