package import Positioning

/// How far a calibration has come: a map of the directions that is redrawn on a terminal, a line each tenth elsewhere.
package struct CoverageView: Sendable {
    /// What is to be seen.
    package struct Progress: Sendable, Hashable {
        /// By band, from straight down, and by cell around it; empty for a turn on the spot.
        package var seen: [[Bool]]
        /// The part of all directions.
        package var coverage: Double
        package var samples: Int

        package init(_ samples: CalibrationSamples, isFlat: Bool) {
            seen =
                isFlat
                ? []
                : (0..<CalibrationSamples.bands).map { band in
                    (0..<CalibrationSamples.cells).map { samples.isCovered(band: band, cell: $0) }
                }
            coverage = isFlat ? samples.flatCoverage : samples.coverage
            self.samples = samples.count
        }
    }

    private let isTerminal: Bool
    private var last: Progress?
    private var lines = 0
    private var lastTenth = -1

    /// - Parameter isTerminal: Whether the reader understands cursor movements.
    package init(isTerminal: Bool) { self.isTerminal = isTerminal }

    /// What to write now; `nil` when nothing new is to be seen.
    package mutating func update(_ progress: Progress) -> String? {
        guard progress != last else { return nil }
        last = progress
        let percent = Int((progress.coverage * 100).rounded())
        let words = "coverage \(percent) %, \(progress.samples) samples"
        guard isTerminal else {
            let tenth = Int(progress.coverage * 10)
            guard tenth > lastTenth else { return nil }
            lastTenth = tenth
            return words + "\n"
        }
        let map = progress.seen.reversed().map { band in
            "  " + band.map { $0 ? "# " : "· " }.joined()
        }
        let up = lines > 0 ? "\u{1B}[\(lines)A" : ""
        let text = (map + [words]).map { $0 + "\u{1B}[K\n" }.joined()
        lines = map.count + 1
        return up + text
    }
}
