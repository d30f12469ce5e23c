import HTTPListener
import HTTPTypes
import Messages
import People

/// What answers a path.
enum WebRoute: Sendable, Hashable {
    /// `/`, which leads to the kiosk page.
    case start
    case kiosk
    /// A page with a slash behind its name, which leads to the page.
    case slashed(String)
    /// A page of people's own: signing up, the account, administration.
    case page(String)
    /// A file of the kiosk page, below `/kiosk/`; with the version of the page that asks for it.
    case file(String, version: String? = nil)
    /// A module or a picture of the configuration, below `/kiosk/modules/`.
    case module(String)
    /// What the profile files say to the page.
    case experience
    /// What the asker may drive.
    case permissions
    /// Whether somebody is signed in; signing in and out.
    case session
    /// Users, rights, secrets and the log; what follows `/api/`.
    case accounts([String])
    case health
    case metrics
    /// OpenAPI.
    case apiDescription
    /// The page with the form for the password.
    case signInPage
    case state
    case environments
    /// By short name or identifier, as in the path.
    case environment(String)
    case zones
    case zone(String)
    case things
    case thing(String)
    case actions(thing: String)
    case map
    case lifecycle
    /// Server-sent events.
    case events
    case presence(display: String)
    /// As on the topic of the same name.
    case command(CommandTopic)

    /// All paths; parts that vary have names in braces.
    static let table: [Entry] =
        [
            Entry("/", .start), Entry("/kiosk", .kiosk), Entry("/kiosk/{file}") { .file($0) },
            Entry("/kiosk/modules/{module}") { .module($0) },
            Entry("/kiosk/{version}/{file}", make: { .file($0, version: $1.dropFirst().first) }),
            Entry("/sign-in", .signInPage),
            Entry("/sign-up", .page("sign-up.html")), Entry("/forgot", .page("forgot.html")),
            Entry("/verify", .page("verify.html")), Entry("/me", .page("me.html")),
            Entry("/admin", .page("admin.html")),
            Entry("/healthz", .health), Entry("/metrics", .metrics),
            Entry("/api/openapi.json", .apiDescription), Entry("/api/state", .state),
            Entry("/api/environments", .environments),
            Entry("/api/environments/{environment}") { .environment($0) },
            Entry("/api/zones", .zones), Entry("/api/zones/{zone}") { .zone($0) },
            Entry("/api/things", .things), Entry("/api/things/{thing}") { .thing($0) },
            Entry("/api/things/{thing}/actions") { .actions(thing: $0) }, Entry("/api/map", .map),
            Entry("/api/lifecycle", .lifecycle), Entry("/api/events", .events),
            Entry("/api/experience", .experience), Entry("/api/permissions", .permissions),
            Entry("/api/session", .session),
            Entry("/api/display/{display}/presence") { .presence(display: $0) },
            Entry("/api/display/{display}/screen") { .command(.screenSet(display: $0)) },
        ] + CommandTopic.filters.compactMap { Entry(filter: $0) } + accounts

    /// What ``AccountsHandler`` answers; ``session`` is answered here, too.
    private static let accounts = AccountsRoute.table.filter { !$0.isLocal && $0.template != "session" }
        .map { Entry(accounts: $0) }

    /// A path of the table.
    struct Entry: Sendable {
        let template: String
        /// `nil` for the part that varies.
        private let parts: [String?]
        /// What the path stands for, from the part that varies and from all parts.
        private let make: @Sendable (String, [String]) -> WebRoute

        fileprivate init(_ template: String, _ make: @escaping @Sendable (String) -> WebRoute) {
            self.init(template) { name, _ in make(name) }
        }

        fileprivate init(accounts route: AccountsRoute) {
            self.init("/api/" + route.template) { _, path in .accounts(Array(path.dropFirst())) }
        }

        fileprivate init(_ template: String, make: @escaping @Sendable (String, [String]) -> WebRoute) {
            (self.template, self.make) = (template, make)
            parts = template.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
                .map { $0.hasPrefix("{") ? nil : String($0) }
        }

