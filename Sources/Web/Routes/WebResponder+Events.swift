import Controller
import HTTPListener
import HTTPTypes
import Hummingbird
import JSON
import Messages
import NIOCore
import Text
import Things
import Threading

/// The event streams of displays, and what displays say of themselves.
extension WebResponder {
    /// Interval after which a browser connects again, milliseconds.
    private static let retry = ByteBuffer(string: "retry: 1000\n\n")
    /// Whom this side leaves may come back at once: another page is about to be there.
    private static let comeBack = ByteBuffer(string: "retry: 200\n\n")

    /// A stream of server-sent events; a refusal if there can be none.
    func stream(_ request: Request, by requester: Requester, on channel: any Channel) async -> Response {
        let (head, streams) = (request.head, hub.streams)
        let (page, audience): (DisplayPage?, Audience)
        let target = head.path ?? ""
        switch await (
            Self.name("display", in: target), Self.name("page", in: target), hub.audience(of: requester)
        ) {
        case (.success(let display), .success(let name), .success(let found)):
            page = display.map { DisplayPage(DisplayName($0, of: found), page: name ?? "") }
            audience = found
        case (.failure(let refusal), _, _), (_, .failure(let refusal), _), (_, _, .failure(let refusal)):
            return WebAnswer(refusal).response(to: head)
        }
        let display = page?.display
        var fields = WebAnswer.commonHeaders
        fields[.contentType] = "text/event-stream; charset=utf-8"
        fields[.cacheControl] = "no-store"
        fields[.acceptsBuffering] = "no"
        guard head.method != .head else { return Response(status: .ok, headers: fields) }
        guard let id = await streams.open(display: display, for: audience.holder) else {
            hub.counters.withLock { $0.refusedStreams += 1 }
            let most = configuration.maximumStreams
            return WebAnswer.problem(
                .serviceUnavailable,
                "rate_limited",
                audience.holder == .owner || audience.holder == .unnamed
                    ? "\(most) event streams are open already; close one, or try again later"
                    : "a user may open \(Share(of: most).ofOneUser) event streams, and all together \(most); close one, or try again later",
                headers: [.retryAfter: "30"]
            ).response(to: head)
        }
        let slot = StreamSlot { [hub] in
            streams.loop.execute { streams.onExecutor { $0.close(id) } }
            hub.loop.perform { hub.onExecutor { $0.streamClosed(id, by: page) } }
        }
        let epoch = await hub.streamOpened(by: page)
        await streams.end(id, with: channel)
        let scope = await hub.view(id, by: requester, as: audience)
        let last = FeedEvent.number(in: request.headers[.lastEventID], epoch: epoch)
        await streams.begin(id, scope, after: last)
        let body = ResponseBody { [hub] writer in
            defer { slot.close() }
            try await writer.write(Self.retry)
            steps: while true {
                switch await streams.next(id) {
                case .write(let text): try await writer.write(text)
                case .filter(let events):
                    guard let text = await hub.text(of: events, for: id) else { break steps }
                    if text.readableBytes > 0 { try await writer.write(text) }
                case .startOver:
                    guard let snapshot = await hub.snapshot(for: display, on: id) else { break steps }
                    await streams.setPosition(id, snapshot.last)
                    try await writer.write(snapshot.text)
                case .end: break steps
                }
            }
            try await writer.write(Self.comeBack)
            try await writer.finish(nil)
        }
        return Response(status: .ok, headers: fields, body: body)
    }

    /// The display or the page that a query names; `nil` if it names none.
    private static func name(_ key: String, in target: String) -> Result<String?, Refusal> {
        let values = RequestTarget(target).parameters.filter { $0.hasPrefix(key + "=") }
            .map { $0.dropFirst(key.count + 1) }
        guard let value = values.first else { return .success(nil) }
        guard values.count == 1, DisplayRegistry.isLegal(value) else { return .failure(illegal(key, value)) }
        return .success(String(value))
    }

    private static func illegal(_ key: String, _ name: some StringProtocol) -> Refusal {
        Refusal(
            .invalidValue,
            "a \(key)'s id has 1 to 64 letters, digits, _ and -, and is not all (is \(QuotedValue.of(String(name))))",
            field: key
        )
    }

    // MARK: Presence

    /// Takes `visible`, `hidden` or `gone`, as a JSON string or as the member `presence` beside the name of the page.
    func setPresence(of display: String, _ request: Request, by requester: Requester) async throws
        -> WebAnswer
    {
        guard DisplayRegistry.isLegal(display) else { return WebAnswer(Self.illegal("display", display)) }
        if let refusal = Self.unsupportedMedia(request.headers) { return refusal }
        let bytes = try await content(of: request, by: requester)
        let body = try? JSONValue(parsing: bytes)
        let member = body?["presence"]?.string
        guard !bytes.isEmpty,
            let presence = Lifecycle.DisplayPresence(payload: member.map { Array($0.utf8) } ?? bytes)
        else {
            let legal = Lifecycle.DisplayPresence.allCases.map(\.rawValue)
            let message =
                "presence must be one of \(QuotedValue.list(legal)) (is \(QuotedValue.of(String(decoding: bytes.prefix(80), as: UTF8.self))))"
            return WebAnswer(Refusal(.invalidValue, message, field: "presence"))
        }
        let known = ["presence", "page"]
        if let unknown = body?.object?.keys.filter({ !known.contains($0) }).min() {
            let hint = NearestName.hint(for: unknown, among: known)
            let message =
                "unknown key \(QuotedValue.of(unknown))\(hint.isEmpty ? ";" : hint) known: \(QuotedValue.list(known))"
            return WebAnswer(Refusal(.unknownKey, message, field: unknown))
        }
        let page = body?["page"]
        guard page.map({ DisplayRegistry.isLegal($0.string ?? "") }) ?? true else {
            return WebAnswer(Self.illegal("page", page?.string ?? page?.text ?? ""))
        }
        let refusal = await hub.setPresence(presence, of: display, page: page?.string ?? "", by: requester)
        if let refusal { return WebAnswer(refusal) }
        return .json(JSONValue.object(["status": "ok"]).bytes)
    }
}

extension HTTPField.Name {
    fileprivate static let lastEventID = HTTPField.Name("Last-Event-ID") ?? .from
    /// Asks nginx not to collect the stream before it passes it on.
    fileprivate static let acceptsBuffering = HTTPField.Name("X-Accel-Buffering") ?? .from
}
