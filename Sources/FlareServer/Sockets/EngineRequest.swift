import HTTPListener
package import SocketIO

/// The query of a request to the path of Engine.IO.
/// - Source: contrib/contract/flare-protocol.md, "3.1 Handshake".
package struct EngineRequest: Sendable, Hashable {
    /// With the final slash, which is required.
    static let path = "/socket.io/"

    package let isForEngine: Bool
    package private(set) var transport: ServerSession.Transport?
    package private(set) var session: String?
    /// 3 when absent, because early clients omit it; `nil` for unknown revisions.
    package private(set) var revision: EngineRevision? = .three
    /// The payload format of polling; always text in revision 4.
    package private(set) var form = PollingFormat.binary
    /// JSONP is not supported; no client of Flare uses it.
    package private(set) var isJSONP = false

    /// - Parameter target: The path and query of a request.
    package init(target: String) {
        let target = RequestTarget(target)
        isForEngine = target.path == Self.path
        guard isForEngine, let query = target.query, let pairs = try? RESTForm.pairs(query) else { return }
        for (name, value) in pairs {
            switch name {
            case "transport":
                transport = value == "polling" ? .polling : value == "websocket" ? .websocket : nil
            case "sid": session = value
            case "EIO": revision = Int(value).flatMap(EngineRevision.init(rawValue:))
            case "b64": form = value == "1" || value == "true" ? .text : .binary
            case "j": isJSONP = true
            default: break
            }
        }
        if revision == .four { form = .text }
    }
}