        fileprivate init(_ path: String, _ route: WebRoute) { self.init(path) { _ in route } }

        /// A command; `nil` if it is only a topic.
        fileprivate init?(filter: String) {
            guard let topic = CommandTopic(tail: Substring(filter)), topic.isOnWeb else { return nil }
            // The part that varies is named for the one before it: things/+ is {thing}.
            var previous = ""
            let parts = filter.split(separator: "/").map { part in
                defer { previous = String(part) }
                guard part == "+" else { return String(part) }
                return
                    "{\(previous.hasSuffix("s") ? String(previous.dropLast()) : Self.names[previous] ?? previous)}"
            }
            self.init("/api/" + parts.joined(separator: "/")) { name in
                let levels = filter.split(separator: "/").map { $0 == "+" ? Substring(name) : $0 }
                return .command(CommandTopic(levels: levels) ?? topic)
            }
        }

        private static let names = ["request": "verb", "lifecycle": "part"]

        var methods: [HTTPRequest.Method] { make("x", parts.map { $0 ?? "x" }).methods }

        /// `nil` for another path.
        fileprivate func route(_ path: [String]) -> WebRoute? {
            guard path.count == parts.count else { return nil }
            var name = ""
            for (own, other) in zip(parts, path) {
                if own == nil { name = other } else if own != other { return nil }
            }
            return make(name, path)
        }
    }

    private static let pages: Set<String> = [
        "kiosk", "sign-in", "sign-up", "forgot", "verify", "me", "admin",
    ]

    /// The page that a path names with a slash behind it; `nil` for another path.
    static func page(withSlash path: some StringProtocol) -> String? {
        guard path.hasPrefix("/"), path.hasSuffix("/") else { return nil }
        let name = String(path.dropFirst().dropLast())
        return pages.contains(name) ? name : nil
    }

    /// - Parameter path: Without the query.
    /// - Returns: `nil` if nothing answers there.
    init?(path: some StringProtocol) {
        guard path.hasPrefix("/") else { return nil }
        var parts: [String] = []
        for part in path.dropFirst().split(separator: "/", maxSplits: 5, omittingEmptySubsequences: false) {
            guard let decoded = part.percentDecoded else { return nil }
            parts.append(String(decoded))
        }
        if let name = Self.page(withSlash: path) {
            self = .slashed(name)
            return
        }
        for entry in Self.table {
            guard let route = entry.route(parts) else { continue }
            self = route
            return
        }
        return nil
    }

    var methods: [HTTPRequest.Method] {
        switch self {
        case .presence, .command: [.post]
        case .environments, .zones, .things: [.get, .head, .post]
        case .environment, .zone, .thing: [.get, .head, .patch, .delete]
        case .session: [.get, .head, .post, .delete]
        case .accounts(let path):
            (AccountsRoute(path)?.methods ?? []).flatMap { method -> [HTTPRequest.Method] in
                switch method {
                case .get: [.get, .head]
                case .post: [.post]
                case .put: [.put]
                case .patch: [.patch]
                case .delete: [.delete]
                }
            }
        case .start, .kiosk, .slashed, .page, .file, .module, .health, .metrics, .apiDescription, .signInPage,
            .state, .actions, .map, .lifecycle, .events, .experience, .permissions:
            [.get, .head]
        }
    }
}

extension WebRoute {
    /// Whether it is for somebody who has signed in, or brings a token: not for everybody on this machine.
    var needsSignIn: Bool {
        switch self {
        case .page("me.html"), .page("admin.html"): true
        case .accounts(let path): AccountsRoute(path)?.isPublic != true
        default: false
        }
    }
}

extension CommandTopic {
    /// Whether it is a path of the same name: reading is a GET here, a body always has members, and what a display
    /// shows has a path of its own.
    fileprivate var isOnWeb: Bool {
        switch self {
        case .thingGet, .nearbySetAttribute, .thingSetAttribute, .screenSet: false
        default: true
        }
    }
}
