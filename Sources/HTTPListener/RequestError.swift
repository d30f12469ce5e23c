import HTTPTypes
import Hummingbird
import NIOCore

/// Why a request was refused, as JSON for people and programs.
struct RequestError: Sendable {
    let status: HTTPResponse.Status
    let contentType: String
    let text: String

    /// A custom message.
    init(status: HTTPResponse.Status, contentType: String, text: String) {
        (self.status, self.contentType, self.text) = (status, contentType, text)
    }

    /// - Parameters:
    ///   - code: A code for programs.
    ///   - key: The configuration key of the limit, if any.
    init(_ status: HTTPResponse.Status, _ code: String, _ message: String, key: String? = nil) {
        var text = #"{"error":"\#(code)","#
        if let key { text += #""key":"\#(key)","# }
        text += #""message":"\#(Self.escaped(message))"}"#
        self.init(status: status, contentType: "application/json; charset=utf-8", text: text)
    }

    /// The message for a status without further information.
    init(_ status: HTTPResponse.Status, for head: HTTPRequest) {
        let target = "\(head.method) \((head.path ?? "/").prefix(200))"
        switch status {
        case .notFound: self.init(.notFound, "not_found", "nothing answers \(target) here")
        default: self.init(status, "failed", "\(target): \(status.reasonPhrase)")
        }
    }

    init(_ refusal: AccessRefusal) {
        self.init(.forbidden, "forbidden", refusal.message, key: refusal.key)
    }

    /// A request that was not completed in time.
    static func timedOut(_ status: Int) -> RequestError {
        RequestError(HTTPResponse.Status(code: status), "timeout", "the request was not complete in time")
    }

    static let headTooLong = RequestError(
        .requestHeaderFieldsTooLarge,
        "too_large",
        "the request line and headers exceed this server's limit"
    )

    static func bodyTooLarge(_ size: String, limit: Int) -> RequestError {
        RequestError(
            .contentTooLarge,
            "too_large",
            "the body has \(size) bytes; at most \(limit) are allowed"
        )
    }

    static let notHTTP = RequestError(.badRequest, "bad_request", "this is not an HTTP/1.1 request")

    /// The answer to a request; without body for HEAD.
    func response(to head: HTTPRequest) -> Response {
        let body = ByteBuffer(string: text)
        return Response(
            status: status,
            headers: [.contentType: contentType, .contentLength: String(body.readableBytes)],
            body: head.method == .head ? ResponseBody() : ResponseBody(byteBuffer: body)
        )
    }

    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            case _ where scalar.value < 0x20: result += "?"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }
}
