import HTTPListener
import TestSupport
import Testing
import Web

@Suite(.timeLimit(.minutes(1)))
struct WebListenerTests {
    @Test(arguments: [([], 200, "ok\n"), (["no broker", "no place"], 503, "no broker\nno place\n")])
    func `health is reported with its reasons`(problems: [String], status: Int, text: String) async throws {
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let configuration = HTTPListenerConfiguration(section: "web", port: 0)
        let listener = WebListener(configuration, logger: .silent, problems: { problems }) {
            port.yield($0)
            port.finish()
        }
        try await run(listener, ports, port) { port, _ in
            let health = try await request("GET", "/healthz", port: port)
            #expect(health.status == status)
            #expect(health.body == text)
            let root = try await request("GET", "/", port: port)
            #expect(root.body.contains("kiosk"))
            let missing = try await request("GET", "/nothing", port: port)
            #expect(missing.status == 404)
            #expect(missing.headers["content-type"] == "application/json; charset=utf-8")
            #expect(missing.body.contains("nothing answers GET /nothing here"), "\(missing)")
            let foreign = try await request("GET", "/healthz", port: port, host: "evil.example")
            #expect(foreign.status == 403)
            let head = try await request("HEAD", "/healthz", port: port, host: "evil.example")
            #expect(head.status == 403)
        }
    }
}
