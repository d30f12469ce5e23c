import Positioning
import Testing
import TrilateralApp

struct CoverageViewTests {
    /// Directions in the upper half.
    private func samples(_ count: Int) -> CalibrationSamples {
        var generator = SeededGenerator(seed: 3)
        var samples = CalibrationSamples()
        for _ in 0..<count {
            let any = Vector3(
                generator.normal(deviation: 1),
                generator.normal(deviation: 1),
                generator.normal(deviation: 1)
            )
            if let direction = any.direction { _ = samples.add(45 * direction) }
        }
        return samples
    }

    @Test func `coverage is a line each tenth when piped`() {
        var view = CoverageView(isTerminal: false)
        #expect(view.update(.init(CalibrationSamples(), isFlat: false)) == "coverage 0 %, 0 samples\n")
        #expect(view.update(.init(CalibrationSamples(), isFlat: false)) == nil)
        let lines = (0..<60).compactMap { view.update(.init(samples($0 * 10), isFlat: false)) }
        #expect((5...10).contains(lines.count))
        #expect(lines.allSatisfy { $0.hasPrefix("coverage ") && $0.hasSuffix(" samples\n") })
    }

    @Test func `coverage is a map that is redrawn on a terminal`() throws {
        var view = CoverageView(isTerminal: true)
        let emptyText = view.update(.init(CalibrationSamples(), isFlat: false))
        let empty = try #require(emptyText)
        #expect(empty.split(separator: "\n").count == 7 && !empty.contains("#"))
        let seen = samples(300)
        let fullText = view.update(.init(seen, isFlat: false))
        let full = try #require(fullText)
        #expect(full.hasPrefix("\u{1B}[7A"))
        #expect(full.count { $0 == "#" } == Int((seen.coverage * 72).rounded()))
        var flat = CoverageView(isTerminal: true)
        let lineText = flat.update(.init(seen, isFlat: true))
        let line = try #require(lineText)
        #expect(line == "coverage 0 %, \(seen.count) samples\u{1B}[K\n", "a ball is no circle")
    }
}
