import HTTPListener
import HTTPTypes
import Hummingbird
import JSON
import NIOCore
import Text

/// A response before it is encoded as HTTP.
struct RESTResponse {
    var status: HTTPResponse.Status = .ok
    var type: String
    var body: ByteBuffer
    var headers: HTTPFields = [:]
    /// The error message, which browsers get as a page.
    private var problem: String?
    /// The entity tag of the body, if it is already known.
    private var knownTag: String?

    init(
        status: HTTPResponse.Status = .ok,
        type: String,
        body: ByteBuffer,
        headers: HTTPFields = [:]
    ) {
        (self.status, self.type, self.body, self.headers) = (status, type, body, headers)
    }

    static let jsonType = RequestError.jsonType
    private static let htmlType = "text/html; charset=utf-8"

    /// A JSON value; `nil` is an empty body.
    static func json(_ value: JSONValue?, status: HTTPResponse.Status = .ok) -> RESTResponse {
        RESTResponse(status: status, type: jsonType, body: ByteBuffer(bytes: value?.bytes ?? []))
    }

    /// Encoded JSON.
    static func text(json: [UInt8]) -> RESTResponse {
        RESTResponse(type: jsonType, body: ByteBuffer(bytes: json))
    }

    /// A list of encoded objects.
    static func list(_ texts: [[UInt8]]) -> RESTResponse { list(EncodedList(texts)) }

    static func list(_ list: EncodedList) -> RESTResponse {
        var answer = RESTResponse(type: jsonType, body: list.bytes)
        answer.knownTag = list.tag
        return answer
    }

    /// A plain text, sent as HTML as by the original server.
    static func text(_ text: String) -> RESTResponse {
        RESTResponse(type: htmlType, body: ByteBuffer(string: text))
    }

    /// An error: JSON, or a page for clients that accept HTML.
    static func problem(_ status: HTTPResponse.Status, _ problem: String) -> RESTResponse {
        let code = status.reasonPhrase.lowercased().split(separator: " ").joined(separator: "_")
        let text = SecretMask.tokens.masked(String(problem.prefix(500)))
        let body = ByteBuffer(string: RequestError(status, code, text).text(.plain))
        var answer = RESTResponse(status: status, type: jsonType, body: body)
        answer.problem = text
        return answer
    }

    /// The HTML page of an error.
    private static func page(_ problem: String) -> String {
        let escaped = problem.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
            .replacing(">", with: "&gt;").replacing("\"", with: "&quot;")
        return """
            <!DOCTYPE html>
            <html lang="en"><head><meta charset="utf-8"><title>Error</title></head>
            <body><pre>\(escaped)</pre></body></html>

            """
    }

    /// The response to OPTIONS.
    static func options(_ methods: [HTTPRequest.Method]) -> RESTResponse {
        let allow = methods.map(\.rawValue).joined(separator: ",")
        var answer = text(allow)
        answer.headers[.allow] = allow
        return answer
    }
}

extension RESTResponse {
    /// The HTTP response without entity tag.
    var response: Response {
        var fields = headers
        fields[.contentType] = type
        return Response(status: status, headers: fields, body: ResponseBody(byteBuffer: body))
    }

    /// The HTTP response: with entity tag, without body for HEAD, and 304 if the client has the current one.
    func response(to request: HTTPRequest, method: HTTPRequest.Method) -> Response {
        let (head, body) = message(to: request, method: method)
        guard head.status != .notModified else { return .notModified(head.headerFields) }
        return Response(
            status: head.status,
            headers: head.headerFields,
            body: body.map { ResponseBody(byteBuffer: $0) } ?? ResponseBody()
        )
    }

    /// The same response as head and body.
    func message(to request: HTTPRequest, method: HTTPRequest.Method) -> (
        head: HTTPResponse, body: ByteBuffer?
    ) {
        if let problem, request.headerFields[.accept]?.contains("text/html") == true {
            var page = self
            page.problem = nil
            page.type = Self.htmlType
            page.body = ByteBuffer(string: Self.page(problem))
            page.knownTag = nil
            page.headers[.contentSecurityPolicy] = "default-src 'none'"
            page.headers[.xContentTypeOptions] = "nosniff"
            return page.message(to: request, method: method)
        }
        var fields = headers
        if status == .ok {
            let tag = knownTag ?? EncodedList.tag(of: body)
            fields.append(HTTPField(name: .eTag, value: tag))
            if method == .get || method == .head, Self.isFresh(request.headerFields, tag) {
                return (HTTPResponse(status: .notModified, headerFields: fields), nil)
            }
        }
        fields.append(HTTPField(name: .contentType, value: type))
        fields.append(HTTPField(name: .contentLength, value: String(body.readableBytes)))
        return (HTTPResponse(status: status, headerFields: fields), method == .head ? nil : body)
    }

    /// Whether the client has the current response (RFC 9110 13.1.2) and accepts a cached one.
    private static func isFresh(_ fields: HTTPFields, _ tag: String) -> Bool {
        fields.hasAnswer(tagged: tag) == true && fields[.cacheControl]?.contains("no-cache") != true
    }
}

extension Response {
    static func notModified(_ fields: HTTPFields) -> Response {
        // A stream body, because Hummingbird would add a Content-Length of 0 (RFC 9110 15.4.5).
        Response(status: .notModified, headers: fields, body: ResponseBody { try await $0.finish(nil) })
    }
}

/// A request that is refused before the hub sees it.
struct RESTRefusal: Error {
    let answer: RESTResponse

    init(_ status: HTTPResponse.Status, _ problem: String) { answer = .problem(status, problem) }
}
