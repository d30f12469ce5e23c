package import Bindings
package import Flare
import History
package import JSON
import Logging
package import People
import Things

/// What is asked of the history of things.
///
/// - Source: contrib/contract/bindings.md, "Queries".
extension BindingService {
    /// The history of a thing of the place, for who may read that thing.
    ///
    /// - Parameter caller: `nil` if nobody is identified.
    package nonisolated func history(
        _ request: HistoryRequest,
        ofThing thing: FlareID,
        for caller: Caller?
    ) async -> Result<JSONObject, BindingsError> {
        do throws(BindingsError) {
            guard let entry = directory.entry(ofThing: thing) else {
                throw .historyNotAvailable("the thing has no history, because it was not onboarded")
            }
            let query = try query(request, of: entry)
            return .success(try await answer(to: query, of: entry, for: .user(caller ?? .nobody)))
        } catch {
            return .failure(error)
        }
    }

    /// The query that a request means for a thing.
    nonisolated func query(
        _ request: HistoryRequest,
        of entry: BindingDirectory.Entry
    ) throws(BindingsError) -> HistoryQuery {
        let interval = try entry.history.get()
        do throws(Refusal) {
            return try request.query(of: interval, at: now)
        } catch {
            throw .refused(error)
        }
    }

    /// - Parameter caller: Who may not have many of them wait; `nil` for the command line, which asks for one at a time.
    nonisolated func answer(
        to query: HistoryQuery,
        of entry: BindingDirectory.Entry,
        for caller: BindingCaller? = nil
    ) async throws(BindingsError) -> JSONObject {
        let empty = try emptyAnswer(to: query, of: entry)
        if let caller, !queries.begin(by: caller) { throw Self.tooManyQueries }
        defer { if let caller { queries.end(by: caller) } }
        return try await asked { history throws(HistoryError) in
            try await history.json(empty, of: entry.id)
        }
    }

    /// The groups of an answer with their figures, for tables.
    nonisolated func rows(
        of query: HistoryQuery,
        of entry: BindingDirectory.Entry
    ) async throws(BindingsError) -> HistoryAnswer {
        let empty = try emptyAnswer(to: query, of: entry)
        return try await asked { history throws(HistoryError) in
            try await history.filled(empty, of: entry.id)
        }
    }

    private nonisolated func emptyAnswer(
        to query: HistoryQuery,
        of entry: BindingDirectory.Entry
    ) throws(BindingsError) -> HistoryAnswer {
        let interval = try entry.history.get()
        do throws(Refusal) {
            return try HistoryAnswer(to: query, of: interval)
        } catch {
            throw .refused(error)
        }
    }

    private nonisolated func asked<Found: Sendable>(
        _ work: (HistoryStore) async throws(HistoryError) -> Found
    ) async throws(BindingsError) -> Found {
        guard let history = records.history else { throw Self.unreadable }
        do throws(HistoryError) {
            return try await work(history)
        } catch {
            logger.warning("the history cannot be read", metadata: ["error": "\(error)"])
            throw Self.unreadable
        }
    }

    private static let tooManyQueries = BindingsError.refused(
        .rateLimited,
        "too many queries of histories wait, \(OpenQueries.mostOfCaller) of one caller and \(OpenQueries.most) of all are"
            + " possible; ask again when one is answered"
    )

    private static let unreadable = BindingsError.refused(
        .serverUnreachable,
        "the history cannot be read now; the alert 'history' says why"
    )

    /// Removes the history of a binding that is gone.
    nonisolated func removeHistory(of id: BindingID) async {
        records.states.remove(id)
        guard let history = records.history else { return }
        do throws(HistoryError) {
            try await history.remove(id)
        } catch {
            logger.warning(
                "the history of a thing that was forgotten stays until it is too old",
                metadata: ["thing": "\(id)", "error": "\(error)"]
            )
        }
    }
}
