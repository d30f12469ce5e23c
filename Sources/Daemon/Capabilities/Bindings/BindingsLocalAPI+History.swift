import Bindings
import HTTPListener
import JSON
import Things

/// The history of things at `admin.sock`.
extension BindingsLocalAPI {
    /// A page of samples, or the groups of a range with how many samples each has.
    func history(
        _ request: LocalRequest,
        _ entry: BindingDirectory.Entry
    ) async throws(BindingsError) -> LocalResponse {
        guard let body = try? JSONValue(parsing: request.body) else {
            throw .refused(.badJSON, "the body must be a JSON object")
        }
        let asked: HistoryRequest
        do throws(Refusal) { asked = try HistoryRequest(body) } catch { throw .refused(error) }
        guard asked.isGrouped else {
            let query = try service.query(asked, of: entry)
            return .json(200, .object(try await service.answer(to: query, of: entry)))
        }
        let query = try service.query(asked.counting, of: entry)
        let rows = try await service.rows(of: query, of: entry).rows.map { row -> JSONValue in
            [
                "from": JSONValue(Int(row.range.lowerBound)), "to": JSONValue(Int(row.range.upperBound)),
                "count": JSONValue(row.count),
                "values": .array(Array(row.values.prefix(asked.aggregations.count))),
            ]
        }
        var answer: JSONObject = ["rows": .array(rows)]
        answer["truncated_before"] = try await service.answer(to: query, of: entry)["truncated_before"]
        return .json(200, .object(answer))
    }
}
