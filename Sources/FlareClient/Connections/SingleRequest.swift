import NIOCore
import NIOHTTP1
import NIOPosix

/// A single HTTP request to a Unix socket of this machine, over a new connection.
package enum SingleRequest {
    /// Why there was no response.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
        /// The system's error number, if the system refuses the connection.
        package let code: Int32?

        init(_ error: any Error) {
            description = Endpoint.systemReason(error) ?? "\(error)"
            code = (error as? IOError)?.errnoCode
        }
    }

    /// - Parameters:
    ///   - method: `GET`, `POST` and so on.
    ///   - body: JSON; `nil` for none.
    ///   - socket: A path that is short enough for the system.
    ///   - seconds: The timeout of the response.
    /// - Throws: The error of the connection or the response.
    package static func send(
        _ target: String,
        method: String,
        body: [UInt8]?,
        to socket: String,
        seconds: Int
    ) async throws(Failure) -> (status: Int, body: [UInt8]) {
        let request = HTTPClientRequest(
            method: HTTPMethod(rawValue: method),
            target: target,
            contentType: body == nil ? nil : "application/json",
            body: body ?? [],
            milliseconds: seconds * 1000,
            maximumAnswerBytes: 1 << 30
        )
        do {
            return try await answer(to: request, from: socket)
        } catch {
            throw Failure(error)
        }
    }

    private static func answer(
        to request: HTTPClientRequest,
        from socket: String
    ) async throws -> (status: Int, body: [UInt8]) {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let bootstrap = ClientBootstrap(group: loop).connectTimeout(.seconds(5))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try HTTPConnections.initialize(channel, authority: "localhost")
                }
            }
        let channel = try await bootstrap.connect(unixDomainSocketPath: socket).get()
        defer { channel.close(promise: nil) }
        let promise = loop.makePromise(of: HTTPClientResponse.self)
        // The connection may already be closed, and nothing else would report that.
        channel.writeAndFlush(HTTPExchange(request: request, headers: [], promise: promise)).whenFailure {
            _ in
            promise.fail(HTTPClientError.connectionClosed(hasBegun: false))
        }
        let answer = try await promise.futureResult.get()
        return (answer.status, answer.body)
    }
}
