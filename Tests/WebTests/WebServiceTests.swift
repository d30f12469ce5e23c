import Controller
import Flare
import Foundation
import HTTPListener
import JSON
import NIOCore
import TestSupport
import Testing
import Threading
@testable import Web

@Suite(.timeLimit(.minutes(1)))
struct WebServiceTests {
    @Test func `a port that is taken raises an alert and is tried until it is free`() async throws {
        let taken = try LoopbackSocket.listening()
        let port = taken.port
        let node = try FakeNode()
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await serve(node, on: port) }
            let isReported = await eventually { node.events.contains { isAlert($0, about: port) } }
            #expect(isReported)
            taken.shut()
            try await tasks.waitForAll()
            #expect(await eventually { node.events.contains(.alertCleared("web")) })
            #expect(node.events.count == 2)
        }
    }

    /// Serves on a port until it has answered.
    private func serve(_ node: FakeNode, on port: Int) async throws {
        func change(_ configuration: inout WebConfiguration) {
            configuration.listener.port = port
            configuration.retryInterval = .milliseconds(10)
        }
        try await withWeb(node, change) { port in
            let health = try await request("GET", "/healthz", port: port)
            #expect(health.status == 200)
        }
    }

    private func isAlert(_ event: ControllerEvent, about port: Int) -> Bool {
        guard case .alertRaised("web", .error, message: let text) = event else { return false }
        return text.contains("127.0.0.1:\(port) is in use by another program")
    }

    @Test func `a browser at an unknown path gets a page that leads to the kiosk, however deep it is`()
        async throws
    {
        try await withWeb(FakeNode()) { port in
            for (path, link) in [("/nothing", "kiosk"), ("/no/thing?a=/b", "../kiosk")] {
                let page = try await request("GET", path, port: port, headers: ["Accept: text/html,*/*"])
                #expect(page.status == 404)
                #expect(page.body.contains("<a href=\"\(link)\">"))
            }
            let api = try await request("GET", "/api/no", port: port, headers: ["Accept: text/html"])
            #expect(try JSONValue(parsing: api.body)["error"]?["code"] == "not_found")
        }
    }

    @Test func `unknown paths, foreign hosts and foreign origins get the error body of MQTT`() async throws {
        try await withWeb(FakeNode()) { port in
            let missing = try await request("GET", "/nothing", port: port)
            #expect(missing.status == 404)
            #expect(try JSONValue(parsing: missing.body)["error"]?["code"] == "not_found")
            let foreign = try await request("GET", "/api/state", port: port, host: "evil.example")
            #expect(foreign.status == 403)
            let body = try JSONValue(parsing: foreign.body)
            #expect(body["status"] == "error")
            #expect(body["error"]?["code"] == "not_allowed")
            let origin = try await post(
                "/api/nearby/set",
                "{}",
                port: port,
                headers: ["Origin: http://evil.example"]
            )
            #expect(origin.status == 403)
        }
    }

    @Test func `every file of the page is in the program, and revalidated by its tag`() async throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Sources/Web/Page")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(Set(names) == PageFiles.embedded.names)
        func change(_ configuration: inout WebConfiguration) {
            configuration.frameAncestors = ["http://ha.local:8123"]
        }
        try await withWeb(FakeNode(), change) { port in
            for (path, name) in [("kiosk", "kiosk.html"), ("kiosk/style.css", "style.css")] {
                let reply = try await request("GET", "/\(path)?view=map", port: port)
                let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
                #expect(reply.status == 200)
                #expect(reply.body.replacing("\(PageFiles.embedded.version)/", with: "") == text)
                #expect(reply.headers["cache-control"] == "no-cache")
                let policy = try #require(reply.headers["content-security-policy"])
                #expect(policy.hasPrefix("default-src 'none'; script-src 'self'"))
                #expect(policy.hasSuffix("frame-ancestors 'self' http://ha.local:8123"))
                let tag = try #require(reply.headers["etag"])
                #expect(tag.hasPrefix("\""))
                let known = ["If-None-Match: \(tag)"]
                let again = try await request("GET", "/\(path)", port: port, headers: known)
                #expect(again.status == 304)
                #expect(again.headers["etag"] == tag && again.headers["vary"] == "Accept-Encoding")
                let packed = ["Accept-Encoding: gzip"]
                let whole = try await request("HEAD", "/\(path)", port: port, headers: packed)
                let packedTag = try #require(whole.headers["etag"])
                let packedAgain = try await request(
                    "GET",
                    "/\(path)",
                    port: port,
                    headers: packed + ["If-None-Match: \"x\", W/\(packedTag)"]
                )
                #expect(packedAgain.status == 304)
                #expect(packedAgain.headers["vary"] == "Accept-Encoding")
                #expect(packedAgain.headers["etag"] == packedTag)
                #expect(packedAgain.headers["content-encoding"] == nil)
                let stale = try await request(
                    "GET",
                    "/\(path)",
                    port: port,
                    headers: ["If-None-Match: \"x\""]
                )
                #expect(stale.status == 200)
            }
        }
    }

    @Test func `the files of the page are made when a browser asks for one, beside the thread of requests`()
        async throws
    {
        let node = try FakeNode()
        let makers = Locked<[Bool]>([])
        @Sendable func make() -> PageFiles {
            let isOnRequests = node.hub.withLock { $0 }?.streams.loop.inEventLoop ?? true
            makers.withLock { $0.append(isOnRequests) }
            return .embedded
        }
        try await withWeb(node, page: make) { port in
            for path in ["/healthz", "/api/state", "/", "/nothing"] {
                _ = try await request("GET", path, port: port)
            }
            #expect(makers.withLock { $0 }.isEmpty)
            #expect(try await request("GET", "/kiosk", port: port).status == 200)
            #expect(makers.withLock { $0 } == [false])
        }
    }

    @Test func `a page names its scripts and styles by addresses that are kept for good`() async throws {
        try await withWeb(FakeNode()) { port in
            let page = try await request("GET", "/kiosk", port: port).body
            let addresses = page.matches(of: /(?:href|src)=(kiosk\/[^\s>]+\.(?:js|css))/).map { String($0.1) }
            #expect(addresses.count == 4)
            for address in addresses {
                let reply = try await request("GET", "/\(address)", port: port)
                #expect(reply.status == 200)
                #expect(reply.headers["cache-control"] == "private, max-age=31536000, immutable")
                // Of another version there is what there is, and that is asked for again.
                let other = address.replacing(PageFiles.embedded.version, with: "0-0")
                let old = try await request("GET", "/\(other)", port: port)
                #expect(old.status == 200 && old.headers["cache-control"] == "no-cache")
                #expect(old.body == reply.body)
            }
        }
    }

    @Test func `files and lists are compressed for who takes that, and events and answers never are`()
        async throws
    {
        let node = try FakeNode()
        node.change([.object(ObjectReference(.thing, FakeNode.lamp))]) {
            $0.things[FakeNode.lamp]?.data["note"] = .string(String(repeating: "long ", count: 1000))
        }
        try await withWeb(node) { port in
            for path in ["/kiosk/app.js", "/kiosk/style.css", "/kiosk", "/api/things", "/api/openapi.json"] {
                let plain = try await request("GET", path, port: port)
                #expect(
                    plain.headers["content-encoding"] == nil && plain.headers["vary"] == "Accept-Encoding"
                )
                for accepted in ["gzip, deflate, br", "br;q=1.0, gzip;q=0.5"] {
                    let headers = ["Accept-Encoding: \(accepted)"]
                    let reply = try await request("HEAD", path, port: port, headers: headers)
                    #expect(reply.headers["content-encoding"] == "gzip", "\(path)")
                    let length = try #require(reply.headers["content-length"].flatMap { Int($0) })
                    #expect(length < plain.body.utf8.count / 2, "\(path)")
                    guard let tag = plain.headers["etag"] else { continue }
                    #expect(reply.headers["etag"] != tag)
                }
                for refused in ["gzip;q=0", "br"] {
                    let headers = ["Accept-Encoding: \(refused)"]
                    let reply = try await request("HEAD", path, port: port, headers: headers)
                    #expect(reply.headers["content-encoding"] == nil, "\(path)")
                }
            }
            let headers = ["Accept-Encoding: gzip"]
            for path in ["/api/state", "/api/events", "/api/lifecycle"] {
                let reply = try await request("HEAD", path, port: port, headers: headers)
                #expect(reply.status == 200 && reply.headers["content-encoding"] == nil, "\(path)")
            }
        }
    }

    @Test(arguments: [
        "/kiosk/nothing.js", "/kiosk/0-0/nothing.js", "/kiosk/..%2FWebService.swift", "/kiosk/%2e%2e/x",
        "/kiosk//",
    ])
    func `nothing but the files of the page is served`(path: String) async throws {
        try await withWeb(FakeNode()) { port in
            let reply = try await request("GET", path, port: port)
            #expect(reply.status == 404)
        }
    }

    @Test func `what a capability provides is answered on any path, as long as it is provided`() async throws
    {
        let node = try FakeNode()
        try await withWeb(node) { port in
            let path = "/night-light/state"
            #expect(try await request("GET", path, port: port).status == 404)
            node.routes.withLock { $0 = [.reading("/night-light/{part}") { ["link": .bool($0.isLinkUp)] }] }
            let reply = try await request("GET", path, port: port)
            #expect(reply.status == 200 && reply.body == #"{"link":true}"#)
            #expect(try await request("POST", path, port: port).status == 405)
            #expect(try await request("GET", "/api/lifecycle", port: port).status == 404)
            node.routes.withLock { $0 = [] }
            #expect(try await request("GET", path, port: port).status == 404)
        }
    }

    @Test func `the start page leads to the kiosk page, below any prefix`() async throws {
        try await withWeb(FakeNode()) { port in
            let start = try await request("GET", "/", port: port)
            #expect(start.status == 303)
            #expect(start.headers["location"] == "kiosk")
        }
    }

    @Test(arguments: ["/kiosk/", "/sign-in/", "/me/"])
    func `a page is found with a slash behind its name, too`(path: String) async throws {
        try await withWeb(FakeNode()) { port in
            let reply = try await request("GET", path + "?view=map", port: port)
            #expect(reply.status == 303)
            #expect(reply.headers["location"] == "..\(path.dropLast())?view=map")
        }
    }
}
