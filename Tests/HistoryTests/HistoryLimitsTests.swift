import Bindings
import Foundation
import JSON
import People
import SeededRandom
import Testing

@testable import History

struct HistoryLimitsTests {
    private static let day: Int64 = 86_400_000

    private static func limits(raw: Int = 7, group: Int = 400, megabytes: Int = 2048) -> HistoryLimits {
        var limits = HistoryLimits()
        (limits.rawDays, limits.groupDays, limits.maximumMegabytes) = (raw, group, megabytes)
        return limits
    }

    @Test func `old samples go, the sums of their groups stay, and the query says from when`() async throws {
        try await withHistory(Self.limits(raw: 2)) { history in
            history.record(TestHistory.seconds(600))
            await history.store.packNow()
            let hour = TestHistory.start...TestHistory.start + 3_599_999
            let sums = try HistoryQuery.grouped(hour, ["count:t", "mean:t"])
            let before = try await history.json(sums)
            history.pass(3 * Self.day)
            history.record(TestHistory.seconds(10, from: TestHistory.start + 3 * Self.day))
            await history.store.flush()
            let answer = try await history.json(try HistoryQuery())
            // The clock stood still until they were packed.
            let end = TestHistory.start + 1
            #expect(answer["results"]?.array?.count == 10)
            #expect(answer["truncated_before"]?.integer.map(Int64.init) == end)
            #expect(try await history.json(sums) == before)
            // What is asked of later times is complete.
            let later = try HistoryQuery(
                .time(TestHistory.start + 2 * Self.day...TestHistory.start + 4 * Self.day)
            )
            #expect(try await history.json(later)["truncated_before"] == nil)
            // The samples of half a minute are gone, and with them what a part of a group would need.
            let half = try HistoryQuery.grouped(
                TestHistory.start - 30_000...TestHistory.start + 600_000,
                ["count:t"]
            )
            #expect(try await history.json(half)["truncated_before"] != nil)
            // Another thing never had any that are gone.
            history.record(
                TestHistory.seconds(1, from: TestHistory.start + 3 * Self.day),
                of: TestHistory.things[1]
            )
            #expect(
                try await history.json(try HistoryQuery(), of: TestHistory.things[1])["truncated_before"]
                    == nil
            )
        }
    }

    @Test func `old sums go, and the query says from when`() async throws {
        try await withHistory(interval: .quarterHour, Self.limits(raw: 1, group: 2)) { history in
            history.record(TestHistory.seconds(2000))
            await history.store.packNow()
            history.pass(2 * Self.day + 1_000_000)
            await history.store.flush()
            await history.store.packNow()
            history.record(TestHistory.seconds(2))
            await history.store.packNow()
            let query = try HistoryQuery.grouped(
                TestHistory.start...TestHistory.start + 3_599_999,
                ["count:t"]
            )
            let answer = try await history.json(query)
            let groups = answer["groupedResults"]?.array ?? []
            let start = GroupInterval.quarterHour.group(of: TestHistory.start + 1_000_000 - 1).upperBound
            #expect(answer["truncated_before"]?.integer.map(Int64.init) == start)
            #expect(groups.allSatisfy { ($0["range"]?["from"]?.integer ?? 0) >= Int(start) })
            #expect(groups.count == 1)
        }
    }

    @Test func `a group is told to be gone if its samples are and its sums lack the field`() async throws {
        try await withHistory(Self.limits(raw: 2)) { history in
            let state = JSONObject((100..<170).map { ("f\($0)", .number(1)) })
            let times = [TestHistory.start + 1000, TestHistory.start + 61_000]
            history.record(times.map { Sample(state, at: $0) })
            history.pass(120_000)
            await history.store.packNow()
            let minutes = TestHistory.start...TestHistory.start + 179_999
            let kept = try HistoryQuery.grouped(minutes, ["count:f100", "count:f163"])
            let cut = try HistoryQuery.grouped(minutes, ["count:f169"])
            let (keptBefore, cutBefore) = (try await history.json(kept), try await history.json(cut))
            #expect(keptBefore["groupedResults"]?.array?.count == 2)
            #expect(cutBefore["groupedResults"]?.array?.count == 2)
            #expect(cutBefore["truncated_before"] == nil)
            history.pass(3 * Self.day)
            history.record(TestHistory.seconds(1, from: TestHistory.start + 3 * Self.day))
            await history.store.packNow()
            #expect(try await history.json(kept) == keptBefore)
            let answer = try await history.json(cut)
            #expect(answer["groupedResults"] == [])
            #expect(answer["truncated_before"]?.integer.map(Int64.init) == TestHistory.start + 61_001)
        }
    }

    @Test func `over the limit the oldest go and the query says from when`() async throws {
        var random = SplitMix64(seed: 4)
        try await withHistory(Self.limits(megabytes: 1)) { history in
            for number in 0..<12 {
                let samples = TestHistory.seconds(100, from: TestHistory.start + Int64(number) * 100_000).map
                { sample in
                    var state = sample.state
                    // Hardly smaller when it is packed.
                    let words = (0..<150).map { _ in String(random.next(), radix: 36) }
                    state["noise"] = .string(words.joined())
                    return Sample(state, at: sample.at)
                }
                history.pass(100_000)
                history.record(samples)
                await history.store.packNow()
            }
            let answer = try await history.json(try HistoryQuery())
            let results = answer["results"]?.array ?? []
            let from = try #require(answer["truncated_before"]?.integer)
            let expected = history.list[TestHistory.things[0]]?.filter { $0.at >= from } ?? []
            #expect(!results.isEmpty && results.count < 1200)
            #expect(results == expected.map { HistoryAnswer.result($0.state, at: $0.at) })
            let size = try FileManager.default.attributesOfItem(atPath: history.path)[.size] as? Int
            #expect((size ?? .max) <= 1_400_000)
            // The sums are all there.
            let query = try HistoryQuery.grouped(
                TestHistory.start...TestHistory.start + 3_500_000,
                ["count:t"]
            )
            let counts = try await history.json(query)["groupedResults"]?.array?.compactMap {
                $0["aggregations"]?.array?.first?["value"]?.integer
            }
            #expect(counts?.reduce(0, +) == 1200)
        }
    }

    @Test func `a smaller limit counts at once`() async throws {
        try await withHistory { history in
            history.record(TestHistory.seconds(2000))
            await history.store.packNow()
            history.pass(2 * Self.day)
            await history.store.use(Self.limits(raw: 1))
            let answer = try await history.json(try HistoryQuery())
            #expect(answer["results"] == [])
        }
    }
}
