import Bindings
import JSON
import Testing
import Things

/// What pages and verbs ask of a history.
struct HistoryRequestTests {
    private static let now: Int64 = 1_760_000_430_000

    private func request(_ parameters: KeyValuePairs<String, String>) throws -> HistoryRequest {
        try HistoryRequest(parameters: parameters.map { ($0.key, $0.value) })
    }

    @Test func `times are milliseconds, dates or times with an offset`() throws {
        let request = try request(["from": "1760000000000", "to": "2025-10-09T09:53:20+01:00"])
        #expect(request.from == 1_760_000_000_000 && request.to == 1_760_000_000_000)
        #expect(try self.request(["from": "1970-01-02"]).from == 86_400_000)
    }

    @Test(arguments: [
        ["from": "yesterday"], ["to": "9000000000000000000"], ["group": "2"], ["agg": "mean"],
        ["agg": "mean:t"], ["paginationKey": "x"], ["form": "1"],
    ])
    func `what is not legal is refused, by its name`(parameters: [String: String]) throws {
        let refusal = #expect(throws: Refusal.self) {
            _ = try HistoryRequest(parameters: parameters.map { ($0.key, $0.value) })
        }
        #expect(refusal?.field == parameters.keys.first)
    }

    @Test func `without times it is about the last day, or the last groups`() throws {
        let day = try request([:]).query(of: .minute, at: Self.now)
        #expect(day.times == Self.now - 86_400_000...Self.now && !day.isGrouped)
        for interval in GroupInterval.allCases {
            let groups = try request(["group": "1"]).query(of: interval, at: Self.now)
            #expect(throws: Never.self) { try groups.check(with: interval) }
            let first = try #require(groups.times).lowerBound
            #expect(first == interval.start(of: Self.now) - 58 * interval.milliseconds)
        }
    }

    @Test func `a range that ends before it begins is refused`() throws {
        let request = try request(["from": "2", "to": "1"])
        #expect(throws: Refusal.self) { try request.query(of: .minute, at: Self.now) }
        // From a moment that is to come on there is nothing, which is no error.
        let later = try self.request(["from": "\(Self.now + 5)"])
        #expect(try later.query(of: .minute, at: Self.now).times == Self.now + 5...Self.now + 5)
    }

    @Test func `several figures are asked for, and groups are counted without any`() throws {
        let request = try request(["group": "1", "agg": "mean:t", "agg": "max:t"])
        #expect(request.aggregations.map(\.name) == ["mean_t", "max_t"])
        #expect(request.counting == request)
        #expect(try self.request(["group": "1"]).counting.aggregations.count == 1)
    }
}
