package import Bindings
package import JSON
package import People
import Threading

/// Queries take turns: while one is worked on, others come between, and so do samples that are to be stored.
extension HistoryStore {
    /// The answer to a query about a thing.
    ///
    /// It is about the samples that were recorded before, whatever comes while it is worked on.
    /// - Parameter empty: Made for the query and the thing's interval.
    package func json(_ empty: HistoryAnswer, of thing: BindingID) async throws(HistoryError) -> JSONObject {
        let reading = try await complete(empty, of: thing, findingSamples: true)
        let truncated: Int64?
        do throws(HistoryError) {
            truncated = try reading.file.truncation(of: reading.answer, of: thing)
        } catch {
            fail(error)
            throw error
        }
        let found = reading.found
        return reading.answer.json(truncatedBefore: truncated) { at, field, value in
            found[WantedSample(at: at, field: field, value: value)]
        }
    }

    /// The answer to a query about a thing, for tables.
    package func filled(
        _ empty: HistoryAnswer,
        of thing: BindingID
    ) async throws(HistoryError) -> HistoryAnswer {
        try await complete(empty, of: thing, findingSamples: false).answer
    }

    private func complete(
        _ empty: HistoryAnswer,
        of thing: BindingID,
        findingSamples: Bool
    ) async throws(HistoryError) -> HistoryReading {
        storeWaiting()
        guard let file = openFile() else { throw HistoryError.closed(path: path) }
        // Without them it would look as if nothing had been reported.
        if hasFailed, let times = empty.query.samples, waiting.withLock({ $0.has(thing, in: times) }) {
            throw HistoryError.unstored(path: path)
        }
        line.open += 1
        defer { endQuery() }
        do throws(HistoryError) {
            var reading = try HistoryReading(empty, of: thing, in: file, findingSamples: findingSamples)
            while try !reading.work(ReadingTurn(line.limits)) {
                await waitForTurn()
                // It was closed, or was damaged and is another one.
                guard self.file === file else { throw HistoryError.closed(path: path) }
            }
            return reading
        } catch {
            if self.file === file { fail(error) }
            throw error
        }
    }

    private func endQuery() {
        line.open -= 1
        // What was unpacked is not needed soon.
        if line.open == 0 { file?.cache = PackedCache() }
    }

    // MARK: Turns

    private func waitForTurn() async {
        if let between = line.between { await between() }
        await withCheckedContinuation { (turn: CheckedContinuation<Void, Never>) in
            line.waiting.append(turn)
            if line.waiting.count == 1 { perform { $0.callNext() } }
        }
    }

    /// Gives the next turn to the query that has waited for the longest time.
    ///
    /// A query that comes has its first turn as soon as the present one is over.
    private func callNext() {
        guard !line.waiting.isEmpty else { return }
        line.waiting.removeFirst().resume()
        // After that turn, and after all that came meanwhile.
        if !line.waiting.isEmpty { perform { $0.callNext() } }
    }

    /// Works on queries in turns of another length, and awaits something after each turn; for tests.
    func useTurns(_ limits: ReadingTurn.Limits, between: (@Sendable () async -> Void)? = nil) {
        line.limits = limits
        line.between = between
    }
}

/// The queries that a history is working on.
struct QueryLine {
    /// How many there are.
    var open = 0
    /// Those that wait for their next turn, in order.
    var waiting: [CheckedContinuation<Void, Never>] = []
    var limits = ReadingTurn.Limits()
    /// Awaited after each turn.
    var between: (@Sendable () async -> Void)?
}
