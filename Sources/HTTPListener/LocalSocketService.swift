import Foundation
import HTTPTypes
import Hummingbird
package import Logging
import NIOCore
import OperatingSystem
import ServiceLifecycle
import Text
import Threading

/// A request at a socket of this machine.
package struct LocalRequest: Sendable {
    /// `GET`, `POST` and so on.
    package let method: String
    /// The words of the path, decoded.
    package let path: [String]
    package let query: [String: String]
    package let body: [UInt8]
    /// The user whose program has sent it; `nil` if the system does not say.
    package let user: UInt32?

    package init(
        _ method: String,
        _ path: [String],
        query: [String: String] = [:],
        body: [UInt8] = [],
        user: UInt32? = nil
    ) {
        (self.method, self.path, self.query, self.body, self.user) = (method, path, query, body, user)
    }
}

/// The answer to a ``LocalRequest``: JSON, or nothing.
package struct LocalResponse: Sendable {
    package var status: Int
    package var body: [UInt8]
    /// Seconds after which another attempt makes sense.
    package var retryAfter: Int?

    package init(_ status: Int, _ body: [UInt8] = [], retryAfter: Int? = nil) {
        (self.status, self.body, self.retryAfter) = (status, body, retryAfter)
    }
}

/// Answers some requests at a socket of this machine; `nil` for all others.
package typealias LocalAnswer = @Sendable (LocalRequest) async -> LocalResponse?

/// HTTP/1.1 on a Unix socket that only the user of this process can open.
///
/// The socket gets its rights before anybody finds it, replaces one that a dead process left, and is removed at the end.
package struct LocalSocketService: Service {
    private let path: String
    private let configuration: HTTPListenerConfiguration
    private let answer: @Sendable (LocalRequest) async -> LocalResponse
    private let onBound: @Sendable () async -> Void
    private let logger: Logger

    /// - Parameters:
    ///   - path: Of the socket.
    ///   - bodyLimits: The longest bodies of requests, bytes, by path; elsewhere 1 MB.
    ///   - onBound: Called when connections are accepted at the path.
    package init(
        path: String,
        bodyLimits: [String: Int] = [:],
        logger: Logger,
        onBound: @escaping @Sendable () async -> Void = {},
        answer: @escaping @Sendable (LocalRequest) async -> LocalResponse
    ) {
        (self.path, self.logger, self.onBound, self.answer) = (path, logger, onBound, answer)
        var configuration = HTTPListenerConfiguration(section: "socket", host: "localhost", port: 0)
        configuration.maximumBodyBytes = 1_000_000
        configuration.bodyLimits = bodyLimits
        configuration.maximumConnections = 16
        self.configuration = configuration
    }

    /// Runs until the graceful shutdown.
    ///
    /// - Throws: ``LocalSocketError`` if there can be no socket at the path.
    package func run() async throws {
        let address = try LocalSocketAddress(of: path)
        defer { address.close() }
        let folder = (path as NSString).deletingLastPathComponent
        // Nobody else gets into this folder, so nobody opens the socket before it has its rights.
        let nest = (folder as NSString).appendingPathComponent("." + address.name)
        guard mkdir(nest, 0o700) == 0 || errno == EEXIST, chmod(nest, 0o700) == 0 else {
            throw LocalSocketError(path: path, code: errno)
        }
        defer { rmdir(nest) }
        var configuration = configuration
        let socket = nest + "/s"
        configuration.socketPath = address.folder + "/." + address.name + "/s"
        let (path, onBound, logger) = (path, onBound, logger)
        let own = Locked<FileStatus.Identity?>(nil)
        defer {
            // Another process may have replaced it.
            if let own = own.withLock({ $0 }), Self.identity(of: path) == own { unlink(path) }
        }
        try await HTTPListenerService(
            configuration,
            responder: LocalResponder(configuration: configuration, answer: answer),
            logger: logger,
            onBound: { _ in
                guard chmod(socket, 0o600) == 0, rename(socket, path) == 0 else {
                    return logger.error("\(LocalSocketError(path: path, code: errno))")
                }
                let identity = Self.identity(of: path)
                own.withLock { $0 = identity }
                await onBound()
            }
        ).run()
    }

    private static func identity(of path: String) -> FileStatus.Identity? {
        FileStatus(path: path, followsLinks: false)?.identity
    }
}

/// Answers requests on a ``LocalSocketService``.
private struct LocalResponder: HTTPResponder {
    /// The credentials of the other end of a Unix socket.
    ///
    /// - Source: unix(7), SO_PEERCRED; `struct ucred`.
    private struct PeerCredentials: Sendable {
        var process: pid_t
        var user: uid_t
        var group: gid_t
    }

    private static func user(of channel: any Channel) async -> UInt32? {
        guard let options = channel as? any SocketOptionProvider else { return nil }
        let found: EventLoopFuture<PeerCredentials> = options.unsafeGetSocketOption(
            level: .socket,
            name: NIOBSDSocket.Option(rawValue: SO_PEERCRED)
        )
        return try? await found.get().user
    }

    let configuration: HTTPListenerConfiguration
    let answer: @Sendable (LocalRequest) async -> LocalResponse

    func respond(to request: Request, context: ChannelContext) async throws -> Response {
        let (text, target) = (request.head.path ?? "/", RequestTarget(request.head.path ?? "/"))
        let body = try await request.body.collect(upTo: configuration.maximumBodyBytes(of: text))
        let words = target.path.parts(between: "/").filter { !$0.isEmpty }.map { $0.percentDecoded }
        let query = Self.query(target)
        let path = words.compactMap(\.self)
        let response: LocalResponse
        if let query, path.count == words.count {
            let method = request.head.method.rawValue
            response = await answer(
                LocalRequest(
                    method,
                    path,
                    query: query,
                    body: Array(body.readableBytesView),
                    user: await Self.user(of: context.channel)
                )
            )
        } else {
            response = LocalResponse(400)
        }
        var headers: HTTPFields = [.contentLength: "\(response.body.count)"]
        if !response.body.isEmpty { headers[.contentType] = "application/json; charset=utf-8" }
        if let seconds = response.retryAfter { headers[.retryAfter] = "\(seconds)" }
        // Without a body there is no length to tell.
        if response.status == 204 { headers[.contentLength] = nil }
        return Response(
            status: .init(code: response.status),
            headers: headers,
            body: response.body.isEmpty
                ? ResponseBody() : ResponseBody(byteBuffer: ByteBuffer(bytes: response.body))
        )
    }

    /// `nil` if it cannot be decoded.
    private static func query(_ target: RequestTarget) -> [String: String]? {
        var query: [String: String] = [:]
        for parameter in target.parameters {
            let pair = parameter.parts(between: "=", maxSplits: 1)
            guard let key = pair.first?.percentDecoded,
                let value = (pair.dropFirst().first ?? "").percentDecoded
            else { return nil }
            query[key] = value
        }
        return query
    }
}
