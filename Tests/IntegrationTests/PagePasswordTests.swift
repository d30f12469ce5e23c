import Foundation
import TestSupport
import Testing
import Threading

/// What happens at the page's port while its password changes.
@Suite(.enabled(if: Mosquitto.isExpected), .mosquitto, .timeLimit(.minutes(2)))
struct PagePasswordTests {
    private static func header(_ password: String) -> String {
        "Authorization: Basic \(Data("x:\(password)".utf8).base64EncodedString())"
    }

    @Test func `no other program gets the port, streams of the old password end, and the new one counts`()
        async throws
    {
        let listen = "web: {listen: \"127.0.0.1:0\""
        try await withHome(["web.listen": ""], file: listen + "}\n") { home, visitor in
            let start = "web: http://127.0.0.1:"
            try #require(await home.logs(start))
            let text = await home.log.components(separatedBy: start).last ?? ""
            let port = try #require(Int(text.prefix { $0.isNumber }))
            try home.folder.write("secret\n", to: "password")
            try home.folder.write(listen + ", password_file: password}\n", to: "trilateral.yaml")
            #expect(try await visitor.ask("request/reload", "{}").outcome == "ok")
            let isOver = Locked(false)
            let (begins, begun) = AsyncStream.makeStream(of: Void.self)
            async let isEnded = onThread {
                defer { begun.finish() }
                let stream = try WireClient(port: port)
                stream.send(
                    "GET /api/events HTTP/1.1\r\nHost: localhost\r\n\(Self.header("secret"))\r\n\r\n"
                )
                #expect(try stream.reply(toHead: true)?.status == 200)
                begun.finish()
                while try stream.bytes(1) != nil {}
                return true
            }
            async let taken = onThread {
                var taken = 0
                while !isOver.withLock({ $0 }) {
                    if (try? LoopbackSocket.listening(port: port)) != nil { taken += 1 }
                    sched_yield()
                }
                return taken
            }
            defer { isOver.withLock { $0 = true } }
            for await _ in begins {}
            try home.folder.write("other\n", to: "password")
            #expect(try await visitor.ask("request/reload", "{}").outcome == "ok")
            #expect(try await isEnded)
            for (password, status) in [("other", 200), ("secret", 401)] {
                let headers = [Self.header(password)]
                #expect(
                    try await request("GET", "/api/state", port: port, headers: headers).status == status
                )
            }
            isOver.withLock { $0 = true }
            #expect(try await taken == 0)
        }
    }
}
