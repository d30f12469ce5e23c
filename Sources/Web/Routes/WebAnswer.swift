import Controller
import HTTPListener
import HTTPTypes
import Hummingbird
import Messages
import NIOCore
import Text
import Things

/// A response before it is encoded as HTTP.
struct WebAnswer: Sendable {
    private static let jsonType = RequestError.jsonType
    static let textType = "text/plain; charset=utf-8"

    var status: HTTPResponse.Status = .ok
    var type: String
    var body: ByteBuffer
    /// Besides those that every response has.
    var headers: HTTPFields = [:]
    var compression = Compression.none

    /// Whether the body may be sent compressed.
    enum Compression: Sendable {
        case none
        /// If that is a gain.
        case allowed
        /// This is it already; `nil` if it is no gain.
        case done(ByteBuffer?)

        var isPossible: Bool {
            if case .none = self { false } else { true }
        }
    }

    init(status: HTTPResponse.Status = .ok, type: String, body: ByteBuffer, headers: HTTPFields = [:]) {
        (self.status, self.type, self.body, self.headers) = (status, type, body, headers)
    }

    static func json(_ text: [UInt8]) -> WebAnswer {
        WebAnswer(type: jsonType, body: ByteBuffer(bytes: text))
    }

    /// A long text that holds nothing secret beside what others may write.
    static func list(_ text: [UInt8]) -> WebAnswer {
        var answer = json(text)
        answer.compression = .allowed
        return answer
    }

    static func text(_ text: String, status: HTTPResponse.Status = .ok) -> WebAnswer {
        WebAnswer(status: status, type: textType, body: ByteBuffer(string: text + "\n"))
    }

    /// The answer to a command, with the status of its refusal.
    init(_ answer: Answer) {
        self = .json(answer.bytes)
        if let refusal = answer.refusal { setStatus(of: refusal) }
    }

    /// An error that has a code on MQTT too.
    init(_ refusal: Refusal) {
        let (code, message) = (refusal.code.rawValue, refusal.message)
        self = .problem(.badRequest, code, message, field: refusal.field)
        setStatus(of: refusal)
    }

    private mutating func setStatus(of refusal: Refusal) {
        status = HTTPResponse.Status(code: refusal.code.httpStatus)
        if refusal.code == .rateLimited { headers[.retryAfter] = "1" }
    }

    /// An error.
    static func problem(
        _ status: HTTPResponse.Status,
        _ code: String,
        _ message: String,
        field: String? = nil,
        headers: HTTPFields = [:],
        format: ErrorFormat = .answer
    ) -> WebAnswer {
        let mask = SecretMask.tokens
        let error = RequestError(status, code, mask.masked(message), field: field.map { mask.masked($0) })
        let body = ByteBuffer(string: error.text(format))
        return WebAnswer(status: status, type: jsonType, body: body, headers: headers)
    }

    /// The headers of every response.
    static let commonHeaders: HTTPFields = [
        .xContentTypeOptions: "nosniff", .referrerPolicy: "no-referrer",
    ]

    func response(to head: HTTPRequest) -> Response {
        var fields = Self.commonHeaders
        fields[.contentType] = type
        fields[.cacheControl] = "no-store"
        for field in headers {
            // Cookies alone are several fields.
            if field.name == .setCookie { fields.append(field) } else { fields[field.name] = field.value }
        }
        // "Not modified" says it too (RFC 9110, 15.4.5).
        if compression.isPossible { fields[.vary] = "Accept-Encoding" }
        guard status != .notModified, status != .noContent else {
            fields[.contentType] = nil
            return Response(status: status, headers: fields, body: ResponseBody { try await $0.finish(nil) })
        }
        var body = body
        if let compressed = compressed(for: head, &fields) { body = compressed }
        fields[.contentLength] = String(body.readableBytes)
        return Response(
            status: status,
            headers: fields,
            body: head.method == .head ? ResponseBody() : ResponseBody(byteBuffer: body)
        )
    }

    /// The body as a browser likes it best; `nil` if that is as it is.
    private func compressed(for head: HTTPRequest, _ fields: inout HTTPFields) -> ByteBuffer? {
        guard compression.isPossible, Self.takesGzip(head.headerFields[.acceptEncoding] ?? "") else {
            return nil
        }
        let body: ByteBuffer? =
            if case .done(let known) = compression { known } else { Gzip.compressed(body, .quick) }
        guard let body else { return nil }
        fields[.contentEncoding] = "gzip"
        // Another form of the same is another answer (RFC 9110, 8.8.3.3).
        if let tag = fields[.eTag] { fields[.eTag] = Self.gzipTag(tag) }
        return body
    }

    static func gzipTag(_ tag: String) -> String { tag.dropLast() + "-gzip\"" }

    /// - Source: RFC 9110, 12.5.3.
    private static func takesGzip(_ header: String) -> Bool {
        header.lowercased().split(separator: ",").contains { coding in
            let parts = coding.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
            let quality = parts.dropFirst().first { $0.hasPrefix("q=") }?.dropFirst(2)
            return parts.first == "gzip" && quality.map { Double($0) != 0 } ?? true
        }
    }
}

extension HTTPField.Name {
    static let referrerPolicy = HTTPField.Name("Referrer-Policy") ?? .from
}
