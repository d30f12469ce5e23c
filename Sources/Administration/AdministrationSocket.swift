package import Foundation
package import HTTPListener
import JSON
package import Logging
import OperatingSystem
package import People

/// The socket of the verbs that administer users, models and what capabilities add.
///
/// A process that can open it may do everything.
package enum AdministrationSocket {
    package static let name = "admin.sock"
    /// The socket of `trilateral serve`, which has models but no users, and may use the folder of a daemon.
    package static let nameOfServer = "serve.sock"
    /// As the log calls it.
    package static let interface = "command line"

    /// Answers a request.
    ///
    /// - Parameters:
    ///   - answers: Asked in this order; the first response counts.
    ///   - handler: Answers what they do not.
    package static func answer(
        _ request: LocalRequest,
        _ answers: [LocalAnswer],
        handler: AccountsHandler
    ) async -> LocalResponse {
        for answer in answers {
            if let response = await answer(request) { return response }
        }
        guard let method = AccountsRequest.Method(rawValue: request.method), request.path.first == "api"
        else {
            return LocalResponse(.refusal(404, "unknown", "nothing answers \(request.method) here"))
        }
        var body: JSONValue?
        if !request.body.isEmpty {
            guard let json = try? JSONValue(parsing: request.body) else {
                return LocalResponse(.refusal(400, "invalid_value", "the body is not JSON"))
            }
            body = json
        }
        return LocalResponse(
            await handler(
                AccountsRequest(
                    method,
                    Array(request.path.dropFirst()),
                    query: request.query,
                    body: body,
                    caller: .nobody,
                    interface: interface,
                    systemUser: request.user.map(SystemUser.name(of:))
                )
            )
        )
    }
}

extension LocalSocketService {
    /// The socket of the verbs that administer users, models and what capabilities add.
    ///
    /// - Parameters:
    ///   - folder: The state folder.
    ///   - answers: Those that are asked before the accounts; called for each request.
    package init(
        administrationIn folder: URL,
        bodyLimits: [String: Int],
        logger: Logger,
        answers: @escaping @Sendable () -> [LocalAnswer],
        handler: @escaping AccountsHandler
    ) {
        self.init(
            path: folder.appending(path: AdministrationSocket.name).path(percentEncoded: false),
            bodyLimits: bodyLimits,
            logger: logger
        ) { request in
            await AdministrationSocket.answer(request, answers(), handler: handler)
        }
    }
}

extension LocalResponse {
    fileprivate init(_ response: AccountsResponse) {
        self.init(response.status, response.body?.bytes ?? [], retryAfter: response.retryAfter)
    }
}
