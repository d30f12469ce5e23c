import Bindings
import GRDB
import JSON
import People

/// A query that is being answered, in as many turns as it takes.
///
/// The answer is about the samples that were stored when it began. Sums are read then; samples are read turn by turn, as
/// they were. Samples that are removed meanwhile as too old or too much may be missing, and of a thing that is removed
/// meanwhile nothing is told.
struct HistoryReading {
    let thing: BindingID
    let file: HistoryFile
    private(set) var answer: HistoryAnswer
    private let empty: HistoryAnswer
    /// `nil` for a thing without a history.
    private let view: SampleView?
    /// Whether samples are found that belong to least and greatest values.
    private let findsSamples: Bool
    /// The times whose samples are not read yet.
    private var ranges: ArraySlice<ClosedRange<Int64>> = []
    private var reader: SampleReader?
    private var finder: SampleFinder?

    /// Begins an answer, with sums where they will do.
    ///
    /// - Parameter empty: Made for the query and the thing's interval.
    init(
        _ empty: HistoryAnswer,
        of id: BindingID,
        in file: HistoryFile,
        findingSamples findsSamples: Bool
    ) throws(HistoryError) {
        (self.thing, self.file, self.empty, self.findsSamples) = (id, file, empty, findsSamples)
        guard let thing = file.things[id], thing.interval == empty.interval else {
            (answer, view) = (empty, nil)
            return
        }
        view = file.view(of: thing.number)
        var filled = empty
        var ranges: [ClosedRange<Int64>] = []
        if let cover = empty.query.cover(thing.interval) {
            ranges = cover.partial
            if let whole = cover.whole { ranges += try file.addSums(of: whole, thing, to: &filled) }
        } else if let range = empty.query.samples {
            ranges = [range]
        }
        answer = filled
        self.ranges = ranges[...]
    }

    /// The samples that belong to least and greatest values, unless they are gone.
    var found: [WantedSample: JSONObject] { finder?.found ?? [:] }

    /// Works on the answer for a turn.
    ///
    /// - Returns: Whether it is complete.
    mutating func work(_ turn: ReadingTurn) throws(HistoryError) -> Bool {
        guard let view, file.things[thing]?.number == view.number else {
            (answer, finder) = (empty, nil)
            return true
        }
        let file = file
        var turn = turn
        return try file.read { database in
            try self.work(SampleSource(view: view, file: file, database: database), &turn)
        }
    }

    private mutating func work(_ source: SampleSource, _ turn: inout ReadingTurn) throws -> Bool {
        while true {
            if reader == nil {
                guard let range = ranges.popFirst() else { break }
                reader = try SampleReader(range, for: answer.query, source)
            }
            guard try reader?.read(source, &turn, to: &answer) ?? true else { return false }
            reader = nil
        }
        let functions = answer.query.aggregations.map(\.function)
        guard findsSamples, functions.contains(.max) || functions.contains(.min) else { return true }
        do {
            if finder == nil {
                let wanted = answer.extremes.map {
                    WantedSample(at: $0.at, field: $0.field, value: $0.value)
                }
                guard !wanted.isEmpty else { return true }
                finder = try SampleFinder(Set(wanted), source)
            }
            return try finder?.look(source, &turn) ?? true
        } catch {
            // The figures are there all the same.
            return true
        }
    }
}
