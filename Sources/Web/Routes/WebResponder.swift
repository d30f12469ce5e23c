import Controller
import Flare
import HTTPListener
import HTTPTypes
import Hummingbird
import Messages
import NIOCore
import NIOPosix
import Text
import Things

/// Answers the requests of browsers, displays and scripts.
struct WebResponder: HTTPResponder {
    let hub: WebHub
    let configuration: WebConfiguration
    /// What is wrong just now.
    let problems: @Sendable () async -> [HealthProblem]
    let metrics: @Sendable () async -> [Metric]
    let page: @Sendable () -> PageFiles
    /// Its own, beside those that the node provides.
    let routes: [WebRoute]

    /// Finds who asks.
    var gate: CallerGate {
        CallerGate(people: hub.node.people, counters: hub.counters) { [clock = hub.node.clock] in
            clock().steadyMilliseconds
        }
    }

    func respond(to request: Request, context: ChannelContext) async throws -> Response {
        let peer = context.channel.remoteAddress?.ipAddress
        let tables = [routes, hub.node.routes()]
        let path = RequestTarget(request.head.path ?? "/").path
        let found = WebRoute.find(request.head.method, path, in: tables)
        let area = found.map { $0.route.area } ?? area(at: path, in: tables)
        // What is there, and what is not, is told to nobody before they are identified, except in an area, where nobody is.
        let others: WebRoute.Callers = area == nil ? .identified : .everybody
        let callers = if let found { await found.route.callers(self, found.values) } else { others }
        var answer = try await gate.respond(to: request, from: peer, for: callers) { requester in
            guard let (route, parts, values) = found else {
                return WebAnswer.notFound(request.head, in: area).response(to: request.head)
            }
            guard route.methods.contains(request.head.method) else {
                let methods = WebRoute.methods(parts, in: tables)
                return Self.refusal(of: request.head, at: path, for: methods, in: area)
                    .response(to: request.head)
            }
            let channel = context.channel
            return try await route.respond(
                self,
                WebCall(request: request, requester: requester, channel: channel, path: parts, values: values)
            )
        }
        if answer.headers[.setCookie] != nil {
            let host = request.head.authority
            CookieScope(request.headers, host: host, publicURL: configuration.publicURL).limit(
                &answer.headers
            )
        }
        return answer
    }

    /// Where a path is that nothing answers; `nil` where errors have the usual form, also because there are no routes.
    private func area(at path: Substring, in tables: [[WebRoute]]) -> HTTPListenerConfiguration.Area? {
        guard let area = configuration.listener.area(of: String(path)) else { return nil }
        return tables.contains { $0.contains { $0.area == area } } ? area : nil
    }

    /// For a method that a path does not take.
    private static func refusal(
        of head: HTTPRequest,
        at path: Substring,
        for methods: [HTTPRequest.Method],
        in area: HTTPListenerConfiguration.Area?
    ) -> WebAnswer {
        let methods = methods.map(\.rawValue).joined(separator: ", ")
        return .problem(
            .methodNotAllowed,
            "method_not_allowed",
            "\(path.prefix(200)) takes \(methods) (is \(head.method))",
            headers: [.allow: methods],
            format: area?.errorFormat ?? .answer
        )
    }

    // MARK: Health

    func health(_ call: WebCall) async -> WebAnswer {
        let requester = await identified(call.request, on: call.channel)
        let seesAll = if let requester { await hub.seesEverything(requester) } else { false }
        return .health(await problems(), seesAll: seesAll)
    }

    func metricsText(_ call: WebCall) async -> WebAnswer {
        guard await hub.seesEverything(call.requester) else {
            return WebAnswer(Refusal(.notAllowed, "the metrics need the right to read all"))
        }
        let text = MetricsText.text(of: await metrics())
        return WebAnswer(type: MetricsText.contentType, body: ByteBuffer(string: text))
    }

    // MARK: Environments, zones and things

    /// All of a class.
    func objects(_ kind: FlareClass, _ request: Request, by requester: Requester) async -> WebAnswer {
        let environment = Self.query(of: request.head.path ?? "")["environment"]
        switch await hub.list(kind, in: environment, for: requester) {
        case .success(let text): return .list(text)
        case .failure(let refusal): return WebAnswer(refusal)
        }
    }

    // MARK: Commands

    func command(
        _ topic: CommandTopic,
        _ request: Request,
        for device: String? = nil,
        by requester: Requester
    ) async throws -> WebAnswer {
        // Removing needs no body.
        let needsBody = request.method != .delete
        if needsBody, let refusal = Self.unsupportedMedia(request.headers) { return refusal }
        let body = try await content(of: request, by: requester)
        if !needsBody, !body.isEmpty, let refusal = Self.unsupportedMedia(request.headers) { return refusal }
        var topic = topic
        topic.query = Self.query(of: request.head.path ?? "")
        return WebAnswer(await hub.perform(topic, body, for: device, by: requester))
    }

