import Foundation
import TestSupport
import Testing

/// The password of the web listener, with a real daemon.
@Suite(.timeLimit(.minutes(2)))
struct WebAccessTests {
    private static func port(_ home: Home) async throws -> Int {
        try #require(await home.logs("web: http://127.0.0.1:"))
        let rest = await home.log.components(separatedBy: "web: http://127.0.0.1:").last
        return try #require(rest.flatMap { Int($0.prefix { $0.isNumber }) })
    }

    private static func signIn(_ password: String, port: Int) async throws -> WireClient.Reply {
        try await request(
            "POST",
            "/api/sign-in",
            port: port,
            headers: ["Content-Type: application/json"],
            body: #"{"password":"\#(password)"}"#
        )
    }

    @Test func `a session outlives a restart and ends with the password`() async throws {
        try await withTemporaryFolder { folder in
            let home = Home(in: folder, port: 1)
            let file = folder.path("password")
            func start(_ password: String) async throws -> Int {
                try folder.write(password + "\n", to: "password")
                try await home.start(["web.listen": "127.0.0.1:0", "web.password_file": file])
                return try await Self.port(home)
            }
            var port = try await start("open sesame")
            let anonymous = try await request("GET", "/api/state", port: port)
            #expect(anonymous.status == 401)
            let health = try await request("GET", "/healthz", port: port)
            #expect(health.status == 503)
            let wrong = try await Self.signIn("open", port: port)
            #expect(wrong.status == 403)
            let reply = try await Self.signIn("open sesame", port: port)
            let cookie = try #require(reply.headers["set-cookie"]).prefix { $0 != ";" }
            let session = ["Cookie: \(cookie)"]
            let state = try await request("GET", "/api/state", port: port, headers: session)
            #expect(state.status == 200)
            let metrics = try await request("GET", "/metrics", port: port, headers: session)
            #expect(metrics.body.contains("trilateral_sign_ins_refused_total 1\n"))
            #expect(!metrics.body.contains(" untyped\n"), "\(metrics.body)")
            let firstLog = await home.log
            await home.stop()

            port = try await start("open sesame")
            let after = try await request("GET", "/api/state", port: port, headers: session)
            #expect(after.status == 200)
            await home.stop()

            port = try await start("another one")
            let ended = try await request("GET", "/api/state", port: port, headers: session)
            #expect(ended.status == 401)
            #expect(await !home.log.contains("another one"))
            #expect(!firstLog.contains("open sesame"))
            await home.kill()
        }
    }

    @Test(arguments: [true, false])
    func `clients of a proxy have limits of their own for wrong passwords only if it is believed`(
        isBelieved: Bool
    ) async throws {
        try await withTemporaryFolder { folder in
            let home = Home(in: folder, port: 1)
            try folder.write("open sesame\n", to: "password")
            var keys = ["web.listen": "127.0.0.1:0", "web.password_file": folder.path("password")]
            if isBelieved { keys["web.proxies"] = "127.0.0.1/32" }
            try await home.start(keys)
            let port = try await Self.port(home)
            let guess = { @Sendable (client: String) in
                try await request(
                    "POST",
                    "/api/sign-in",
                    port: port,
                    headers: ["Content-Type: application/json", "X-Forwarded-For: \(client)"],
                    body: #"{"password":"wrong"}"#
                ).status
            }
            var statuses: [Int] = []
            for _ in 0..<21 where statuses.last != 429 { statuses.append(try await guess("192.0.2.1")) }
            #expect(statuses.first == 403 && statuses.last == 429, "\(statuses)")
            #expect(try await guess("192.0.2.2") == (isBelieved ? 403 : 429))
            await home.kill()
        }
    }

    @Test func `a password that cannot be read ends the start`() async throws {
        try await withTemporaryFolder { folder in
            let home = Home(in: folder, port: 1)
            try await home.start(["web.listen": "127.0.0.1:0", "web.password_file": folder.path("none")])
            #expect(await home.end() == 78)
            #expect(await home.log.contains("web.password_file: cannot be read: No such file or directory"))
        }
    }

    @Test func `an address beyond this machine needs a password`() async throws {
        try await withTemporaryFolder { folder in
            let end = try await Program.run(["check"], in: folder, keys: ["web.listen": "0.0.0.0:8080"])
            #expect(end.status == 78)
            #expect(end.output.contains("web.listen: can be reached from other machines"), "\(end.output)")
        }
    }
}
