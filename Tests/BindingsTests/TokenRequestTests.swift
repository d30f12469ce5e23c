import Bindings
import JSON
import Testing
import Things

struct TokenRequestTests {
    @Test func `a user signs in by name and password`() throws {
        let request = try TokenRequest([
            "grant_type": "password", "username": "bob", "password": " p w ", "scope": "all",
        ])
        #expect(request == .user(name: "bob", password: " p w "))
    }

    @Test func `a program brings the app's key in the body or beside it`() throws {
        let body: JSONValue = [
            "grant_type": "client_credentials", "client_id": "A", "client_secret": "K",
        ]
        #expect(try TokenRequest(body) == .app(id: "A", key: "K"))
        #expect(try TokenRequest(body, app: ("A", "K")) == .app(id: "A", key: "K"))
        let short: JSONValue = ["grant_type": "client_credentials"]
        #expect(try TokenRequest(short, app: ("A", "K")) == .app(id: "A", key: "K"))
    }

    @Test(
        arguments: [
            (["grant_type": "client_credentials"], nil),
            (["grant_type": "client_credentials", "client_id": "A", "client_secret": "K"], "other"),
        ] as [(JSONValue, String?)]
    )
    func `a program without the app's key, or with two, is not recognised`(json: JSONValue, key: String?) {
        let refusal = #expect(throws: Refusal.self) {
            try TokenRequest(json, app: key.map { ("A", $0) })
        }
        #expect(refusal?.code == .unauthenticated)
    }

    private static let long = JSONValue.string(String(repeating: "s3cret", count: 200))

    @Test(
        arguments: [
            ([:], "grant_type"), (["grant_type": "refresh_token"], "grant_type"),
            (["grant_type": 1], "grant_type"),
            (["grant_type": "password", "password": "s3cret"], "username"),
            (["grant_type": "password", "username": "bob"], "password"),
            (["grant_type": "password", "username": "bob", "password": ""], "password"),
            (["grant_type": "password", "username": "bob", "password": ["s3cret"]], "password"),
            (["grant_type": "password", "username": "bob", "password": long], "password"),
            (["grant_type": "client_credentials", "client_secret": "s3cret"], "client_id"),
            (["grant_type": "client_credentials", "client_id": "A"], "client_secret"),
            (
                ["grant_type": "client_credentials", "client_id": "A", "client_secret": ["s3cret"]],
                "client_secret"
            ),
        ] as [(JSONValue, String)]
    )
    func `a refusal names the member, and no secret`(json: JSONValue, field: String) {
        let refusal = #expect(throws: Refusal.self) { try TokenRequest(json) }
        #expect(refusal?.field == field)
        #expect(refusal?.message.contains("s3cret") == false)
    }

    @Test func `the answer has the token, whose it is and how long it counts`() {
        let answer = IssuedToken("tlu_1", of: "bob", seconds: 3600).json
        #expect(
            JSONValue.object(answer).text
                == #"{"access_token":"tlu_1","expires_in":3600,"id":"bob","token_type":"bearer"}"#
        )
    }
}
