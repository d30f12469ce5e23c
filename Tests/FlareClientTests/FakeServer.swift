import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import NIOWebSocket

/// A scripted server, correct or faulty.
struct FakeServer: Sendable {
    struct Request: Sendable {
        let method: HTTPMethod
        let target: String
        let headers: HTTPHeaders
        let body: String

        var isPolling: Bool { target.hasPrefix("/socket.io/") && target.contains("transport=polling") }
    }

    /// The response to a request.
    indirect enum Move: Sendable {
        /// Waits for something before it goes on.
        case after(EventLoopFuture<Void>, Move)
        case json(String)
        case answer(Int, headers: HTTPHeaders = [:], body: String = "")
        /// Raw bytes, optionally followed by the end of the connection.
        case bytes(String, closes: Bool)
        case close
        case nothing
    }

    /// Called with each text of a WebSocket; "" when it opens.
    typealias SocketScript = @Sendable (_ text: String, _ socket: Socket) -> Void

    /// The server's end of a WebSocket, to be used on its loop.
    struct Socket: Sendable {
        let channel: any Channel

        func send(_ text: String) {
            let frame = WebSocketFrame(fin: true, opcode: .text, data: ByteBuffer(string: text))
            channel.writeAndFlush(frame, promise: nil)
        }

        /// Writes raw bytes.
        func raw(_ bytes: [UInt8]) {
            let context = try? channel.pipeline.syncOperations.context(
                handlerType: WebSocketFrameEncoder.self
            )
            context?.writeAndFlush(NIOAny(ByteBuffer(bytes: bytes)), promise: nil)
        }

        func close() { channel.close(promise: nil) }
    }

    var http: @Sendable (Request) -> Move = { _ in .answer(404) }
    /// `nil` refuses WebSockets.
    var socket: SocketScript?
    var tls: NIOSSLContext?
    /// Sent when a client connects, before any request.
    var greeting: Move?
}

/// A running fake server.
struct RunningFakeServer: Sendable {
    let port: Int
    private let server: any Channel
    private let clients: NIOLoopBoundBox<[any Channel]>

    init(_ script: FakeServer, port: Int = 0) async throws {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let clients = try await loop.submit { NIOLoopBoundBox<[any Channel]>([], eventLoop: loop) }.get()
        server = try await ServerBootstrap(group: loop)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    clients.value.append(channel)
                    try script.initialize(channel)
                }
            }
            .bind(host: "127.0.0.1", port: port).get()
        self.port = server.localAddress?.port ?? 0
        self.clients = clients
    }

    /// The number of connections so far.
    func connections() async throws -> Int {
        try await server.eventLoop.submit { clients.value.count }.get()
    }

    /// Closes all connections; new ones are accepted.
    func drop() async throws {
        try await server.eventLoop.submit { for channel in clients.value { channel.close(promise: nil) } }
            .get()
    }

    /// Refuses new connections; open ones stay.
    func refuseOthers() async throws { try await server.close() }

    func stop() async throws {
        try? await server.close()
        try await drop()
    }
}

func withFakeServer<Value>(
    _ script: FakeServer,
    port: Int = 0,
    _ body: (RunningFakeServer) async throws -> Value
) async throws -> Value {
    let running = try await RunningFakeServer(script, port: port)
    do {
        let value = try await body(running)
        try? await running.stop()
        return value
    } catch {
        try? await running.stop()
        throw error
    }
}

extension FakeServer {
    fileprivate func initialize(_ channel: any Channel) throws {
        let pipeline = channel.pipeline.syncOperations
        if let tls { try pipeline.addHandler(NIOSSLServerHandler(context: tls)) }
        if let greeting { try pipeline.addHandler(Greeter(greeting: greeting)) }
        let handler = HTTPScript(script: self)
        let script = socket
        let upgrader = NIOWebSocketServerUpgrader(
            maxFrameSize: 1 << 24,
            shouldUpgrade: { channel, _ in channel.eventLoop.makeSucceededFuture(script == nil ? nil : [:]) },
            upgradePipelineHandler: { channel, _ in
                channel.eventLoop.makeCompletedFuture {
                    guard let script else { return }
                    try channel.pipeline.syncOperations.addHandler(SocketScriptHandler(script: script))
                }
            }
        )
        let bound = NIOLoopBound(handler, eventLoop: channel.eventLoop)
        try pipeline.configureHTTPServerPipeline(
            withServerUpgrade: (
                upgraders: script == nil ? [] : [upgrader],
                completionHandler: { $0.pipeline.syncOperations.removeHandler(bound.value, promise: nil) }
            )
        )
        try pipeline.addHandler(handler)
    }
}

private final class Greeter: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    let greeting: FakeServer.Move

    init(greeting: FakeServer.Move) { self.greeting = greeting }

    func channelActive(context: ChannelHandlerContext) {
        switch greeting {
        case .bytes(let text, let closes):
            context.writeAndFlush(NIOAny(ByteBuffer(string: text)), promise: nil)
            if closes { context.close(promise: nil) }
        case .close: context.close(promise: nil)
        case .after, .json, .answer, .nothing: break
        }
    }

    // No response.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {}
}

private final class HTTPScript: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let script: FakeServer
    private var head: HTTPRequestHead?
    private var body = ""

    init(script: FakeServer) { self.script = script }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            body = ""
        case .body(let part): body += String(buffer: part)
        case .end:
            guard let head else { return }
            let request = FakeServer.Request(
                method: head.method,
                target: head.uri,
                headers: head.headers,
                body: body
            )
            carryOut(script.http(request), context)
        }
    }

    private func carryOut(_ move: FakeServer.Move, _ context: ChannelHandlerContext) {
        switch move {
        case .after(let event, let move):
            event.hop(to: context.eventLoop).assumeIsolated().whenSuccess { self.carryOut(move, context) }
        case .json(let text): answer(200, ["Content-Type": "application/json"], text, context)
        case .answer(let status, let headers, let body): answer(status, headers, body, context)
        case .bytes(let text, let closes):
            let encoder = try? context.pipeline.syncOperations.context(handlerType: HTTPResponseEncoder.self)
            encoder?.writeAndFlush(NIOAny(ByteBuffer(string: text)), promise: nil)
            if closes { context.close(promise: nil) }
        case .close: context.close(promise: nil)
        case .nothing: break
        }
    }

    private func answer(
        _ status: Int,
        _ headers: HTTPHeaders,
        _ body: String,
        _ context: ChannelHandlerContext
    ) {
        var headers = headers
        if !headers.contains(name: "content-length") {
            headers.add(name: "Content-Length", value: String(body.utf8.count))
        }
        let head = HTTPResponseHead(version: .http1_1, status: .init(statusCode: status), headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: body)))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
}

private final class SocketScriptHandler: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    private let script: FakeServer.SocketScript

    init(script: @escaping FakeServer.SocketScript) { self.script = script }

    func handlerAdded(context: ChannelHandlerContext) {
        script("", FakeServer.Socket(channel: context.channel))
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        guard frame.opcode == .text else { return }
        script(String(buffer: frame.unmaskedData), FakeServer.Socket(channel: context.channel))
    }
}
