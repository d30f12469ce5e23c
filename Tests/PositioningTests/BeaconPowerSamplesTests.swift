import Positioning
import Testing

@Suite struct BeaconPowerSamplesTests {
    private func samples(_ levels: [Int]) -> BeaconPowerSamples {
        var samples = BeaconPowerSamples()
        for level in levels { samples.add(level) }
        return samples
    }

    private func problem(_ levels: [Int], at distance: Double = 1) -> String {
        switch samples(levels).measurement(at: distance, exponent: 2) {
        case .success(let measurement): "no problem: \(measurement)"
        case .failure(let problem): problem.description
        }
    }

    @Test func `the power at one metre is the trimmed mean`() throws {
        let levels =
            [-95, -90] + [Int](repeating: -60, count: 9) + [Int](repeating: -62, count: 9) + [-30, -35]
        let result = try samples(levels + [127, 0]).measurement(at: 1, exponent: 2).get()
        #expect(result.power == -61 && result.packets == 22 && result.spread <= 2)
    }

    @Test func `samples from another distance are converted to one metre`() throws {
        let levels = [Int](repeating: -72, count: 20)
        #expect(try samples(levels).measurement(at: 2, exponent: 2).get().power == -66)
        #expect(try samples(levels).measurement(at: 0.5, exponent: 2).get().power == -78)
    }

    @Test func `unusable samples are refused with the reason`() {
        #expect(problem([-60, -61]).contains("received only 2 packets"))
        #expect(problem((0..<30).map { -40 - $0 * 2 }).contains("varies by"))
        #expect(problem([Int](repeating: -15, count: 30)).contains("-15 dBm at one metre"))
        #expect(problem([Int](repeating: -109, count: 30)).contains("not plausible for a beacon"))
    }
}
