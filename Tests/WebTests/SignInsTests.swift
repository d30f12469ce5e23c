import HTTPTypes
import TestSupport
import Testing
import Threading
import Web

@Suite(.timeLimit(.minutes(1)))
struct SignInsTests {
    /// Clocks that tests move.
    private final class Hands: Sendable {
        let wall = Locked(1_800_000_000)
        let steady = Locked(0.0)
        var clock: SignIns.Clock {
            SignIns.Clock(wall: { self.wall.withLock { $0 } }, steady: { self.steady.withLock { $0 } })
        }
    }

    private static let key = [UInt8](repeating: 7, count: 32)
    private let hands = Hands()
    private let log = LogRecorder()

    private func signIns(_ password: String = "open sesame") throws -> SignIns {
        SignIns(
            password: try #require(PasswordDigest(password)),
            key: Self.key,
            cookie: SessionCookie(key: Self.key, isSecure: false, isFramed: false),
            clock: hands.clock,
            logger: log.logger
        )
    }

    /// The Cookie header that answers a Set-Cookie header.
    private func cookie(_ setting: String) -> HTTPFields { [.cookie: "a=b; " + setting.prefix { $0 != ";" }] }

    @Test func `a browser that has signed in is let in`() async throws {
        let signIns = try signIns()
        #expect(await signIns.admission(of: [:], from: "192.0.2.1") == .anonymous)
        guard case .allowed(let setting?) = await signIns.signIn("open sesame", from: "192.0.2.1") else {
            Issue.record("not signed in")
            return
        }
        #expect(setting.hasSuffix("; Max-Age=2592000; Path=/; HttpOnly; SameSite=Lax"))
        #expect(await signIns.admission(of: cookie(setting), from: "192.0.2.9") == .allowed(cookie: nil))
        #expect(await signIns.signIn("open sesam", from: "192.0.2.1") == .wrongPassword)
        #expect(signIns.failures == 1)
    }

    @Test func `a session outlives a restart, but not another password`() async throws {
        guard case .allowed(let setting?) = try await signIns().signIn("open sesame", from: nil) else {
            Issue.record("not signed in")
            return
        }
        #expect(try await signIns().admission(of: cookie(setting), from: nil) == .allowed(cookie: nil))
        #expect(try await signIns("another").admission(of: cookie(setting), from: nil) == .anonymous)
    }

    @Test func `a session that is used is renewed`() async throws {
        let signIns = try signIns()
        guard case .allowed(let first?) = await signIns.signIn("open sesame", from: nil) else {
            Issue.record("not signed in")
            return
        }
        hands.wall.withLock { $0 += 20 * 86_400 }
        guard case .allowed(let second?) = await signIns.admission(of: cookie(first), from: nil) else {
            Issue.record("not renewed")
            return
        }
        hands.wall.withLock { $0 += 20 * 86_400 }
        #expect(await signIns.admission(of: cookie(first), from: nil) == .anonymous)
        #expect(await signIns.admission(of: cookie(second), from: nil) != .anonymous)
    }

    @Test func `signing out ends the session`() async throws {
        let signIns = try signIns()
        guard case .allowed(let setting?) = await signIns.signIn("open sesame", from: nil) else {
            Issue.record("not signed in")
            return
        }
        #expect(signIns.signOut(cookie(setting)).contains("Max-Age=0"))
        #expect(await signIns.admission(of: cookie(setting), from: nil) == .anonymous)
    }

    @Test(arguments: [
        ("Bearer open sesame", true), ("bearer open sesame", true), ("Bearer open", false),
        // anyone:open sesame, :open sesame, open sesame
        ("Basic YW55b25lOm9wZW4gc2VzYW1l", true), ("basic Om9wZW4gc2VzYW1l", true),
        ("Basic b3BlbiBzZXNhbWU=", false), ("Basic !", false), ("Digest open sesame", false), ("", false),
        ("Bearer", false),
    ])
    func `scripts send the password with each request`(header: String, isRight: Bool) async throws {
        let signIns = try signIns()
        for _ in 0..<2 {
            let admission = await signIns.admission(of: [.authorization: header], from: "192.0.2.1")
            #expect(admission == (isRight ? .allowed(cookie: nil) : .wrongPassword))
        }
    }

    @Test func `guessing is limited, also for a right guess, and reported once`() async throws {
        let signIns = try signIns()
        // The password is known to be right, so that this is not about the cost of a digest.
        _ = await signIns.signIn("open sesame", from: "192.0.2.2")
        for number in 0..<10 {
            #expect(await signIns.signIn("guess \(number)", from: "192.0.2.1") == .wrongPassword)
        }
        #expect(await signIns.signIn("open sesame", from: "192.0.2.1") == .limited(seconds: 10))
        #expect(
            await signIns.admission(of: [.authorization: "Bearer open sesame"], from: "192.0.2.1")
                == .limited(seconds: 10)
        )
        #expect(await signIns.signIn("open sesame", from: "192.0.2.2") != .wrongPassword)
        #expect(log.recorded == ["warning too many wrong web passwords; refused for a while"])
        hands.steady.withLock { $0 += 10 }
        #expect(await signIns.signIn("open sesame", from: "192.0.2.1") != .limited(seconds: 10))
    }

    @Test(arguments: [
        (true, true, "SameSite=None; Secure; Partitioned"), (true, false, "SameSite=Lax; Secure"),
        (false, true, "SameSite=Lax"), (false, false, "SameSite=Lax"),
    ])
    func `the cookie is for other sites' frames only where that is wanted and safe`(
        isSecure: Bool,
        isFramed: Bool,
        rights: String
    ) {
        let cookie = SessionCookie(key: Self.key, isSecure: isSecure, isFramed: isFramed)
        #expect(cookie.setting("x").hasSuffix("; Path=/; HttpOnly; \(rights)"))
        #expect(cookie.clearing.hasSuffix("; Path=/; HttpOnly; \(rights)"))
    }

    @Test func `daemons on one host have cookies of different names`() {
        let other = SessionCookie(key: [UInt8](repeating: 8, count: 32), isSecure: false, isFramed: false)
        let own = SessionCookie(key: Self.key, isSecure: false, isFramed: false)
        let header = [other, own].map { $0.setting("token").prefix { $0 != ";" } }.joined(separator: "; ")
        #expect(own.tokens(in: header) == ["token"])
        #expect(own.tokens(in: "x; =; ;;" + header + ";").count == 1)
    }

    @Test func `many requests at once with the same password count as one attempt`() async throws {
        let signIns = try signIns()
        for (password, expected) in [
            ("open sesame", SignIns.Admission.allowed(cookie: nil)), ("wrong", .wrongPassword),
        ] {
            let fields: HTTPFields = [.authorization: "Bearer \(password)"]
            await withTaskGroup(of: SignIns.Admission.self) { tasks in
                for _ in 0..<40 { tasks.addTask { await signIns.admission(of: fields, from: "192.0.2.1") } }
                var admissions = await tasks.reduce(into: []) { $0.append($1) }
                // A late one is an attempt of its own.
                admissions.removeAll { $0 == expected }
                #expect(admissions.allSatisfy { $0 == .limited(seconds: 10) } && admissions.count < 30)
                if password == "open sesame" { #expect(admissions.isEmpty) }
            }
        }
    }
}
