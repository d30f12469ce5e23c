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

    @Test(
        arguments: [
            ("Bearer tlu_abc", .bearer("tlu_abc")), ("bearer  tlu_abc ", .bearer("tlu_abc")),
            // app:key, app:k:ey, app: and :key
            ("Basic YXBwOmtleQ==", .basic(user: "app", password: "key")),
            ("BASIC YXBwOms6ZXk=", .basic(user: "app", password: "k:ey")),
            ("Basic YXBwOg==", .basic(user: "app", password: "")),
            ("Basic OmtleQ==", .basic(user: "", password: "key")),
        ] as [(String, AuthorizationHeader.Credentials)]
    )
    func `a header brings a token, or a user and a password`(
        header: String,
        credentials: AuthorizationHeader.Credentials
    ) {
        #expect(AuthorizationHeader.credentials(in: header) == credentials)
    }

    @Test(arguments: [
        "Basic", "Bearer", "Bearer ", "Basic !", "Basic YWJj", "Basic YXBwOmtleQ", "Basic /zo=", "Digest x",
        "",
        "Basic YXBwOmtleQ==, Bearer x",
    ])
    func `a malformed header brings nothing`(header: String) {
        #expect(AuthorizationHeader.credentials(in: header) == nil)
    }
}
