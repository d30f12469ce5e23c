import Hummingbird
import NIOCore
import NIOPosix
import NIOSSL

/// A TLS client that trusts one authority.
struct TLSClient {
    let caFile: String
    var host = "localhost"
    /// The only cipher suite of TLS 1.2 that it offers; `nil` for all versions and suites.
    var cipher: NIOTLSCipher?

    /// Sends bytes over a connection of its own, and returns everything that the server answers until it closes.
    func exchange(_ text: String, port: Int) async throws -> String {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .file(caFile)
        if let cipher {
            configuration.maximumTLSVersion = .tlsv12
            configuration.cipherSuiteValues = [cipher]
        }
        let context = try NIOSSLContext(configuration: configuration)
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(.seconds(10))
            .connect(host: "127.0.0.1", port: port) { [host] channel in
                channel.eventLoop.makeCompletedFuture {
                    let handler = try NIOSSLClientHandler(context: context, serverHostname: host)
                    try channel.pipeline.syncOperations.addHandler(handler)
                    return try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
                        wrappingChannelSynchronously: channel
                    )
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            try await outbound.write(ByteBuffer(string: text))
            var answer = ByteBuffer()
            for try await part in inbound { answer.writeImmutableBuffer(part) }
            return String(buffer: answer)
        }
    }

    func get(_ path: String = "/", port: Int, fields: [String] = []) async throws -> String {
        let head = ["GET \(path) HTTP/1.1", "Host: localhost:\(port)", "Connection: close"] + fields
        return try await exchange(head.joined(separator: "\r\n") + "\r\n\r\n", port: port)
    }

    /// Whether the server is the one whose authority this client trusts.
    func trusts(port: Int) async -> Bool {
        do { return try await get(port: port).hasPrefix("HTTP/1.1 200") } catch { return false }
    }
}
