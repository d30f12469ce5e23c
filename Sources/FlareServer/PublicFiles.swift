import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// A folder of static files that is served beside the objects, as the origin served its web pages.
///
/// No path leads out of it, and nothing whose name begins with a dot is served.
struct PublicFiles: Sendable {
    private let middleware: FileMiddleware<BasicRequestContext, LocalFileSystem>
    private let logger: Logger

    init(folder: String, logger: Logger) {
        var quiet = logger
        quiet.logLevel = max(logger.logLevel, .warning)
        self.logger = quiet
        middleware = FileMiddleware(
            folder,
            cacheControl: .init([]),
            searchForIndexHtml: true,
            logger: quiet
        )
    }

    /// The file, or `nil` when there is none.
    func response(to request: Request, on connection: any Channel) async throws -> Response? {
        guard request.method == .get || request.method == .head, Self.isPlain(request.uri.path) else {
            return nil
        }
        do {
            let source = ApplicationRequestContextSource(channel: connection, logger: logger)
            let context = BasicRequestContext(source: source)
            var response = try await middleware.handle(request, context: context) { _, _ in
                throw HTTPError(.notFound)
            }
            response.headers[.xContentTypeOptions] = "nosniff"
            if let type = response.headers[.contentType], Self.isText(type) {
                response.headers[.contentType] = "\(type); charset=utf-8"
            }
            return response
        } catch let error as HTTPError where error.status == .notFound || error.status == .badRequest {
            return nil
        }
    }

    /// What a browser would read in the character set of its country when none is named.
    private static func isText(_ type: String) -> Bool {
        (type.hasPrefix("text/") || type.hasSuffix("/javascript")) && !type.contains("charset")
    }

    /// No part of the path is empty, begins with a dot or holds what no file name holds.
    ///
    /// An empty part would make the redirect to a folder lead to another host.
    private static func isPlain(_ path: String) -> Bool {
        guard let decoded = path.percentDecoded else { return false }
        return !decoded.utf8.contains(0) && !decoded.contains("\\") && !decoded.contains("//")
            && !decoded.split(separator: "/").contains { $0.hasPrefix(".") }
    }
}
