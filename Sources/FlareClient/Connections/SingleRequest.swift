import NIOCore
import NIOHTTP1
import NIOPosix

/// A single HTTP request to a server on this machine, over a new connection.
package enum SingleRequest {
    /// Why there was no response.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String

        init(_ error: any Error) { description = Endpoint.systemReason(error) ?? "\(error)" }
    }

    /// - Parameters:
    ///   - body: The JSON of a POST; `nil` for a GET.
    ///   - headers: As in ``FlareClientConfiguration/headers``.
    ///   - seconds: The timeout of the response.
    /// - Throws: The error of the connection or the response.
    package static func send(
        _ target: String,
        body: [UInt8]? = nil,
        headers: [FlareClientConfiguration.Header] = [],
        host: String,
        port: Int,
        seconds: Int = 120
    ) async throws(Failure) -> (status: Int, body: [UInt8]) {
        do {
            return try await answer(
                to: target,
                body: body,
                headers: headers,
                host: host,
                port: port,
                seconds: seconds
            )
        } catch {
            throw Failure(error)
        }
    }

    private static func answer(
        to target: String,
        body: [UInt8]?,
        headers: [FlareClientConfiguration.Header],
        host: String,
        port: Int,
        seconds: Int
    ) async throws -> (status: Int, body: [UInt8]) {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let authority = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        let channel = try await ClientBootstrap(group: loop).connectTimeout(.seconds(5))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try HTTPConnections.initialize(channel, authority: authority)
                }
            }
            .connect(host: host, port: port).get()
        let promise = loop.makePromise(of: HTTPClientResponse.self)
        let request = HTTPClientRequest(
            method: body == nil ? .GET : .POST,
            target: target,
            contentType: body == nil ? nil : "application/json",
            body: body ?? [],
            milliseconds: seconds * 1000,
            maximumAnswerBytes: 1 << 30
        )
        channel.writeAndFlush(
            HTTPExchange(request: request, headers: headers, promise: promise),
            promise: nil
        )
        let answer: HTTPClientResponse
        do {
            answer = try await promise.futureResult.get()
        } catch {
            channel.close(promise: nil)
            throw error
        }
        channel.close(promise: nil)
        return (answer.status, answer.body)
    }
}
