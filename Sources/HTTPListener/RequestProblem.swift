import HTTPTypes
import Hummingbird
import NIOCore

/// Why a request is not served, as JSON that a person or a program can read.
struct RequestProblem: Sendable {
    static let contentType = "application/json; charset=utf-8"

    let status: HTTPResponse.Status
    let text: String

    /// - Parameters:
    ///   - code: A word for programs.
    ///   - key: The configuration key that decides it, if one does.
    init(_ status: HTTPResponse.Status, _ code: String, _ message: String, key: String? = nil) {
        self.status = status
        var text = #"{"error":"\#(code)","#
        if let key { text += #""key":"\#(key)","# }
        text += #""message":"\#(Self.escaped(message))"}"#
        self.text = text
    }

    init(_ refusal: AccessRefusal) {
        self.init(.forbidden, "forbidden", refusal.message, key: refusal.key)
    }

    var response: Response {
        Response(
            status: status,
            headers: [.contentType: Self.contentType],
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
