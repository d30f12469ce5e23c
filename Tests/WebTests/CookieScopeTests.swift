import HTTPTypes
import Testing

@testable import Web

/// Cookies behind a proxy that adds TLS, or a prefix.
struct CookieScopeTests {
    private static let session = SessionCookie(isSecure: false, isFramed: false)

    private static func cookies(_ cookie: String, _ fields: HTTPFields, _ publicURL: String? = nil)
        -> [String]
    {
        var answer: HTTPFields = [.setCookie: cookie]
        CookieScope(fields, host: "home.example", publicURL: publicURL).limit(&answer)
        return answer[values: .setCookie]
    }

    private static func field(_ name: String, _ value: String) throws -> HTTPFields {
        [try #require(HTTPField.Name(name)): value]
    }

    @Test func `without a proxy a cookie counts everywhere, with or without TLS`() {
        let cookie = Self.session.setting("s")
        #expect(Self.cookies(cookie, [:]) == [cookie])
        #expect(Self.cookies(cookie, [.origin: "http://home.example"]) == [cookie])
    }

    @Test(arguments: [
        ("Origin", "https://home.example", String?.none), ("X-Forwarded-Proto", "https", nil),
        ("X-Forwarded-Proto", "https,http", nil), ("X-Forwarded-Proto", "HTTPS , http, http", nil),
        ("Forwarded", "for=192.0.2.60;proto=https;by=203.0.113.43", nil),
        ("Forwarded", #"For="[2001:db8::1]"; Proto="HTTPS", for=10.0.0.1; proto=http"#, nil),
        ("Accept", "*/*", "https://home.example"),
    ])
    func `behind TLS a cookie is for TLS only`(name: String, value: String, publicURL: String?) throws {
        let cookie = Self.session.setting("s")
        #expect(Self.cookies(cookie, try Self.field(name, value), publicURL) == [cookie + "; Secure"])
    }

    @Test(arguments: [
        ("X-Forwarded-Proto", "http,https"), ("X-Forwarded-Proto", ""), ("X-Forwarded-Proto", ",https"),
        ("X-Forwarded-Proto", "httpsx"), ("Forwarded", "for=1.2.3.4, proto=https"), ("Forwarded", "proto"),
        ("Forwarded", "proto=http, proto=https"), ("Forwarded", ""), ("Forwarded", "host=https"),
    ])
    func `a cookie counts without TLS unless the proxy beside the browser had it`(name: String, value: String)
        throws
    {
        let cookie = Self.session.setting("s")
        #expect(Self.cookies(cookie, try Self.field(name, value)) == [cookie])
    }

    @Test(arguments: [
        ("X-Forwarded-Prefix", "/flat", String?.none), ("X-Ingress-Path", "/flat/", nil),
        ("Accept", "*/*", "http://home.example/flat/"),
        ("Origin", "http://x.example", "http://x.example/flat"),
    ])
    func `below a prefix a cookie is for that prefix`(name: String, value: String, publicURL: String?) throws
    {
        let found = Self.cookies(Self.session.setting("s"), try Self.field(name, value), publicURL)
        #expect(found.count == 1 && found[0].contains("; Path=/flat/;"))
        let cleared = Self.cookies(Self.session.clearing, try Self.field(name, value), publicURL)
        #expect(
            cleared.count == 2 && cleared[0].contains("; Path=/;") && cleared[1].contains("; Path=/flat/;")
        )
    }

    @Test(arguments: ["flat", "/a;b", "/a b", "/", "", "/\u{e9}", "/" + String(repeating: "a", count: 300)])
    func `what can be no path of a cookie is none`(prefix: String) throws {
        let cookie = Self.session.setting("s")
        #expect(Self.cookies(cookie, try Self.field("X-Forwarded-Prefix", prefix)) == [cookie])
    }

    @Test func `a cookie for frames stays as it is`() {
        let cookie = SessionCookie(isSecure: true, isFramed: true).setting("s")
        #expect(Self.cookies(cookie, [.origin: "https://home.example"]) == [cookie])
    }
}
