package import HTTPTypes
package import NIOCore
import NIOHTTPTypes

/// Answers some requests at once, on the connection's event loop.
package protocol ImmediateResponder: Sendable {
    /// The response to a request without a body; `nil` when it would take longer, or the path is not served here.
    /// - Parameter peer: The address of the client.
    func immediateResponse(to request: HTTPRequest, from peer: String?) -> ImmediateResponse?
}

/// A response that is ready to be written.
package struct ImmediateResponse: Sendable {
    package let head: HTTPResponse
    package let body: ByteBuffer?

    package init(head: HTTPResponse, body: ByteBuffer?) { (self.head, self.body) = (head, body) }
}

/// Writes the responses of an ``ImmediateResponder``; Hummingbird, which runs a task per request, handles the rest.
///
/// Responses keep the order of the requests of their connection. Nothing is answered here while the peer does not
/// read its responses.
final class ImmediateResponseHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let responder: any ImmediateResponder
    private let policy: AccessPolicy
    /// A request that may be answered here once it is complete.
    private var candidate: HTTPRequest?
    /// Requests that Hummingbird has not answered yet.
    private var requestsInProgress = 0
    private var isFlushNeeded = false
    private var date = HTTPDate()
    /// The address of the client, once it is known: the text of one costs as much as a small response.
    private var peer: String?

    init(_ responder: any ImmediateResponder, policy: AccessPolicy) {
        (self.responder, self.policy) = (responder, policy)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head) where isCandidate(head, context):
            candidate = head
            return
        case .head:
            requestsInProgress += 1
        case .body:
            forwardCandidate(context)
        case .end:
            if let head = candidate, let answer = answer(to: head, context) {
                candidate = nil
                write(answer, to: head.method, context)
                return
            }
            forwardCandidate(context)
        }
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if isFlushNeeded {
            isFlushNeeded = false
            context.flush()
        }
        context.fireChannelReadComplete()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) { requestsInProgress = max(0, requestsInProgress - 1) }
        context.write(data, promise: promise)
    }

    private func isCandidate(_ head: HTTPRequest, _ context: ChannelHandlerContext) -> Bool {
        guard head.method == .get || head.method == .head, requestsInProgress == 0, context.channel.isWritable
        else { return false }
        let fields = head.headerFields
        return fields[.contentLength] == nil && fields[.transferEncoding] == nil
            && fields[.connection].map { $0.lowercased() == "keep-alive" } ?? true
    }

    private func answer(to head: HTTPRequest, _ context: ChannelHandlerContext) -> ImmediateResponse? {
        guard policy.refusal(of: head, on: context.channel) == nil else { return nil }
        if peer == nil { peer = context.channel.remoteAddress?.ipAddress }
        return responder.immediateResponse(to: head, from: peer)
    }

    private func write(
        _ answer: ImmediateResponse,
        to method: HTTPRequest.Method,
        _ context: ChannelHandlerContext
    ) {
        var head = answer.head
        head.headerFields.append(HTTPField(name: .date, value: date.text))
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if let body = answer.body, body.readableBytes > 0, method != .head {
            context.write(wrapOutboundOut(.body(body)), promise: nil)
        }
        context.write(wrapOutboundOut(.end(nil)), promise: nil)
        isFlushNeeded = true
    }

    /// Forwards the head of the candidate to Hummingbird.
    private func forwardCandidate(_ context: ChannelHandlerContext) {
        guard let head = candidate else { return }
        candidate = nil
        requestsInProgress += 1
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }
}
