import FlareClient
import FlareServer
import SocketIO
import TestSupport
import Testing

/// The embedded link, and the remote one with every transport and revision.
enum LinkKind: Sendable, Hashable, CaseIterable, CustomTestStringConvertible {
    case embedded, automatic
    case websocket3, websocket4, polling3, polling4, upgrade3, upgrade4

    var testDescription: String { "\(self)" }

    /// Whether notices and replies share one queue, so that notices cannot be late.
    var isEmbedded: Bool { self == .embedded }

    fileprivate func configuration(_ port: Int) -> FlareClientConfiguration {
        switch self {
        case .embedded, .automatic: .local(port)
        case .websocket3: .local(port, .websocket, .three)
        case .websocket4: .local(port, .websocket, .four)
        case .polling3: .local(port, .polling, .three)
        case .polling4: .local(port, .polling, .four)
        case .upgrade3: .local(port, .automatic, .three)
        case .upgrade4: .local(port, .automatic, .four)
        }
    }
}

/// Runs the body with a connected link to a hub.
func withLink(
    _ kind: LinkKind,
    to hub: FlareHub,
    _ body: @escaping @Sendable (inout LinkUnderTest) async throws -> Void
) async throws {
    guard kind != .embedded else {
        return try await withLink(EmbeddedFlareLink(hub: hub)) { link in
            try #require(await link.linkUp())
            try await body(&link)
        }
    }
    try await withListener(hub) { port in
        try await withLink(FlareClient(kind.configuration(port), logger: .silent)) { link in
            try #require(await link.linkUp())
            try await body(&link)
        }
    }
}
