package import HTTPTypes
import Hummingbird
import JSON
import NIOCore

/// The form of the JSON in which a listener reports errors of its own.
package enum ErrorFormat: Sendable, Hashable {
    /// `{"error":CODE,"key"?:KEY,"message":TEXT}`.
    case plain
    /// `{"status":"error","error":{"code":CODE,"message":TEXT}}`, as commands are answered.
    /// - Source: contrib/contract/mqtt.md, "Rule 1: every command gets one answer".
    case answer
    /// `{"errorCode":CODE,"message":TEXT,"invalidFields"?:{FIELD:TEXT}}`, as programs for Thing-IF expect it.
    /// - Source: contrib/contract/bindings.md, "Refusals".
    case errorCode
}

/// Why a request was refused, as JSON for people and programs: the only place that makes the bodies of errors.
package struct RequestError: Sendable {
    package let status: HTTPResponse.Status
    private let code: String
    package let message: String
    private let field: String?
    package let key: String?

    /// - Parameters:
    ///   - code: A code for programs.
    ///   - field: The field at fault, if it is a single one.
    ///   - key: The configuration key of the limit, if any.
    package init(
        _ status: HTTPResponse.Status,
        _ code: String,
        _ message: String,
        field: String? = nil,
        key: String? = nil
    ) {
        (self.status, self.code, self.message) = (status, code, message)
        (self.field, self.key) = (field, key)
    }

    /// The message for a status without further information.
    init(_ status: HTTPResponse.Status, for head: HTTPRequest) {
        let target = "\(head.method) \((head.path ?? "/").prefix(200))"
        switch status {
        case .notFound: self.init(.notFound, "not_found", "nothing answers \(target) here")
        default: self.init(status, "failed", "\(target): \(status.reasonPhrase)")
        }
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

    static let failed = RequestError(
        .internalServerError,
        "internal",
        "the server could not answer this request"
    )

    static let notHTTP = RequestError(.badRequest, "bad_request", "this is not an HTTP/1.1 request")

    package static let jsonType = "application/json; charset=utf-8"

    package func text(_ format: ErrorFormat) -> String {
        switch format {
        case .plain:
            var members: JSONObject = ["error": .string(code), "message": .string(message)]
            members["key"] = key.map { .string($0) }
            return JSONValue.object(members).text
        case .answer:
            // As on MQTT.
            let code = code == "forbidden" ? "not_allowed" : code
            var members: JSONObject = ["code": .string(code), "message": .string(message)]
            members["field"] = field.map { .string($0) }
            return JSONValue.object(["status": "error", "error": .object(members)]).text
        case .errorCode:
            let errorCode = Self.errorCodes[code] ?? code.uppercased()
            var members: JSONObject = ["errorCode": .string(errorCode), "message": .string(message)]
            if status == .badRequest, let field {
                members["invalidFields"] = .object(JSONObject([(field, .string(message))]))
            }
            return JSONValue.object(members).text
        }
    }

    /// The codes of ``ErrorFormat/errorCode``, by ours; any other is ours in capitals.
    private static let errorCodes = [
        "bad_request": "INVALID_INPUT_DATA", "too_large": "INVALID_INPUT_DATA",
        "unsupported_media_type": "INVALID_INPUT_DATA", "unauthenticated": "UNAUTHORIZED",
        "forbidden": "FORBIDDEN", "not_allowed": "FORBIDDEN", "rate_limited": "TOO_MANY_REQUESTS",
        "internal": "INTERNAL_ERROR", "failed": "INTERNAL_ERROR",
    ]

    /// The answer to a request; without body for HEAD.
    func response(to head: HTTPRequest, _ format: ErrorFormat) -> Response {
        let body = ByteBuffer(string: text(format))
        var fields: HTTPFields = [
            .contentType: Self.jsonType, .contentLength: String(body.readableBytes),
        ]
        // As all answers there.
        if format == .errorCode { fields[.cacheControl] = "no-store" }
        return Response(
            status: status,
            headers: fields,
            body: head.method == .head ? ResponseBody() : ResponseBody(byteBuffer: body)
        )
    }
}
