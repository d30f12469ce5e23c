import NIOCore
import NIOSSL
import OperatingSystem

/// Where the certificate and the private key of a listener are.
package struct ListenerTLSFiles: Sendable, Hashable {
    /// The certificate, with those between it and the authority's after it; PEM.
    package var certificate: String
    /// Its key, without a passphrase; PEM.
    package var key: String

    package init(certificate: String, key: String) {
        (self.certificate, self.key) = (certificate, key)
    }

    /// Both files as they are now; `nil` for one that is missing.
    var stamps: [FileStatus?] { [FileStatus(path: certificate), FileStatus(path: key)] }

    /// Reads and checks both files.
    package func load() throws(ListenerTLSError) -> ListenerTLSPair {
        let chain = try readChain()
        let key = try readKey()
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) },
            privateKey: .privateKey(key)
        )
        configuration.minimumTLSVersion = .tlsv12
        // Of TLS 1.2 only what keeps recorded traffic secret when the key is lost later (ECDHE), and no CBC.
        configuration.cipherSuiteValues = [
            .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
            .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
            .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
        ]
        // This listener speaks no HTTP/2.
        configuration.applicationProtocols = ["http/1.1"]
        configuration.shutdownTimeout = .seconds(1)
        do {
            let expiry = chain.map { Int($0.notValidAfter) }.min() ?? 0
            return ListenerTLSPair(
                context: try NIOSSLContext(configuration: configuration),
                expiry: expiry,
                certificate: certificate
            )
        } catch {
            throw .notAPair(certificate: certificate, key: self.key)
        }
    }

    private func readChain() throws(ListenerTLSError) -> [NIOSSLCertificate] {
        let bytes = try Self.read(certificate)
        guard let chain = try? NIOSSLCertificate.fromPEMBytes(bytes), !chain.isEmpty else {
            throw .noCertificate(file: certificate)
        }
        return chain
    }

    private func readKey() throws(ListenerTLSError) -> NIOSSLPrivateKey {
        let bytes = try Self.read(key)
        let text = String(decoding: bytes, as: UTF8.self)
        // The library would ask for the passphrase.
        guard !text.contains("ENCRYPTED") else { throw .encryptedKey(file: key) }
        guard let loaded = try? NIOSSLPrivateKey(bytes: bytes, format: .pem) else {
            throw .noKey(file: key)
        }
        return loaded
    }

    private static let largestFile = 1 << 20

    private static func read(_ path: String) throws(ListenerTLSError) -> [UInt8] {
        if let size = FileStatus(path: path)?.size, size > largestFile {
            throw .unreadable(file: path, reason: "has \(size) bytes; at most \(largestFile) are read")
        }
        switch FileContents.read(path, upTo: largestFile) {
        case .success(let contents): return contents.bytes
        // A file that is not text has nothing in PEM.
        case .failure(let error) where error.isAboutContents: return []
        case .failure(let error): throw .unreadable(file: path, reason: error.message)
        }
    }
}

/// A certificate with its key, ready for connections.
package struct ListenerTLSPair: Sendable {
    let context: NIOSSLContext
    /// When the first certificate of the chain expires, seconds since 1970-01-01 UTC.
    let expiry: Int
    /// The certificate's file.
    let certificate: String

    /// What clients will object to, or `nil`.
    /// - Parameter second: The time, seconds since 1970-01-01 UTC.
    package func problem(at second: Int) -> String? {
        second > expiry
            ? "\(certificate): the certificate expired on \(HTTPDate.text(of: expiry)); renew it" : nil
    }
}

/// Why a certificate or key cannot be used.
package enum ListenerTLSError: Error, Sendable, Hashable, CustomStringConvertible {
    case unreadable(file: String, reason: String)
    case noCertificate(file: String)
    case noKey(file: String)
    case encryptedKey(file: String)
    case notAPair(certificate: String, key: String)

    package var description: String {
        switch self {
        case .unreadable(let file, let reason): "\(file) \(reason)"
        case .noCertificate(let file):
            "\(file) holds no valid certificate (PEM, with -----BEGIN CERTIFICATE-----)"
        case .noKey(let file):
            "\(file) holds no valid private key (PEM, with -----BEGIN PRIVATE KEY-----)"
        case .encryptedKey(let file): "\(file) is encrypted; a key without a passphrase is needed"
        case .notAPair(let certificate, let key):
            "the key in \(key) does not belong to the certificate in \(certificate)"
        }
    }
}
