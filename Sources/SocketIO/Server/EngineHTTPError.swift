/// Why a request to the Engine.IO path is refused, with status 400 and JSON.
///
/// - Source: contrib/contract/flare-protocol.md, "3.6 Errors and CORS"; Engine.IO server 6 for code 5.
package enum EngineHTTPError: Int, Sendable, Hashable, CaseIterable {
    case unknownTransport = 0
    case unknownSession = 1
    /// A first request that is not GET.
    case badHandshakeMethod = 2
    /// Polling after the upgrade, or the websocket transport by plain GET.
    case badRequest = 3
    /// An `EIO` other than 3 and 4.
    case unsupportedRevision = 5

    package var code: Int { rawValue }

    package var message: String {
        switch self {
        case .unknownTransport: "Transport unknown"
        case .unknownSession: "Session ID unknown"
        case .badHandshakeMethod: "Bad handshake method"
        case .badRequest: "Bad request"
        case .unsupportedRevision: "Unsupported protocol version"
        }
    }

    package static let contentType = "application/json"

    /// The body: `{"code":1,"message":"Session ID unknown"}`.
    package var json: [UInt8] { Array(#"{"code":\#(code),"message":"\#(message)"}"#.utf8) }
}
