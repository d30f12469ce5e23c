import Cryptography
import Testing
import Web

@Suite
struct PasswordDigestTests {
    @Test func `the same password has the same digest, another has not`() throws {
        let digest = try #require(PasswordDigest("correct horse"))
        #expect(PasswordDigest("correct horse") == digest)
        #expect(PasswordDigest("correct horsf") != digest)
        #expect(PasswordDigest("correct horse ") != digest)
        #expect(PasswordDigest("Correct horse") != digest)
    }

    @Test(arguments: ["", String(repeating: "a", count: 1025)])
    func `an empty or very long password has no digest`(password: String) {
        #expect(PasswordDigest(password) == nil)
    }

    @Test func `the longest password and one beyond ASCII are accepted`() {
        #expect(PasswordDigest(String(repeating: "a", count: 1024)) != nil)
        #expect(PasswordDigest("pässwört 🔑\0after") != PasswordDigest("pässwört 🔑"))
    }

    @Test func `a digest is never shown`() throws {
        let digest = try #require(PasswordDigest("secret"))
        var text = "\(digest) \(String(reflecting: digest)) \(Optional(digest) as Any)"
        dump(digest, to: &text)
        #expect(text.allSatisfy { !$0.isNumber || $0 == "0" }, "\(text)")
        #expect(text.contains("***"))
    }

    /// RFC 4231, test case 2.
    @Test func `message codes are HMAC with SHA-256`() {
        let code = MessageCode(of: Array("what do ya want for nothing?".utf8), key: Array("Jefe".utf8))
        let digits = code.value.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        #expect(digits == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    }
}
