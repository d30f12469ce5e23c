import Controller
import Flare
import HTTPTypes
import Hummingbird
import Messages
import NIOCore
import Things

/// A response before it is encoded as HTTP.
struct WebAnswer: Sendable {
    static let jsonType = "application/json; charset=utf-8"
    static let textType = "text/plain; charset=utf-8"

    var status: HTTPResponse.Status = .ok
    var type: String
    var body: ByteBuffer
    /// Besides those that every response has.
    var headers: HTTPFields = [:]

    init(status: HTTPResponse.Status = .ok, type: String, body: ByteBuffer, headers: HTTPFields = [:]) {
        (self.status, self.type, self.body, self.headers) = (status, type, body, headers)
    }

    static func json(_ text: [UInt8]) -> WebAnswer {
        WebAnswer(type: jsonType, body: ByteBuffer(bytes: text))
    }

    static func text(_ text: String, status: HTTPResponse.Status = .ok) -> WebAnswer {
        WebAnswer(status: status, type: textType, body: ByteBuffer(string: text + "\n"))
    }

    /// The answer to a command, with the status of its refusal.
    init(_ answer: Answer) {
        self = .json(answer.json.bytes)
        if let refusal = answer.refusal { setStatus(of: refusal) }
    }

    /// An error that has a code on MQTT too.
    init(_ refusal: Refusal) {
        self = .error(refusal.json, .badRequest)
        setStatus(of: refusal)
    }

    private mutating func setStatus(of refusal: Refusal) {
        status = HTTPResponse.Status(code: refusal.code.httpStatus)
        if refusal.code == .rateLimited { headers[.retryAfter] = "1" }
    }

    /// An error that only HTTP has.
    static func problem(
        _ status: HTTPResponse.Status,
        _ code: String,
        _ message: String,
        headers: HTTPFields = [:]
    ) -> WebAnswer {
        var answer = error(["code": .string(code), "message": .string(message)], status)
        answer.headers = headers
        return answer
    }

    private static func error(_ error: JSONValue, _ status: HTTPResponse.Status) -> WebAnswer {
        let body: JSONValue = ["status": "error", "error": SecretMask.tokens.masked(error)]
        return WebAnswer(status: status, type: jsonType, body: ByteBuffer(bytes: body.bytes))
    }

    /// The headers of every response.
    static let commonHeaders: HTTPFields = [
        .xContentTypeOptions: "nosniff", .referrerPolicy: "no-referrer",
    ]

    func response(to head: HTTPRequest) -> Response {
        var fields = Self.commonHeaders
        fields[.contentType] = type
        fields[.cacheControl] = "no-store"
        for field in headers { fields[field.name] = field.value }
        guard status != .notModified, status != .noContent else {
            fields[.contentType] = nil
            return Response(status: status, headers: fields, body: ResponseBody { try await $0.finish(nil) })
        }
        fields[.contentLength] = String(body.readableBytes)
        let body = head.method == .head ? ResponseBody() : ResponseBody(byteBuffer: body)
        return Response(status: status, headers: fields, body: body)
    }
}

extension HTTPField.Name {
    static let referrerPolicy = HTTPField.Name("Referrer-Policy") ?? .from
}
