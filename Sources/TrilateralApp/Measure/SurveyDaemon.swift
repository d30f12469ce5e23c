import Administration
import ArgumentParser
import JSON
import People

/// The daemon of a state folder, which keeps the survey.
struct SurveyDaemon: Sendable {
    /// The state folder.
    let folder: String

    /// Longer than any point is measured, seconds.
    private static let patience = 90

    /// - Parameter path: The words below `/api/survey`.
    /// - Throws: ``VerbError``, also if it refuses.
    func ask(
        _ method: AccountsRequest.Method,
        _ path: [String] = [],
        query: [String: String] = [:],
        body: JSONObject? = nil
    ) async throws(VerbError) -> JSONValue {
        let answer: (status: Int, body: [UInt8])
        do throws(AdministrationClient.Failure) {
            answer = try await AdministrationClient(folder: folder).send(
                method,
                ["survey"] + path,
                query: query,
                body: method == .get ? nil : body.map { JSONValue.object($0).bytes } ?? [],
                seconds: Self.patience
            )
        } catch {
            switch error {
            case .absent:
                throw VerbError(
                    "no daemon runs with the state folder \(folder): start it, or name another folder with --state",
                    .unavailable
                )
            case .notAllowed:
                throw VerbError(
                    "\(folder) belongs to another user: use sudo, or the user of the daemon",
                    .noPermission
                )
            case .broken(let reason):
                throw VerbError("the daemon of \(folder) fails: \(reason)", .unavailable)
            }
        }
        let parsed = try? JSONValue(parsing: answer.body)
        guard let json = answer.body.isEmpty ? .null : parsed else {
            throw VerbError("the daemon of \(folder) answers no JSON", .unavailable)
        }
        guard (200..<300).contains(answer.status) else {
            let message = json["message"]?.string ?? "the daemon refuses this (\(answer.status))"
            throw VerbError(message, Self.code(answer.status))
        }
        return json
    }

    private static func code(_ status: Int) -> ExitCode {
        switch status {
        case 404: .noInput
        case 429: .temporary
        case 500...: .ioError
        default: .dataError
        }
    }
}
