import NIOCore
import NIOHTTP1

/// A request, and what of an answer is taken.
struct HTTPClientRequest: Sendable {
    var method: HTTPMethod
    /// Path and query.
    var target: String
    var contentType: String?
    var body: [UInt8] = []
    /// `nil` where an answer may take as long as it likes.
    var milliseconds: Int?
    var maximumAnswerBytes: Int

    /// Whether it does no harm when it arrives twice.
    var isRepeatable: Bool { method == .GET || method == .PUT }
}

/// What a connection is given to carry out.
struct HTTPExchange: Sendable {
    let question: HTTPClientRequest
    let headers: [FlareClientConfiguration.Header]
    let promise: EventLoopPromise<HTTPClientResponse>
}

struct HTTPClientResponse: Sendable {
    var status: Int
    var contentType = ""
    var location: String?
    var keepsAlive = false
    var body: [UInt8] = []
}

enum HTTPClientError: Error, Sendable, Hashable, CustomStringConvertible {
    /// - Parameter hasBegun: Whether a part of the answer had come.
    case connectionClosed(hasBegun: Bool)
    case timedOut(seconds: Double)
    case tooLarge(limit: Int)
    case broken(String)

    var description: String {
        switch self {
        case .connectionClosed(let hasBegun):
            "the server closed the connection "
                + (hasBegun ? "in the midst of its answer" : "without an answer")
        case .timedOut(let seconds): "no answer within \(seconds) s"
        case .tooLarge(let limit): "the answer has more than \(limit) bytes"
        case .broken(let what): "the server does not speak HTTP: \(what)"
        }
    }
}

/// One connection's exchanges, one after the other.
final class HTTPExchangeHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundIn = HTTPExchange
    typealias OutboundOut = HTTPClientRequestPart

    private let authority: String
    private var exchange: HTTPExchange?
    private var answer: HTTPClientResponse?
    private var timeout: Scheduled<Void>?

    init(authority: String) { self.authority = authority }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let next = unwrapOutboundIn(data)
        guard exchange == nil else {
            next.promise.fail(HTTPClientError.connectionClosed(hasBegun: false))
            promise?.succeed()
            return
        }
        exchange = next
        let question = next.question
        if let milliseconds = question.milliseconds {
            let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
            let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
            timeout = context.eventLoop.scheduleTask(in: .milliseconds(Int64(milliseconds))) {
                handler.value.fail(.timedOut(seconds: Double(milliseconds) / 1000), bound.value)
            }
        }
        var head = HTTPRequestHead(version: .http1_1, method: question.method, uri: question.target)
        head.headers.add(name: "Host", value: authority)
        head.headers.add(name: "Accept", value: "*/*")
        head.headers.add(name: "Cache-Control", value: "no-store")
        for header in next.headers { head.headers.replaceOrAdd(name: header.name, value: header.value) }
        if let contentType = question.contentType {
            head.headers.add(name: "Content-Type", value: contentType)
            head.headers.add(name: "Content-Length", value: String(question.body.count))
        }
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if !question.body.isEmpty {
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: question.body)))), promise: nil)
        }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard let exchange else {
            // Nobody has asked.
            context.close(promise: nil)
            return
        }
        switch unwrapInboundIn(data) {
        case .head(let head):
            answer = HTTPClientResponse(
                status: Int(head.status.code),
                contentType: head.headers.first(name: "content-type") ?? "",
                location: head.headers.first(name: "location"),
                keepsAlive: head.isKeepAlive
            )
            if let length = head.headers.first(name: "content-length").flatMap({ Int($0) }),
                length > exchange.question.maximumAnswerBytes
            {
                fail(.tooLarge(limit: exchange.question.maximumAnswerBytes), context)
            }
        case .body(let part):
            answer?.body.append(contentsOf: part.readableBytesView)
            if answer.map({ $0.body.count > exchange.question.maximumAnswerBytes }) == true {
                fail(.tooLarge(limit: exchange.question.maximumAnswerBytes), context)
            }
        case .end:
            guard let answer else { return }
            end()
            if !answer.keepsAlive { context.close(promise: nil) }
            exchange.promise.succeed(answer)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        fail(.connectionClosed(hasBegun: answer != nil), context)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case HTTPParserError.invalidEOFState, is IOError:
            return fail(.connectionClosed(hasBegun: answer != nil), context)
        case is HTTPParserError: return fail(.broken("\(error)"), context)
        default: break
        }
        let promise = exchange?.promise
        end()
        context.close(promise: nil)
        promise?.fail(error)
    }

    private func fail(_ failure: HTTPClientError, _ context: ChannelHandlerContext) {
        let promise = exchange?.promise
        end()
        context.close(promise: nil)
        promise?.fail(failure)
    }

    private func end() {
        timeout?.cancel()
        timeout = nil
        exchange = nil
        answer = nil
    }
}
