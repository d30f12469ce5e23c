import Flare
import Foundation
import Positioning
import Testing

/// Accuracy of positions: on recorded walks against the reference, and everywhere against recorded figures.
///
/// `TRILATERAL_RECORD=1` rewrites the figures; review the difference.
@Suite struct AccuracyTests {
    private static let seeds = UInt64(101)...104
    private static let simulated = "simulated office"
    private static let isRecording = ProcessInfo.processInfo.environment["TRILATERAL_RECORD"] == "1"

    /// How many points of the survey are used; more than there are, so all, in the last.
    private static let surveys = [0, 10, 999]
    private static let ratios = [
        Score.Figures(0.603, 0.451, 0.424), Score.Figures(0.485, 0.396, 0.442),
        Score.Figures(0.480, 0.390, 0.412),
    ]

    private static func recorded(
        _ group: RecordedSets.Group,
        points: Int = 0,
        _ change: ((Int, Double) -> Int)? = nil
    ) throws -> Score {
        try #require(RecordedSets.found, "TRILATERAL_POSITIONING_DATA names no recorded walks")
            .score(group, points: points, change)
    }

    /// The geometric mean over the groups of an error, as a ratio to the original's centroid.
    private static func ratio(
        _ figure: KeyPath<Score.Figures, Double>,
        _ figures: [Score.Figures]
    ) -> Double {
        let logs = zip(RecordedSets.groups, figures).map {
            log($1[keyPath: figure] / $0.centroid[keyPath: figure])
        }
        return exp(logs.reduce(0, +) / Double(logs.count))
    }

    /// Four walks through the simulated office, estimated with the grid and with the centroid.
    private static let offices: (grid: Score, mean: Score) = {
        let office = SimulatedOffice()
        var (grid, mean) = (Score(), Score())
        for seed in seeds {
            let route = office.route(seed: seed)
            let heard = office.sightings(route, seed: seed)
            grid += office.score(heard, on: route, GridEstimator(map: office.map))
            mean += office.score(heard, on: route, CentroidEstimator(map: office.map))
        }
        return (grid, mean)
    }()

    @Test(.enabled(if: RecordedSets.areExpected), arguments: RecordedSets.groups)
    func `recorded walks are estimated as accurately as by the reference`(group: RecordedSets.Group) throws {
        let score = try Self.recorded(group)
        #expect(score.errors.count >= 200)
        #expect((0.5...0.92).contains(score.share(within: 1)))
        #expect(score.share(within: 2) >= 0.94)
        guard !Self.isRecording else { return }
        try Self.expectNoWorse(group.name, score.figures)
    }

    @Test(.enabled(if: RecordedSets.areExpected), arguments: [0, 1, 2])
    func `no survey, ten points and all points give the errors of the reference`(_ number: Int) throws {
        var figures: [Score.Figures] = []
        for group in RecordedSets.groups {
            let score = try Self.recorded(group, points: Self.surveys[number])
            let reference = group.reference[number]
            figures.append(score.figures)
            let text = score.figures.all.map { String(format: "%.2f", $0) }.joined(separator: " / ")
            print("\(group), \(Self.surveys[number]) points: \(text) m")
            for (own, reference) in zip(score.figures.all, reference.all) {
                #expect(own <= reference * 1.03, "\(group): \(score.figures)")
            }
            #expect((0.5...0.92).contains(score.share(within: 1)), "\(group)")
            #expect(score.share(within: 2) >= 0.9, "\(group)")
        }
        let ratios = [\Score.Figures.median, \.of75, \.of95].map { Self.ratio($0, figures) }
        print("ratio to the centroid: \(ratios.map { String(format: "%.3f", $0) }.joined(separator: " "))")
        for (own, reference) in zip(ratios, Self.ratios[number].all) { #expect(own <= reference * 1.03) }
    }

    @Test(
        .enabled(if: RecordedSets.areExpected),
        arguments: [
            (0, 15.0, 0.0, 0.60), (10, 15, 0, 0.50), (0, 8, 0.5, 0.62), (10, 8, 0.5, 0.50),
        ]
    )
    func `a deaf receiver, or one that becomes so half-way, costs little`(
        _ points: Int,
        _ loss: Double,
        _ from: Double,
        _ most: Double
    ) throws {
        let figures = try RecordedSets.groups.map { group in
            try Self.recorded(group, points: points) { rssi, part in part >= from ? rssi - Int(loss) : rssi }
                .figures
        }
        #expect(Self.ratio(\.median, figures) <= most)
    }

    @Test func `the grid estimates walks through an office better than the centroid`() throws {
        let (grid, mean) = Self.offices
        for (own, other) in zip(grid.figures.all, mean.figures.all) {
            #expect(own < 0.95 * other, "\(grid.figures) against \(mean.figures)")
        }
        #expect((0.5...0.92).contains(grid.share(within: 1)))
        #expect(grid.share(within: 2) >= 0.93)
        guard !Self.isRecording else { return }
        try Self.expectNoWorse(Self.simulated, grid.figures)
    }

    @Test(.enabled(if: isRecording)) func `the figures are recorded`() throws {
        var lines = ["set,median_m,p75_m,p95_m"]
        let scores = try RecordedSets.groups.map { ($0.name, try Self.recorded($0).figures) }
        for (name, figures) in scores + [(Self.simulated, Self.offices.grid.figures)] {
            let numbers = figures.all.map { "\(($0 * 1000).rounded() / 1000)" }
            lines.append(([name] + numbers).joined(separator: ","))
        }
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Walks/accuracy.csv")
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: file)
    }

    /// No figure may be more than 3 % above the recorded one.
    private static func expectNoWorse(_ name: String, _ figures: Score.Figures) throws {
        let line = try #require(
            Walks.text("accuracy.csv").split(separator: "\n").first { $0.hasPrefix("\(name),") },
            "accuracy.csv has no \(name)"
        )
        let before = line.split(separator: ",").compactMap { Double($0) }
        try #require(before.count == 3)
        for (now, before) in zip(figures.all, before) {
            #expect(now <= before * 1.03, "\(name): \(figures), and it was \(line)")
        }
    }
}

/// Files beside these tests.
enum Walks {
    static func bytes(_ name: String) throws -> [UInt8] {
        try Array(Data(contentsOf: Bundle.module.bundleURL.appending(path: "Walks/\(name)")))
    }

    static func text(_ name: String) throws -> String { String(decoding: try bytes(name), as: UTF8.self) }
}
