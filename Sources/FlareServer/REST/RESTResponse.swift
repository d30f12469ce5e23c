import Flare
import HTTPTypes
import Hummingbird
import NIOCore

/// What a request is answered, before it is put into HTTP.
struct RESTResponse {
    var status: HTTPResponse.Status = .ok
    var type: String
    var body: ByteBuffer
    var headers: HTTPFields = [:]
    /// What was wrong, if something was that a browser may show.
    private var problem: String?
    /// The tag of the body, when it is known already.
    private var knownTag: String?

    init(
        status: HTTPResponse.Status = .ok,
        type: String,
        body: ByteBuffer,
        headers: HTTPFields = [:]
    ) {
        (self.status, self.type, self.body, self.headers) = (status, type, body, headers)
    }

    static let jsonType = "application/json; charset=utf-8"
    private static let htmlType = "text/html; charset=utf-8"

    /// JSON; an absent value is an empty body.
    static func json(_ value: JSONValue?, status: HTTPResponse.Status = .ok) -> RESTResponse {
        RESTResponse(status: status, type: jsonType, body: ByteBuffer(bytes: value?.bytes ?? []))
    }

    /// JSON that is written already.
    static func text(json: [UInt8]) -> RESTResponse {
        RESTResponse(type: jsonType, body: ByteBuffer(bytes: json))
    }

    /// A list of objects that are written already.
    static func list(_ texts: [[UInt8]]) -> RESTResponse { list(ListText(texts)) }

    static func list(_ list: ListText) -> RESTResponse {
        var answer = RESTResponse(type: jsonType, body: list.bytes)
        answer.knownTag = list.tag
        return answer
    }

    /// A word to the client as the origin sends it, without mark-up.
    static func text(_ text: String) -> RESTResponse {
        RESTResponse(type: htmlType, body: ByteBuffer(string: text))
    }

    /// What was wrong: as JSON, or as a page for who wants to read one.
    static func problem(_ status: HTTPResponse.Status, _ problem: String) -> RESTResponse {
        let code = status.reasonPhrase.lowercased().split(separator: " ").joined(separator: "_")
        let text = JSONValue.string(String(problem.prefix(500)))
        var answer = RESTResponse.json(["error": .string(code), "message": text], status: status)
        answer.problem = text.string
        return answer
    }

    /// The page for a problem.
    private static func page(_ problem: String) -> String {
        let escaped = problem.reduce(into: "") { result, character in
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            default: result.append(character)
            }
        }
        return """
            <!DOCTYPE html>
            <html lang="en"><head><meta charset="utf-8"><title>Error</title></head>
            <body><pre>\(escaped)</pre></body></html>

            """
    }

    /// What a path answers to OPTIONS.
    static func options(_ methods: [HTTPRequest.Method]) -> RESTResponse {
        let allow = methods.map(\.rawValue).joined(separator: ",")
        var answer = text(allow)
        answer.headers[.allow] = allow
        return answer
    }
}

extension RESTResponse {
    /// The answer in HTTP, as it is.
    var response: Response {
        var fields = headers
        fields[.contentType] = type
        return Response(status: status, headers: fields, body: ResponseBody(byteBuffer: body))
    }

    /// The answer in HTTP: with its tag, without body for HEAD, and as 304 when the client has it already.
    func response(to request: HTTPRequest, method: HTTPRequest.Method) -> Response {
        let (head, body) = message(to: request, method: method)
        guard head.status != .notModified else {
            // Without the length of what is not sent (RFC 9110 15.4.5), which Hummingbird would state as 0.
            return Response(
                status: head.status,
                headers: head.headerFields,
                body: ResponseBody { try await $0.finish(nil) }
            )
        }
        return Response(
            status: head.status,
            headers: head.headerFields,
            body: body.map { ResponseBody(byteBuffer: $0) } ?? ResponseBody()
        )
    }

    /// The same as head and body.
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
            let tag = knownTag ?? ListText.tag(of: body)
            fields[.eTag] = tag
            if method == .get || method == .head, Self.isFresh(request.headerFields, tag) {
                return (HTTPResponse(status: .notModified, headerFields: fields), nil)
            }
        }
        fields[.contentType] = type
        fields[.contentLength] = String(body.readableBytes)
        return (HTTPResponse(status: status, headerFields: fields), method == .head ? nil : body)
    }

    /// Whether the client has this very answer (RFC 9110 13.1.2) and does not insist on a new one.
    private static func isFresh(_ fields: HTTPFields, _ tag: String) -> Bool {
        guard let known = fields[.ifNoneMatch], fields[.cacheControl]?.contains("no-cache") != true else {
            return false
        }
        if known == "*" { return true }
        let opaque = tag.dropFirst(2)
        return known.split(separator: ",").contains { candidate in
            let candidate = candidate.drop { $0 == " " }
            return (candidate.hasPrefix("W/") ? candidate.dropFirst(2) : candidate)
                .trimmingSuffix(while: { $0 == " " }) == opaque
        }
    }
}

extension Substring {
    fileprivate func trimmingSuffix(while isDropped: (Character) -> Bool) -> Substring {
        var text = self
        while let last = text.last, isDropped(last) { text.removeLast() }
        return text
    }
}
