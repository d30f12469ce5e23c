import Testing
import Web

@Suite
struct SessionTokensTests {
    private let key = [UInt8](repeating: 7, count: 32)
    private let now = 1_800_000_000

    private func tokens(_ password: String = "one", key: [UInt8]? = nil) throws -> SessionTokens {
        SessionTokens(key: key ?? self.key, password: try #require(PasswordDigest(password)))
    }

    @Test func `a token is accepted for thirty days, also after a restart`() throws {
        let token = try tokens().token(at: now)
        let later = try tokens()
        #expect(later.session(token, at: now)?.issued == now)
        #expect(later.session(token, at: now + 30 * 86_400 - 1) != nil)
        #expect(later.session(token, at: now + 30 * 86_400) == nil)
    }

    @Test func `a token outlives a clock that was set back`() throws {
        let tokens = try tokens()
        #expect(tokens.session(tokens.token(at: now), at: 0)?.isDueForRenewal(at: 0) == false)
    }

    @Test func `a token is due for renewal after a day`() throws {
        let tokens = try tokens()
        let session = try #require(tokens.session(tokens.token(at: now), at: now))
        #expect(!session.isDueForRenewal(at: now + 86_399))
        #expect(session.isDueForRenewal(at: now + 86_400))
    }

    @Test func `another password and another installation do not accept it`() throws {
        let token = try tokens().token(at: now)
        #expect(try tokens("two").session(token, at: now) == nil)
        #expect(try tokens(key: [UInt8](repeating: 8, count: 32)).session(token, at: now) == nil)
    }

    @Test func `no two tokens are equal`() throws {
        let tokens = try tokens()
        let made = (0..<100).map { _ in tokens.token(at: now) }
        #expect(Set(made).count == 100)
        #expect(Set(made.compactMap { tokens.session($0, at: now)?.id }).count == 100)
    }

    @Test func `a token with any changed character is refused`() throws {
        let tokens = try tokens()
        let token = Array(tokens.token(at: now))
        for index in token.indices {
            var changed = token
            changed[index] = changed[index] == "A" ? "B" : "A"
            // The last character carries some bits that are not used.
            let session = tokens.session(String(changed), at: now)
            #expect(session == nil || index == token.count - 1, "character \(index)")
        }
    }

    @Test(arguments: ["", "A", "====", String(repeating: "A", count: 98), String(repeating: "é", count: 49)])
    func `an invalid token is refused`(text: String) throws {
        #expect(try tokens().session(text, at: now) == nil)
    }
}
