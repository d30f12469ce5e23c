import NIOCore
import NIOHTTP1
import NIOPosix

/// One HTTP request to a server on this machine, over a connection of its own.
package enum SingleRequest {
    /// - Parameters:
    ///   - body: `nil` for a GET, else what is POSTed as JSON.
    ///   - seconds: How long the answer may take.
    /// - Throws: What the connection or the answer failed of.
    package static func send(
        _ target: String,
        body: [UInt8]? = nil,
        host: String,
        port: Int,
        seconds: Int = 120
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
        let promise = loop.makePromise(of: HTTPAnswer.self)
        let question = HTTPQuestion(
            method: body == nil ? .GET : .POST,
            target: target,
            contentType: body == nil ? nil : "application/json",
            body: body ?? [],
            milliseconds: seconds * 1000,
            maximumAnswerBytes: 1 << 30
        )
        channel.writeAndFlush(HTTPExchange(question: question, headers: [], promise: promise), promise: nil)
        let answer: HTTPAnswer
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
