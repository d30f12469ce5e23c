import NIOCore
import NIOHTTP1
import NIOPosix

/// A single HTTP request to a server on this machine, over a new connection.
package enum SingleRequest {
    /// Where the server listens.
    package enum Address: Sendable, Hashable {
        case port(_ host: String, Int)
        /// A Unix socket, with a path that is short enough for the system.
        case socket(path: String)

        fileprivate var authority: String {
            switch self {
            case .port(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
            case .socket: "localhost"
            }
        }
    }

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
    ///   - method: `GET`, `POST` and so on; `nil` for a POST if there is a body, else a GET.
    ///   - body: JSON; `nil` for none.
    ///   - headers: As in ``FlareClientConfiguration/headers``.
    ///   - seconds: The timeout of the response.
    /// - Throws: The error of the connection or the response.
    package static func send(
        _ target: String,
        method: String? = nil,
        body: [UInt8]? = nil,
        headers: [FlareClientConfiguration.Header] = [],
        to address: Address,
        seconds: Int = 120
    ) async throws(Failure) -> (status: Int, body: [UInt8]) {
        let request = HTTPClientRequest(
            method: method.map { HTTPMethod(rawValue: $0) } ?? (body == nil ? .GET : .POST),
            target: target,
            contentType: body == nil ? nil : "application/json",
            body: body ?? [],
            milliseconds: seconds * 1000,
            maximumAnswerBytes: 1 << 30
        )
        do {
            return try await answer(to: request, headers, from: address)
        } catch {
            throw Failure(error)
        }
    }

    private static func answer(
        to request: HTTPClientRequest,
        _ headers: [FlareClientConfiguration.Header],
        from address: Address
    ) async throws -> (status: Int, body: [UInt8]) {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let bootstrap = ClientBootstrap(group: loop).connectTimeout(.seconds(5))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try HTTPConnections.initialize(channel, authority: address.authority)
                }
            }
        let channel =
            switch address {
            case .port(let host, let port): try await bootstrap.connect(host: host, port: port).get()
            case .socket(let path): try await bootstrap.connect(unixDomainSocketPath: path).get()
            }
        defer { channel.close(promise: nil) }
        let promise = loop.makePromise(of: HTTPClientResponse.self)
        channel.writeAndFlush(
            HTTPExchange(request: request, headers: headers, promise: promise),
            promise: nil
        )
        let answer = try await promise.futureResult.get()
        return (answer.status, answer.body)
    }
}
