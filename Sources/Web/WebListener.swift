package import HTTPListener
import HTTPTypes
import Hummingbird
package import Logging
import ServiceLifecycle

/// The listener for people and monitors: whether the daemon is well; later the kiosk page.
package struct WebListener: Service {
    private let front: HTTPListenerService<RouterResponder<BasicRequestContext>>

    /// - Parameters:
    ///   - problems: What is wrong just now, a sentence each; none means healthy. Asked for each request.
    ///   - onBound: Called once, when connections are taken, with the true port.
    package init(
        _ configuration: HTTPListenerConfiguration,
        logger: Logger,
        problems: @escaping @Sendable () async -> [String],
        onBound: @escaping @Sendable (_ port: Int) async -> Void = { _ in }
    ) {
        let router = Router(options: [.autoGenerateHeadEndpoints])
        router.get("healthz") { _, _ in
            let problems = await problems()
            return problems.isEmpty
                ? Response(text: "ok")
                : Response(status: .serviceUnavailable, text: problems.joined(separator: "\n"))
        }
        router.get("/") { _, _ in
            Response(text: "Trilateral is running; the kiosk page will be here. See /healthz.")
        }
        front = HTTPListenerService(
            configuration,
            responder: router.buildResponder(),
            logger: logger,
            onBound: onBound
        )
    }

    package func run() async throws {
        try await front.run()
    }
}

extension Response {
    /// One text that no cache keeps.
    fileprivate init(status: HTTPResponse.Status = .ok, text: String) {
        self.init(
            status: status,
            headers: [.contentType: "text/plain; charset=utf-8", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text + "\n"))
        )
    }
}
