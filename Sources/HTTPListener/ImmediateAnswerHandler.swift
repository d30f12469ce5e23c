package import HTTPTypes
package import NIOCore
import NIOHTTPTypes

/// Answers some requests at once, on the connection's event loop.
package protocol ImmediateResponder: Sendable {
    /// The answer to a request without a body; `nil` when it takes longer, or is none of this responder's.
    func immediateAnswer(to request: HTTPRequest) -> ImmediateAnswer?
}

/// An answer that is ready to be written.
package struct ImmediateAnswer: Sendable {
    package let head: HTTPResponse
    package let body: ByteBuffer?

    package init(head: HTTPResponse, body: ByteBuffer?) { (self.head, self.body) = (head, body) }
}

/// Writes the answers of an ``ImmediateResponder``; the library, which runs a task for each request, gets the rest.
///
/// No request is answered before those that came earlier on its connection, and none while the peer does not take
/// the answers that it has.
final class ImmediateAnswerHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let responder: any ImmediateResponder
    private let policy: AccessPolicy
    /// A request that may be answered here when its end comes.
    private var candidate: HTTPRequest?
    /// Requests that the library has and has not answered.
    private var requestsInProgress = 0
    private var isFlushNeeded = false
    private var date = HTTPDate()

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
            passOn(context)
        case .end:
            if let head = candidate, let answer = answer(to: head, context) {
                candidate = nil
                write(answer, context)
                return
            }
            passOn(context)
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

    private func answer(to head: HTTPRequest, _ context: ChannelHandlerContext) -> ImmediateAnswer? {
        guard policy.refusal(of: head, on: context.channel) == nil else { return nil }
        return responder.immediateAnswer(to: head)
    }

    private func write(_ answer: ImmediateAnswer, _ context: ChannelHandlerContext) {
        var head = answer.head
        head.headerFields[.date] = date.text
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if let body = answer.body, body.readableBytes > 0 {
            context.write(wrapOutboundOut(.body(body)), promise: nil)
        }
        context.write(wrapOutboundOut(.end(nil)), promise: nil)
        isFlushNeeded = true
    }

    /// Lets the library have the candidate, of which it has seen nothing yet.
    private func passOn(_ context: ChannelHandlerContext) {
        guard let head = candidate else { return }
        candidate = nil
        requestsInProgress += 1
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }
}
