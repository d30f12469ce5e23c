import NIOCore
import NIOHTTP1

/// An HTTP request and the limits of its response.
struct HTTPClientRequest: Sendable {
    var method: HTTPMethod
    /// Path and query.
    var target: String
    var contentType: String?
    var body: [UInt8] = []
    /// The timeout; `nil` for none.
    var milliseconds: Int?
    var maximumAnswerBytes: Int

    /// Whether it is idempotent.
    var isRepeatable: Bool { method == .GET || method == .PUT }
}

/// A request for an ``HTTPExchangeHandler``.
struct HTTPExchange: Sendable {
    let request: HTTPClientRequest
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
    /// - Parameter hasBegun: Whether a part of the response was received.
    case connectionClosed(hasBegun: Bool)
    case timedOut(seconds: Double)
    case tooLarge(limit: Int)
    case broken(String)

    var description: String {
        switch self {
        case .connectionClosed(let hasBegun):
            "the server closed the connection "
                + (hasBegun ? "during its response" : "without a response")
        case .timedOut(let seconds): "no response within \(seconds) s"
        case .tooLarge(let limit): "the response has more than \(limit) bytes"
        case .broken(let what): "the server does not speak HTTP: \(what)"
        }
    }
}

/// Performs the exchanges of a connection, one at a time.
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
        let request = next.request
        if let milliseconds = request.milliseconds {
            let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
            timeout = context.eventLoop.scheduleTask(in: .milliseconds(Int64(milliseconds))) {
                let (handler, context) = bound.value
                handler.fail(HTTPClientError.timedOut(seconds: Double(milliseconds) / 1000), context)
            }
        }
        var head = HTTPRequestHead(version: .http1_1, method: request.method, uri: request.target)
        head.headers.add(name: "Host", value: authority)
        head.headers.add(name: "Accept", value: "*/*")
        head.headers.add(name: "Cache-Control", value: "no-store")
        for header in next.headers { head.headers.replaceOrAdd(name: header.name, value: header.value) }
        if let contentType = request.contentType {
            head.headers.add(name: "Content-Type", value: contentType)
            head.headers.add(name: "Content-Length", value: String(request.body.count))
        }
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if !request.body.isEmpty {
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: request.body)))), promise: nil)
        }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard let exchange else {
            // An unsolicited response.
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
                length > exchange.request.maximumAnswerBytes
            {
                fail(HTTPClientError.tooLarge(limit: exchange.request.maximumAnswerBytes), context)
            }
        case .body(let part):
            answer?.body.append(contentsOf: part.readableBytesView)
            if answer.map({ $0.body.count > exchange.request.maximumAnswerBytes }) == true {
                fail(HTTPClientError.tooLarge(limit: exchange.request.maximumAnswerBytes), context)
            }
        case .end:
            guard let answer else { return }
            end()
            if !answer.keepsAlive { context.close(promise: nil) }
            exchange.promise.succeed(answer)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        fail(HTTPClientError.connectionClosed(hasBegun: answer != nil), context)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let failure: any Error =
            switch error {
            case HTTPParserError.invalidEOFState, is IOError:
                HTTPClientError.connectionClosed(hasBegun: answer != nil)
            case is HTTPParserError: HTTPClientError.broken("\(error)")
            default: error
            }
        fail(failure, context)
    }

    private func fail(_ failure: any Error, _ context: ChannelHandlerContext) {
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
