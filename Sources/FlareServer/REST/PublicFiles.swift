import HTTPListener
import HTTPTypes
import Hummingbird
import NIOCore
import NIOPosix
import Text

/// A folder of static files, like the web pages of the original server.
///
/// No path and no symbolic link leads out of it, and hidden files are not served.
struct PublicFiles: Sendable {
    let folder: String
    /// Bytes per read and write.
    private static let chunkBytes = 128 * 1024

    /// The file, or `nil` when there is none.
    func response(to request: Request) async throws -> Response? {
        guard request.method == .get || request.method == .head,
            let path = Self.plainPath(request.uri.path)
        else { return nil }
        let folder = folder
        func open(_ path: String) async throws -> PublicFile.Entry? {
            try await NIOThreadPool.singleton.runIfActive { PublicFile.open(path, in: folder) }
        }
        switch try await open(path) {
        case .file(let file)? where !path.hasSuffix("/"): return Self.response(to: request, file, path)
        case .folder? where path.hasSuffix("/"):
            guard case .file(let file)? = try await open(path + "index.html") else { return nil }
            return Self.response(to: request, file, "index.html")
        case .folder?:
            return Response(status: .movedPermanently, headers: [.location: request.uri.path + "/"])
        case .file?, nil: return nil
        }
    }

    private static func response(to request: Request, _ file: PublicFile, _ path: String) -> Response {
        let modified = HTTPDate.text(of: file.modified)
        var fields: HTTPFields = [
            .eTag: file.tag, .lastModified: modified, .acceptRanges: "bytes", .xContentTypeOptions: "nosniff",
        ]
        if isFresh(request.headers, tag: file.tag, modified: modified) { return .notModified(fields) }
        fields[.contentType] = contentType(path)
        var range = ByteRange.whole
        if request.method == .get {
            let condition = request.headers[.ifRange]
            let isApplicable = condition == nil || condition == file.tag || condition == modified
            range = ByteRange(isApplicable ? request.headers[.range] : nil, size: file.size)
        }
        switch range {
        case .unsatisfiable:
            var answer = RESTResponse.problem(
                .rangeNotSatisfiable,
                "the file has \(file.size) bytes; the range is beyond its end"
            )
            answer.headers[.contentRange] = "bytes */\(file.size)"
            return answer.response(to: request.head, method: request.method)
        case .part(let part):
            fields[.contentRange] = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(file.size)"
            return Response(status: .partialContent, headers: fields, body: body(file, part))
        case .whole where request.method == .head:
            fields[.contentLength] = String(file.size)
            return Response(status: .ok, headers: fields)
        case .whole:
            return Response(status: .ok, headers: fields, body: body(file, 0..<file.size))
        }
    }

    private static func body(_ file: PublicFile, _ range: Range<Int>) -> ResponseBody {
        ResponseBody(contentLength: range.count) { writer in
            var rest = range
            while !rest.isEmpty {
                let (start, count) = (rest.lowerBound, min(rest.count, chunkBytes))
                let bytes = try await NIOThreadPool.singleton.runIfActive {
                    try file.read(from: start, count: count)
                }
                // The length was announced already, so the connection is closed early.
                guard bytes.count == count else { throw TruncatedFile() }
                try await writer.write(ByteBuffer(bytes: bytes))
                rest = (start + count)..<rest.upperBound
            }
            try await writer.finish(nil)
        }
    }

    /// The file was truncated while it was sent.
    private struct TruncatedFile: Error {}

    /// Whether the client has the current file (RFC 9110 13.1.2 and 13.1.3).
    private static func isFresh(_ fields: HTTPFields, tag: String, modified: String) -> Bool {
        fields.hasAnswer(tagged: tag) ?? (fields[.ifModifiedSince] == modified)
    }

    private static func contentType(_ path: String) -> String? {
        guard let dot = path.lastIndex(of: "."), !path[dot...].contains("/"),
            let type = MediaType.getMediaType(
                forExtension: String(path[path.index(after: dot)...]).lowercased()
            )
        else { return nil }
        let text = type.description
        // Without a charset, browsers use the one of their locale.
        let isText = text.hasPrefix("text/") || text.hasSuffix("/javascript")
        return isText && !text.contains("charset") ? "\(text); charset=utf-8" : text
    }

    /// The decoded path; `nil` when a part is empty, begins with a dot or contains an invalid character.
    ///
    /// An empty part would make the redirect to a folder lead to another host.
    private static func plainPath(_ path: String) -> String? {
        guard let decoded = path.percentDecoded, decoded.hasPrefix("/"), !decoded.utf8.contains(0),
            !decoded.contains("\\"), !decoded.contains("//"),
            !decoded[...].parts(between: "/").contains(where: { $0.utf8.first == UInt8(ascii: ".") })
        else { return nil }
        return decoded
    }
}
