import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
package import NIOCore
import NIOHTTP1

/// The context of a request: its connection.
package struct ChannelContext: Sendable {
    package let channel: any Channel
}

/// Checks every request before the application: names, then size.
struct GuardedResponder<Inner: HTTPResponder> where Inner.Context == ChannelContext {
    let inner: Inner
    let policy: AccessPolicy
    let configuration: HTTPListenerConfiguration

    private func response(to request: Request, on channel: any Channel) async throws -> Response {
        let head = request.head
        if let refusal = policy.refusal(of: head, on: channel) {
            return refusal.response(to: head, format(of: head))
        }
        let length = head.headerFields[.contentLength].map { Int($0) ?? .max } ?? 0
        let limit = configuration.maximumBodyBytes(of: head.path ?? "")
        guard length <= limit else {
            return RequestError.bodyTooLarge("\(length)", limit: limit).response(to: head, format(of: head))
        }
        do {
            let response = try await inner.respond(to: request, context: ChannelContext(channel: channel))
            // A router's errors consist only of a status.
            let lacksBody = response.status.code >= 400 && response.body.contentLength == 0
            guard lacksBody, head.method != .head else { return response }
            return RequestError(response.status, for: head).response(to: head, format(of: head))
        } catch let error as NIOTooManyBytesError {
            let limit = error.maxBytes ?? limit
            return RequestError.bodyTooLarge("more than \(limit)", limit: limit).response(
                to: head,
                format(of: head)
            )
        }
    }

    private func format(of head: HTTPRequest) -> ErrorFormat { configuration.errorFormat(of: head.path) }

    /// Answers a request, whatever happens, and writes the response with its date.
    /// - Throws: When the request is no HTTP, or nobody reads the response.
    @concurrent func respond(
        to request: Request,
        _ channel: any Channel,
        _ logger: Logger,
        _ writer: consuming ResponseWriter
    ) async throws {
        var response: Response
        do {
            response = try await self.response(to: request, on: channel)
        } catch let error as HTTPParserError {
            throw error
        } catch {
            logger.debug("a request failed", metadata: ["error": "\(error)"])
            response = RequestError.failed.response(to: request.head, format(of: request.head))
        }
        response.headers[.date] = HTTPDate.text(of: HTTPDate.now())
        // Whatever answered: a client would read a body as the beginning of the next response (RFC 9110, 9.3.2).
        if request.head.method == .head { response = response.createHeadResponse() }
        do {
            try await writer.write(response: response.head, body: response.body)
        } catch is HTTPParserError {
            // As itself, it would be answered with a second response.
            throw BrokenRequest()
        }
    }

    /// The request turned out to be broken when its response had begun.
    private struct BrokenRequest: Error {}
}

extension AccessPolicy {
    /// Why a request is not served, for the names in its head; `nil` when they are in order.
    func refusal(of head: HTTPRequest, on channel: any Channel) -> RequestError? {
        guard head.headerFields[.secondHost] == nil else {
            return RequestError(.badRequest, "bad_request", "more than one Host header")
        }
        guard head.authority != "" else {
            return RequestError(
                .badRequest,
                "bad_request",
                "the Host header is missing; HTTP/1.1 requires one"
            )
        }
        return refusal(
            host: head.authority,
            origin: head.headerFields[.origin],
            connectedTo: channel.localAddress?.ipAddress
        )
    }
}

extension HTTPField.Name {
    /// A Host header that is not the first: the first became the request's authority.
    fileprivate static let secondHost = HTTPField.Name("Host") ?? .origin
}
