import Bindings
import Controller
import HTTPListener
import HTTPTypes
import Hummingbird
import JSON
import NIOCore
import People
import Text
import Things

/// A request of a program for Thing-IF.
///
/// It is judged in this order: the app, the caller, the form of the request, and only then what it asks for.
struct ThingIFCall: Sendable {
    let responder: WebResponder
    let call: WebCall

    private var fields: HTTPFields { call.request.headers }
    /// The app's identifier in the path.
    var app: String { call.name }
    /// What varies in the path behind the app.
    var values: [String] { Array(call.values.dropFirst()) }
    var address: String? { call.requester.address }
    /// Milliseconds since 1970.
    var now: Int64 { responder.hub.node.clock().wallMilliseconds }

    // MARK: Callers

    func caller(_ service: any ThingIFCallers) async throws -> BindingCaller {
        let received: ReceivedCredentials
        do {
            received = try ReceivedCredentials(fields, to: app)
        } catch {
            try await check(app: service)
            throw ThingIFError(error, about: .app)
        }
        switch await service.caller(bringing: received.ofCaller, to: app, from: address) {
        case .success(let caller): return caller
        case .failure(let error): throw ThingIFError(error, about: .app)
        }
    }

    /// What comes beside a request for a token.
    func credentials(_ service: any ThingIFCallers) async throws -> ReceivedCredentials {
        try await check(app: service)
        return try ReceivedCredentials(fields, to: app)
    }

    /// Refuses an unknown app, which is reported before anything about callers.
    private func check(app service: any ThingIFCallers) async throws {
        guard case .failure(let error) = await service.caller(bringing: .none, to: app, from: address),
            error.code != RefusalCode.unauthenticated.rawValue
        else { return }
        throw ThingIFError(error, about: .app)
    }

    // MARK: Bodies

    /// The type of the body, in lower case and without parameters; empty without one.
    var mediaType: String {
        let type = (fields[.contentType] ?? "").prefix { $0 != ";" }
        return type.filter { $0 != " " && $0 != "\t" }.lowercased()
    }

    var contentType: String? { fields[.contentType] }

    /// The whole body as it was sent.
    func bytes() async throws -> [UInt8] {
        guard (fields[.contentEncoding] ?? "identity").lowercased() == "identity" else {
            throw Refusal(.invalidValue, "the body must not be compressed", field: "Content-Encoding")
        }
        let limit = responder.configuration.listener.maximumBodyBytes(of: call.head.path ?? "")
        let body = try await call.request.body.collect(upTo: limit)
        return Array(body.readableBytesView)
    }

    /// Who asks, and the whole body.
    ///
    /// The caller is recognised again after the body has come: a token may have ended meanwhile.
    func callerAndBytes(_ service: any ThingIFCallers) async throws -> (BindingCaller, [UInt8]) {
        _ = try await caller(service)
        let bytes = try await bytes()
        return (try await caller(service), bytes)
    }

    /// Refuses a body of another type than JSON, for which programs for Thing-IF have several names.
    func checkJSON() throws(Refusal) {
        let type = mediaType
        guard type != "application/json", !(type.hasPrefix("application/") && type.hasSuffix("+json")) else {
            return
        }
        let found = contentType.map { "is \(QuotedValue.of($0))" } ?? "is missing"
        throw Refusal(
            .invalidValue,
            "Content-Type \(found); it must be application/json",
            field: "Content-Type"
        )
    }

    /// A body of a type that was checked.
    static func json(_ bytes: [UInt8]) throws(Refusal) -> JSONValue {
        do throws(JSONError) {
            return try JSONValue(parsing: bytes, refusesRepeats: true)
        } catch {
            throw Refusal(.badJSON, "the body is no JSON: \(error)")
        }
    }
}

// MARK: - Answers

extension WebRoute {
    /// A path for programs for Thing-IF.
    ///
    /// - Parameters:
    ///   - subject: What a refusal is about that does not say so itself.
    ///   - answer: May throw ``ThingIFError``, ``BindingsError`` and ``Refusal``.
    static func thingIF(
        _ template: String,
        _ methods: [HTTPRequest.Method],
        in area: HTTPListenerConfiguration.Area,
        about subject: ThingIFError.Subject,
        answer: @escaping @Sendable (ThingIFCall) async throws -> WebAnswer
    ) -> WebRoute {
        .open(template, methods, in: area) { responder, call in
            do {
                return try await answer(ThingIFCall(responder: responder, call: call))
            } catch let error as ThingIFError {
                return WebAnswer(error)
            } catch let error as BindingsError {
                return WebAnswer(ThingIFError(error, about: subject))
            } catch let refusal as Refusal {
                return WebAnswer(ThingIFError(refusal, about: subject))
            }
        }
    }
}

extension WebAnswer {
    /// How long a client is to wait that came too often, seconds.
    private static let patience = 5

    init(_ error: ThingIFError) {
        self = .json(SecretMask.tokens.masked(JSONValue.object(error.json)).bytes)
        status = HTTPResponse.Status(code: error.status)
        if status == .unauthorized { headers[.wwwAuthenticate] = #"Bearer realm="Trilateral""# }
        if status == .tooManyRequests { headers[.retryAfter] = String(Self.patience) }
    }

    static func object(_ members: JSONObject, status: HTTPResponse.Status = .ok) -> WebAnswer {
        var answer = json(JSONValue.object(members).bytes)
        answer.status = status
        return answer
    }

    /// 204, without a body.
    static var nothing: WebAnswer {
        WebAnswer(status: .noContent, type: textType, body: ByteBuffer())
    }
}
