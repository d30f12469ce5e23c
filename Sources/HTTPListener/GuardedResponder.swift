import HTTPTypes
import Hummingbird
import NIOCore

/// Looks at every request before the application does: names, then size.
struct GuardedResponder<Inner: HTTPResponder>: HTTPResponder
where Inner.Context: InitializableFromSource<ApplicationRequestContextSource> {
    struct Context: InitializableFromSource {
        let inner: Inner.Context
        let channel: any Channel

        init(source: ApplicationRequestContextSource) {
            inner = Inner.Context(source: source)
            channel = source.channel
        }
    }

    let inner: Inner
    let policy: AccessPolicy
    let maximumBodyBytes: Int

    func respond(to request: Request, context: Context) async throws -> Response {
        let head = request.head
        guard head.headerFields[.secondHost] == nil else {
            return Response(status: .badRequest, problem: "bad_request", "more than one Host header")
        }
        let refusal = policy.refusal(
            host: head.authority,
            origin: head.headerFields[.origin],
            connectedTo: context.channel.localAddress?.ipAddress
        )
        if let refusal {
            return Response(status: .forbidden, problem: "forbidden", refusal.message, key: refusal.key)
        }
        let length = head.headerFields[.contentLength].map { Int($0) ?? .max } ?? 0
        guard length <= maximumBodyBytes else {
            return Response(
                status: .contentTooLarge,
                problem: "too_large",
                "the body has \(length) bytes; at most \(maximumBodyBytes) are allowed"
            )
        }
        do {
            return try await inner.respond(to: request, context: context.inner)
        } catch is NIOTooManyBytesError {
            return Response(
                status: .contentTooLarge,
                problem: "too_large",
                "the body has more than \(maximumBodyBytes) bytes, which are allowed"
            )
        }
    }
}

extension Response {
    /// An answer that says in JSON why a request is not served.
    fileprivate init(status: HTTPResponse.Status, problem: String, _ message: String, key: String? = nil) {
        var text = #"{"error":"\#(problem)","#
        if let key { text += #""key":"\#(key)","# }
        text += #""message":"\#(Self.escaped(message))"}"#
        self.init(
            status: status,
            headers: [.contentType: "application/json; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text))
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

extension HTTPField.Name {
    /// Where a Host header is found when it is not the first: the first became the request's authority.
    fileprivate static let secondHost = HTTPField.Name("Host") ?? .origin
}
