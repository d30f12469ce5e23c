package import Controller
import Flare
import HTTPListener
import HTTPTypes
import Hummingbird
package import JSON
import NIOCore
import People
import PlaceMap
import Text

/// A request whose caller and path are known.
struct WebCall: Sendable {
    let request: Request
    let requester: Requester
    let channel: any Channel
    /// The parts of the path, decoded; the first one is empty.
    let path: [String]
    /// The parts that vary.
    let values: [String]

    var head: HTTPRequest { request.head }
    /// The first part that varies.
    var name: String { values.first ?? "" }
    /// With its question mark; empty without one.
    var query: String { RequestTarget(head.path ?? "").query.map { "?\($0)" } ?? "" }
}

/// A path of the listener, who may ask for it, and what answers.
package struct WebRoute: Sendable {
    /// Who may ask.
    enum Callers: Sendable {
        /// Nobody needs to be identified, and nobody is.
        case everybody
        /// Whoever is identified, also everybody on this machine as far as they may use the page.
        case identified
        /// Somebody who has signed in, or brings a token: not everybody on this machine.
        case signedIn
    }

    typealias Handler = @Sendable (WebResponder, WebCall) async throws -> Response

    let template: PathTemplate
    let methods: [HTTPRequest.Method]
    /// By the parts of the path that vary.
    let callers: @Sendable (WebResponder, _ values: [String]) async -> Callers
    /// Where it is, if its errors have another form than usual.
    let area: HTTPListenerConfiguration.Area?
    let respond: Handler

    /// What answers a request, with the parts of its path as in ``WebCall``.
    ///
    /// - Parameters:
    ///   - path: Without the query.
    ///   - tables: Of routes that fit equally well, the first one answers.
    /// - Returns: A route with another method, if there is none with this one; `nil` if nothing answers there.
    static func find(
        _ method: HTTPRequest.Method,
        _ path: Substring,
        in tables: [[WebRoute]]
    ) -> (route: WebRoute, path: [String], values: [String])? {
        guard path.hasPrefix("/") else { return nil }
        var parts: [String] = []
        // A longer path fits none of them.
        let longest = tables.reduce(0) { $1.reduce($0) { max($0, $1.template.count) } }
        for part in path.parts(between: "/", maxSplits: longest) {
            guard let decoded = part.percentDecoded else { return nil }
            parts.append(decoded)
        }
        let fitting = fitting(parts, in: tables)
        guard
            let (route, values) = fitting.first(where: { $0.route.methods.contains(method) }) ?? fitting.first
        else { return nil }
        return (route, parts, values)
    }

    /// The methods of a path, of all routes that it fits.
    static func methods(_ path: [String], in tables: [[WebRoute]]) -> [HTTPRequest.Method] {
        fitting(path, in: tables).reduce(into: []) { methods, found in
            methods += found.route.methods.filter { !methods.contains($0) }
        }
    }

    /// The routes that a path fits, with the parts that vary.
    ///
    /// A word goes before a part that varies, in whatever table it is: `grants/check` is no grant.
    private static func fitting(
        _ path: [String],
        in tables: [[WebRoute]]
    ) -> [(route: WebRoute, values: [String])] {
        var all: [(route: WebRoute, values: [String])] = []
        for table in tables {
            for route in table {
                if let values = route.template.values(in: path) { all.append((route, values)) }
            }
        }
        let least = all.map(\.values.count).min()
        return all.filter { $0.values.count == least }
    }

    // MARK: The table

    /// All paths but those that capabilities provide.
    static func table(_ commands: CommandTable) -> [WebRoute] {
        pages + reading + objects + commands.descriptors.compactMap { command($0) } + accounts
            + CommandTable(ofDevice: commands).descriptors.compactMap { command($0, ofDevice: true) }
    }

    /// Pages with a slash behind them, which lead to the pages.
    private static let slashed = ["kiosk", "sign-in", "sign-up", "forgot", "verify", "me", "admin"].map {
        "/\($0)/"
    }

    private static let pages: [WebRoute] =
        slashed.map { path in
            get(path, for: .everybody) { WebAnswer(redirectTo: "..\(path.dropLast())\($1.query)") }
        } + [
            // Leads to the kiosk page.
            get("/") { WebAnswer(redirectTo: "kiosk" + $1.query) },
            get("/kiosk") { await $0.file(PageFiles.page, $1.head) },
            files("/kiosk/{file}") { await $0.file($1.name, $1.head) },
            get("/kiosk/modules/{module}") { await $0.module($1.name, $1.head) },
            // With the version of the page that asks for it.
            files("/kiosk/{version}/{file}") { await $0.file($1.values[1], version: $1.name, $1.head) },
            get("/sign-in", for: .everybody) { await $0.file(PageFiles.signInPage, $1.head) },
            get("/sign-up", for: .everybody) { await $0.file("sign-up.html", $1.head) },
            get("/forgot", for: .everybody) { await $0.file("forgot.html", $1.head) },
            get("/verify", for: .everybody) { await $0.file("verify.html", $1.head) },
            get("/me", for: .signedIn) { await $0.file("me.html", $1.head) },
            get("/admin", for: .signedIn) { await $0.file("admin.html", $1.head) },
        ]

    private static let reading: [WebRoute] = [
        get("/healthz", for: .everybody) { await $0.health($1) },
        get("/metrics") { await $0.metricsText($1) },
        // OpenAPI 3.1; a test replays it against the listener.
        get("/api/openapi.json") { _, _ in .list(PackageResources.openapi_json) },
        get("/api/state") { .json(await $0.hub.state(for: $1.requester)) },
        get("/api/devices") { .list(await $0.hub.devices(for: $1.requester)) },
        get("/api/devices/{device}/state") {
            WebAnswer(await $0.hub.state(of: $1.name, for: $1.requester))
        },
        get("/api/things/{thing}/actions") {
            WebAnswer(await $0.hub.actions(of: $1.name, for: $1.requester))
        },
        get("/api/map") { .picture(await $0.hub.picture(for: $1.requester).svg) },
        // What the profile files say to the page.
        get("/api/experience") { responder, _ in .list(await responder.hub.experience) },
        get("/api/permissions") { .json(await $0.hub.permissions(of: $1.requester).json) },
        // Has no end, so it is no answer.
        WebRoute("/api/events", [.get, .head]) {
            await $0.stream($1.request, by: $1.requester, on: $1.channel)
        },
        route("/api/display/{display}/presence", [.post]) {
            try await $0.setPresence(of: $1.name, $1.request, by: $1.requester)
        },
    ]

    private static let objects = [FlareClass.environment, .zone, .thing].flatMap { kind -> [WebRoute] in
        let name = kind.rawValue
        return [
            get("/api/\(name)s") { await $0.objects(kind, $1.request, by: $1.requester) },
            get("/api/\(name)s/{\(name)}") {
                WebAnswer(await $0.hub.object(kind, $1.name, for: $1.requester))
            },
        ]
    }

    /// `nil` for a command that is only a topic.
    ///
    /// - Parameter ofDevice: Whether the path names a device that the command is for.
    private static func command(_ descriptor: CommandDescriptor, ofDevice: Bool = false) -> WebRoute? {
        guard let web = descriptor.web, let method = HTTPRequest.Method(rawValue: web.method.rawValue) else {
            return nil
        }
        let start = ofDevice ? "/api/devices/{device}/" : "/api/"
        return route(start + web.path, [method]) { responder, call in
            let values = ofDevice ? call.values.dropFirst() : call.values[...]
            let topic = descriptor.topic(values.first ?? "", values.dropFirst().first ?? "")
            return try await responder.command(
                topic,
                call.request,
                for: ofDevice ? call.name : nil,
                by: call.requester
            )
        }
    }

    /// What ``AccountsHandler`` answers.
    private static let accounts: [WebRoute] = AccountsRoute.table.filter { !$0.isLocal }.map { accounts in
        let methods = accounts.methods.compactMap { HTTPRequest.Method(rawValue: $0.rawValue) }
        return route(
            "/api/\(accounts.template)",
            methods.flatMap { $0 == .get ? [.get, .head] : [$0] },
            for: accounts.isPublic ? .everybody : .signedIn
        ) { responder, call in
            let isReading = call.request.method == .get || call.request.method == .head
            guard accounts.template.description != "session" || !isReading else {
                return await responder.presence(call.request, on: call.channel)
            }
            // Without /api.
            return try await responder.accounts(
                Array(call.path.dropFirst(2)),
                call.request,
                by: call.requester
            )
        }
    }

    // MARK: Routes

    /// What a capability knows, for whoever may see this device's place.
    ///
    /// - Parameters:
    ///   - template: A path, as `/api/lifecycle`; parts that vary have names in braces.
    ///   - json: The answer, from the state as the caller may see it.
    package static func reading(
        _ template: String,
        json: @escaping @Sendable (ControllerState) -> JSONValue
    ) -> WebRoute {
        get(template) { .json(await $0.hub.json(json, for: $1.requester)) }
    }

    /// What a folder of this module answers to callers whom it recognises itself.
    ///
    /// Neither a cookie nor the listener's password nor a proxy's header says who they are.
    /// - Parameters:
    ///   - template: A path within the area.
    ///   - answer: Reads the body itself, if there may be one.
    static func open(
        _ template: String,
        _ methods: [HTTPRequest.Method],
        in area: HTTPListenerConfiguration.Area,
        answer: @escaping @Sendable (WebResponder, WebCall) async throws -> WebAnswer
    ) -> WebRoute {
        WebRoute(template, methods, for: { _, _ in .everybody }, in: area) {
            try await answer($0, $1).response(to: $1.head)
        }
    }

    /// What a folder of this module answers to who has signed in.
    ///
    /// - Parameter answer: Reads the body itself, if there may be one.
    static func signedIn(
        _ template: String,
        _ methods: [HTTPRequest.Method],
        answer: @escaping @Sendable (WebResponder, WebCall) async throws -> WebAnswer
    ) -> WebRoute {
        route(template, methods, for: .signedIn, answer: answer)
    }

    private init(
        _ template: String,
        _ methods: [HTTPRequest.Method],
        for callers: @escaping @Sendable (WebResponder, [String]) async -> Callers = { _, _ in .identified },
        in area: HTTPListenerConfiguration.Area? = nil,
        respond: @escaping Handler
    ) {
        (self.template, self.methods, self.area) = (PathTemplate(template), methods, area)
        (self.callers, self.respond) = (callers, respond)
    }

    private static func route(
        _ template: String,
        _ methods: [HTTPRequest.Method],
        for callers: Callers = .identified,
        answer: @escaping @Sendable (WebResponder, WebCall) async throws -> WebAnswer
    ) -> WebRoute {
        WebRoute(template, methods, for: { _, _ in callers }) {
            try await answer($0, $1).response(to: $1.head)
        }
    }

    /// What is only read.
    static func get(
        _ template: String,
        for callers: Callers = .identified,
        answer: @escaping @Sendable (WebResponder, WebCall) async throws -> WebAnswer
    ) -> WebRoute {
        route(template, [.get, .head], for: callers, answer: answer)
    }

    /// Files of the page, some of which are needed before anybody is identified.
    private static func files(
        _ template: String,
        answer: @escaping @Sendable (WebResponder, WebCall) async -> WebAnswer
    ) -> WebRoute {
        WebRoute(
            template,
            [.get, .head],
            for: { responder, path in
                let isOpen = await SignInPaths.isOpen(file: path) { await responder.pageFiles().version }
                return isOpen ? .everybody : .identified
            }
        ) { await answer($0, $1).response(to: $1.head) }
    }
}
