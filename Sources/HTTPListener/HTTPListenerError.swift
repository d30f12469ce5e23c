import Glibc
import NIOCore

/// Why a listener could not start.
package enum HTTPListenerError: Error, Sendable, Hashable, CustomStringConvertible {
    /// - Parameter setting: The key or option with the address.
    case portInUse(host: String, port: Int, setting: String)
    case notAllowed(host: String, port: Int, setting: String)
    case unknownHost(host: String, setting: String, reason: String)
    case cannotListen(host: String, port: Int, reason: String)
    /// The certificate or key cannot be used.
    case unusableCertificate(reason: String, section: String)

    package var description: String {
        switch self {
        case .portInUse(let host, let port, let setting):
            "\(Self.place(host, port)) is in use by another program; stop it, or choose another \(setting)"
        case .notAllowed(let host, let port, let setting):
            "\(Self.place(host, port)) needs a privilege that this process lacks; choose a port above 1023 in \(setting)"
        case .unknownHost(let host, let setting, let reason):
            "\(setting): \"\(host)\" is no address or name of this machine: \(reason)"
        case .cannotListen(let host, let port, let reason):
            "cannot listen on \(Self.place(host, port)): \(reason)"
        case .unusableCertificate(let reason, let section):
            "\(section).tls: \(reason)"
        }
    }

    private static func place(_ host: String, _ port: Int) -> String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}

extension HTTPListenerError {
    /// Converts a system error to a message with advice; `nil` when it does not concern the address.
    init?(_ error: any Error, _ configuration: HTTPListenerConfiguration) {
        let (host, port, setting) = (configuration.host, configuration.port, configuration.setting)
        switch error {
        case let error as IOError where error.errnoCode == EADDRINUSE:
            self = .portInUse(host: host, port: port, setting: setting)
        case let error as IOError where error.errnoCode == EACCES:
            self = .notAllowed(host: host, port: port, setting: setting)
        case let error as IOError where error.errnoCode == EADDRNOTAVAIL:
            self = .unknownHost(host: host, setting: setting, reason: "not an address of this machine")
        case let error as IOError:
            self = .cannotListen(host: host, port: port, reason: error.description)
        case is SocketAddressError.UnknownHost, is SocketAddressError:
            self = .unknownHost(host: host, setting: setting, reason: "no address is known for it")
        default:
            return nil
        }
    }
}
