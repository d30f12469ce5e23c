import Foundation
import HTTPListener
import Testing

struct AuthorizationHeaderTests {
    @Test(arguments: ["open sesame", "a:b", "", "\u{301}accent", "\u{1F3FB}"])
    func `the password of Basic is what follows the first colon`(password: String) {
        let value = Data("any user:\(password)".utf8).base64EncodedString()
        let secret = AuthorizationHeader.secret(in: "Basic \(value)")
        #expect(secret.map { Array($0.utf8) } == Array(password.utf8))
    }

    @Test(arguments: ["Basic", "Basic !", "Basic YWJj", "Digest x", ""])
    func `other headers have no secret`(header: String) {
        #expect(AuthorizationHeader.secret(in: header) == nil)
    }
}
