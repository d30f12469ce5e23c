import ArgumentParser
import Foundation
import Rules
import Things

/// Runs a simulation and writes its rows as they come; on a terminal it says how far it is.
struct SimulationWriter {
    private var simulation: RuleSimulation
    private let times: Range<Int64>
    /// Of the times that are written.
    private let zone: ZoneTable
    /// What is not written yet.
    private var text = RuleSimulation.header + "\n"
    private var progress: SimulationProgress

    /// Bytes that are collected before they are written.
    private static let enough = 65_536

    /// - Parameter times: Milliseconds since 1970 UTC.
    init(_ simulation: RuleSimulation, _ times: Range<Int64>, in zone: ZoneTable) {
        (self.simulation, self.times, self.zone) = (simulation, times, zone)
        progress = SimulationProgress(times)
    }

    /// - Throws: ``VerbError`` when the simulation cannot go on; what has fired before that is written.
    mutating func run(_ events: [SimulatedEvent]) throws {
        do {
            try add(try simulation.begin(from: times.lowerBound, until: times.upperBound, events))
            while let rows = try simulation.next() {
                try add(rows)
                progress.show(simulation.time)
            }
        } catch let refusal as Refusal {
            progress.remove()
            try write()
            throw VerbError(refusal.message, .dataError)
        }
        progress.remove()
        try write()
    }

    private mutating func add(_ rows: [RuleSimulation.Row]) throws(OutputError) {
        for row in rows { text += row.csv(in: zone) + "\n" }
        if text.utf8.count >= Self.enough { try write() }
    }

    private mutating func write() throws(OutputError) {
        let written = text
        text = ""
        try StandardOutput.write(written)
    }
}

/// How far a simulation is, for a person who waits for longer than a moment.
private struct SimulationProgress {
    private var bar: ProgressBar
    private let times: Range<Int64>
    /// Rows on the same terminal show it themselves, and a script wants no other lines.
    private let isWanted: Bool
    private var steps = 0
    private var next = ContinuousClock.now + .seconds(1)
    private var isShown = false

    private static let day: Int64 = 86_400_000

    init(_ times: Range<Int64>) {
        let environment = ProcessInfo.processInfo.environment
        self.times = times
        isWanted = Terminal.error.isCapable(environment: environment) && Terminal.output.columns == nil
        bar = ProgressBar.onStandardError("simulating days", environment: environment)
    }

    /// - Parameter time: Milliseconds since 1970 UTC.
    mutating func show(_ time: Int64) {
        guard isWanted else { return }
        steps += 1
        // Reading the clock costs more than most steps.
        guard steps % 64 == 0, ContinuousClock.now >= next else { return }
        next = ContinuousClock.now + .milliseconds(200)
        isShown = true
        let done = min(max(time, times.lowerBound), times.upperBound) - times.lowerBound
        let all = times.upperBound - times.lowerBound
        bar.show(done: Int(done / Self.day), of: Int((all + Self.day - 1) / Self.day))
    }

    func remove() {
        if isShown { StandardError.write(bar.removal) }
    }
}
