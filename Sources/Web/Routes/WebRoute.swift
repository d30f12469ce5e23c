import HTTPListener
import HTTPTypes
import Messages

/// What a path stands for.
enum WebRoute: Sendable, Hashable {
    /// `/`, which leads to the kiosk page.
    case start
    case kiosk
    /// A file of the kiosk page, below `/kiosk/`.
    case file(String)
    case health
    case metrics
    /// The page with the form for the password.
    case signInPage
    case signIn
    case signOut
    case state
    case environments
    case zones
    case things
    /// By short name or identifier, as in the path.
    case thing(String)
    case actions(thing: String)
    case map
    case lifecycle
    /// As on the topic of the same name.
    case command(CommandTopic)

    /// - Parameter path: Without the query.
    /// - Returns: `nil` if nothing answers there.
    init?(path: some StringProtocol) {
        guard path.hasPrefix("/") else { return nil }
        var parts: [Substring] = []
        for part in path.dropFirst().split(separator: "/", maxSplits: 5, omittingEmptySubsequences: false) {
            guard let decoded = part.percentDecoded else { return nil }
            parts.append(Substring(decoded))
        }
        func part(_ index: Int) -> String { parts.indices.contains(index) ? String(parts[index]) : "" }
        switch (parts.count, part(0), part(1)) {
        case (1, "", _): self = .start
        case (1, "kiosk", _): self = .kiosk
        case (2, "kiosk", let name): self = .file(name)
        case (1, "healthz", _): self = .health
        case (1, "metrics", _): self = .metrics
        case (1, "sign-in", _): self = .signInPage
        case (2, "api", "sign-in"): self = .signIn
        case (2, "api", "sign-out"): self = .signOut
        case (2, "api", "state"): self = .state
        case (2, "api", "environments"): self = .environments
        case (2, "api", "zones"): self = .zones
        case (2, "api", "things"): self = .things
        case (2, "api", "map"): self = .map
        case (2, "api", "lifecycle"): self = .lifecycle
        case (3, "api", "things"): self = .thing(part(2))
        case (4, "api", "things") where part(3) == "actions": self = .actions(thing: part(2))
        case (3..., "api", _):
            guard let topic = CommandTopic(levels: Array(parts.dropFirst())), topic.isOnWeb else {
                return nil
            }
            self = .command(topic)
        default: return nil
        }
    }

    var methods: [HTTPRequest.Method] {
        switch self {
        case .command, .signIn, .signOut: [.post]
        case .start, .kiosk, .file, .health, .metrics, .signInPage, .state, .environments, .zones, .things,
            .thing, .actions, .map, .lifecycle:
            [.get, .head]
        }
    }
}

extension CommandTopic {
    /// Whether it is a path too: reading is a GET here, and a body always has members.
    fileprivate var isOnWeb: Bool {
        switch self {
        case .thingGet, .nearbySetAttribute, .thingSetAttribute: false
        default: true
        }
    }
}
