import Glibc
import NIOCore
import NIOPosix
import NIOSSL
import OperatingSystem

/// Opens connections to the configured server.
struct Endpoint: Sendable {
    let configuration: FlareClientConfiguration
    private let tls: NIOSSLContext?

    /// - Throws: When a certificate or key cannot be read; the error names the file.
    init(_ configuration: FlareClientConfiguration) throws(TLSConfigurationError) {
        self.configuration = configuration
        tls = try configuration.tls.map { settings throws(TLSConfigurationError) in try Self.context(settings)
        }
    }

    private static func context(_ settings: FlareClientConfiguration.TLS) throws(TLSConfigurationError)
        -> NIOSSLContext
    {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.certificateVerification = settings.verifiesName ? .fullVerification : .noHostnameVerification
        if let file = settings.caFile {
            tls.trustRoots = .certificates(try read(file) { try NIOSSLCertificate.fromPEMFile(file) })
        }
        if let file = settings.certificateFile {
            tls.certificateChain = try read(file) { try NIOSSLCertificate.fromPEMFile(file) }.map {
                .certificate($0)
            }
        }
        if let file = settings.keyFile {
            tls.privateKey = .privateKey(try read(file) { try NIOSSLPrivateKey(file: file, format: .pem) })
        }
        do {
            return try NIOSSLContext(configuration: tls)
        } catch {
            throw TLSConfigurationError(
                description: "TLS: the certificate and its key do not match: \(error)"
            )
        }
    }

    private static func read<Value>(_ file: String, _ body: () throws -> Value) throws(TLSConfigurationError)
        -> Value
    {
        do {
            return try body()
        } catch {
            throw TLSConfigurationError(
                description: "\(file) cannot be read, or contains no valid certificate or key: \(error)"
            )
        }
    }

    /// Connects; the pipeline begins with TLS if configured.
    func connect(
        on loop: any EventLoop,
        _ initialize: @escaping @Sendable (any Channel) throws -> Void
    ) -> EventLoopFuture<any Channel> {
        // SNI does not allow addresses.
        let name = Self.isAddress(configuration.host) ? nil : configuration.host
        return ClientBootstrap(group: loop)
            .connectTimeout(.milliseconds(Int64(min(max(configuration.connectSeconds, 0.1), 3600) * 1000)))
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { [tls] channel in
                channel.eventLoop.makeCompletedFuture {
                    if let tls {
                        let handler = try NIOSSLClientHandler(context: tls, serverHostname: name)
                        try channel.pipeline.syncOperations.addHandler(handler)
                    }
                    try initialize(channel)
                }
            }
            .connect(host: configuration.address ?? configuration.host, port: configuration.port)
    }

    private static func isAddress(_ host: String) -> Bool {
        (try? SocketAddress(ipAddress: host, port: 0)) != nil
    }

    /// The system's message for a connection error; `nil` for other errors.
    static func systemReason(_ error: any Error) -> String? {
        switch error {
        case let error as NIOConnectionError: error.connectionErrors.first.flatMap { systemReason($0.error) }
        case let error as IOError: systemMessage(error.errnoCode)
        default: nil
        }
    }

    /// A message for a connection error.
    func message(for error: any Error) -> String {
        let place = configuration.authority
        switch error {
        case let error as HTTPClientError: return error.description
        case let error as NIOConnectionError:
            if let first = error.connectionErrors.first { return message(for: first.error) }
            return "the host name \(configuration.host) cannot be resolved"
        case let error as IOError: return "\(place): \(Self.systemReason(error) ?? "\(error)")"
        case ChannelError.connectTimeout:
            return "\(place): no connection within \(configuration.connectSeconds) s"
        case let error as NIOSSLError: return "\(place): TLS: \(error)"
        case let error as NIOSSLExtraError: return "\(place): TLS: \(error)"
        default: return "\(place): \(error)"
        }
    }
}

/// Why the TLS configuration is invalid.
package struct TLSConfigurationError: Error, CustomStringConvertible {
    package let description: String
}