    /// The whole body of a request.
    ///
    /// - Throws: ``CallerGate/Ended`` if the caller's session or token was removed while it arrived.
    func content(of request: Request, by requester: Requester) async throws -> [UInt8] {
        let limit = configuration.listener.maximumBodyBytes(of: request.head.path ?? "")
        let body = try await request.body.collect(upTo: limit)
        guard requester.isCurrent(hub.node.people) else { throw CallerGate.Ended() }
        return Array(body.readableBytesView)
    }

    /// Forms of other pages cannot have this type without asking first.
    static func unsupportedMedia(_ fields: HTTPFields) -> WebAnswer? {
        let type = fields[.contentType] ?? ""
        let parts = type.lowercased().split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
        let charset = parts.dropFirst().first { $0.hasPrefix("charset=") }?.dropFirst(8)
        let isJSON = parts.first == "application/json"
        guard isJSON, charset.map({ ["utf-8", "\"utf-8\""].contains($0) }) ?? true,
            (fields[.contentEncoding] ?? "identity").lowercased() == "identity"
        else {
            let was = type.isEmpty ? "missing" : QuotedValue.of(type)
            return .problem(
                .unsupportedMediaType,
                "unsupported_media_type",
                "Content-Type must be application/json, in UTF-8 and not compressed (is \(was))"
            )
        }
        return nil
    }

    // MARK: The page

    /// The files of the page.
    ///
    /// They take a while the first time. The threads that answer requests are lent to the node, which must not wait.
    func pageFiles() async -> PageFiles {
        let made = try? await NIOThreadPool.singleton.runIfActive { [page] in page() }
        return made ?? page()
    }

    /// - Parameter version: Of the page that asks. What has this version never changes; an older page, which is
    ///   still open after an update, gets what there is.
    func file(_ name: String, version: String? = nil, _ head: HTTPRequest) async -> WebAnswer {
        let page = await pageFiles()
        guard let file = page[name] else { return .notFound(head) }
        let ancestors = (["'self'"] + configuration.frameAncestors).joined(separator: " ")
        var answer = WebAnswer(type: file.type, body: file.body)
        answer.compression = .done(file.gzip)
        answer.headers = [
            .eTag: file.tag,
            .cacheControl: version == page.version
                ? "private, max-age=31536000, immutable"
                : Self.isPicture(file) ? "max-age=86400" : "no-cache",
            .contentSecurityPolicy: Self.pagePolicy + "; frame-ancestors \(ancestors)",
        ]
        answer.revalidate(head)
        return answer
    }

    private static func isPicture(_ file: PageFiles.File) -> Bool {
        file.type.hasPrefix("image/") || file.type.hasPrefix("application/manifest")
    }

    private static let pagePolicy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        + "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'"
}

extension WebAnswer {
    /// A browser that asks for a page gets one with a link to the kiosk.
    static func notFound(
        _ head: HTTPRequest,
        in area: HTTPListenerConfiguration.Area? = nil
    ) -> WebAnswer {
        let path = head.path ?? "/"
        let wantsPage = head.headerFields[.accept]?.contains("text/html") == true && !path.hasPrefix("/api/")
        guard area == nil, wantsPage else {
            return .problem(
                .notFound,
                "not_found",
                "nothing answers \(head.method) \(path.prefix(200)) here",
                format: area?.errorFormat ?? .answer
            )
        }
        // Relative: a proxy may have put a prefix before the path.
        let depth = RequestTarget(path).path.split(separator: "/", omittingEmptySubsequences: false).count - 2
        let kiosk = String(repeating: "../", count: max(0, depth)) + "kiosk"
        let text = """
            <!DOCTYPE html>
            <html lang="en"><meta charset="utf-8"><title>Not found – Trilateral</title>
            <p>There is no page at this address.</p>
            <p><a href="\(kiosk)">Go to the kiosk</a></p>

            """
        let headers: HTTPFields = [.contentSecurityPolicy: "default-src 'none'"]
        let body = ByteBuffer(string: text)
        return WebAnswer(status: .notFound, type: "text/html; charset=utf-8", body: body, headers: headers)
    }

    /// - Parameter location: Relative to the path, so that a prefix of a reverse proxy stays.
    init(redirectTo location: String) {
        self = .text("see \(location)", status: .seeOther)
        headers[.location] = location
    }

    init(_ found: Result<[UInt8], Refusal>) {
        switch found {
        case .success(let text): self = .json(text)
        case .failure(let refusal): self.init(refusal)
        }
    }

    /// 503 while there is an error; warnings alone are 200, so that nothing restarts the daemon for a weak battery.
    fileprivate static func health(_ problems: [HealthProblem], seesAll: Bool) -> WebAnswer {
        let isBroken = problems.contains { $0.severity == .error }
        let first = isBroken ? [] : [problems.isEmpty ? "ok" : "degraded"]
        let text = (first + problems.map { seesAll ? $0.text : $0.publicText }).joined(separator: "\n")
        return .text(text, status: isBroken ? .serviceUnavailable : .ok)
    }

    static func picture(_ svg: [UInt8]) -> WebAnswer {
        var answer = WebAnswer(type: "image/svg+xml", body: ByteBuffer(bytes: svg))
        answer.headers[.contentSecurityPolicy] = "default-src 'none'; style-src 'unsafe-inline'"
        return answer
    }
}
