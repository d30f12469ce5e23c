import Messages
import Testing

struct LatencyHistogramTests {
    @Test func `quantiles are within a tenth of the truth`() throws {
        var histogram = LatencyHistogram()
        for index in 1...1000 { histogram.record(Double(index) / 1000) }
        let median = try #require(histogram.quantile(0.5))
        let most = try #require(histogram.quantile(0.99))
        #expect(abs(median / 0.5 - 1) < 0.1 && abs(most / 0.99 - 1) < 0.1 && histogram.count == 1000)
    }

    @Test func `nothing is told before the first`() {
        #expect(LatencyHistogram().quantile(0.5) == nil)
    }

    @Test(arguments: [-1, 0, Double.nan, -Double.infinity])
    func `what is no duration counts as none`(_ seconds: Double) throws {
        var histogram = LatencyHistogram()
        histogram.record(seconds)
        #expect(try #require(histogram.quantile(0.5)) < 2e-5)
    }

    @Test func `what is longer than all counts as the longest`() throws {
        var histogram = LatencyHistogram()
        histogram.record(.infinity)
        histogram.record(1e300)
        #expect(try #require(histogram.quantile(0.5)) > 100)
    }

    @Test func `what was long ago is forgotten by and by`() throws {
        var histogram = LatencyHistogram()
        for _ in 0..<10_000 { histogram.record(1) }
        for _ in 0..<50_000 { histogram.record(0.001) }
        #expect(try #require(histogram.quantile(0.99)) < 0.0015)
        #expect(histogram.count == 60_000)
    }

    @Test func `buckets count everything since the start`() throws {
        var histogram = LatencyHistogram()
        for _ in 0..<10_000 { histogram.record(1) }
        for _ in 0..<50_000 { histogram.record(0.001) }
        histogram.record(.infinity)
        let buckets = histogram.buckets
        #expect(zip(buckets, buckets.dropFirst()).allSatisfy { $0.limit < $1.limit && $0.count <= $1.count })
        #expect(buckets.first?.count == 0)
        #expect(try #require(buckets.last { $0.limit < 1 }).count == 50_000)
        #expect(buckets.last?.count == 60_000)
        #expect(abs(histogram.sum - 10_050) < 0.001)
    }
}
