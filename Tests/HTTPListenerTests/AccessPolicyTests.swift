import HTTPListener
import SeededRandom
import TestSupport
import Testing

struct AccessPolicyTests {
    private static func policy() -> AccessPolicy {
        var configuration = HTTPListenerConfiguration(section: "flare.server", host: "0.0.0.0", port: 1234)
        configuration.allowedHosts = ["hall.local", "Panel.Example:8080", "10.0.0.9"]
        configuration.allowedOrigins = ["https://Board.Example", "http://board.example:8088", "app://kiosk"]
        return AccessPolicy(configuration)
    }

    @Test(arguments: [
        "localhost", "LOCALHOST", "localhost.", "localhost:1", "localhost:65535", "127.0.0.1", "127.0.0.1:80",
        "127.99.3.4", "[::1]", "[::1]:1234", "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]:80", "192.168.1.5",
        "192.168.1.5:1234", "hall.local", "HALL.local:99", "panel.example", "10.0.0.9",
    ])
    func `a host on this machine or configured passes`(host: String) {
        #expect(Self.policy().refusal(host: host, origin: nil, connectedTo: "192.168.1.5") == nil)
    }

    @Test(arguments: [
        "evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "evil-localhost", "192.168.1.6",
        "128.0.0.1", "[::2]", "[::1", "::1]", "[::1]x", "localhost:8x", "localhost:123456",
        "user@localhost", "localhost@evil", "local host", "", ".", ":80", "127.0.0.1/x", "[localhost]",
        "hall.local.evil", "xhall.local", "0x7f.1", "localhost\u{0}", "[fe80::1%25lo]",
        "::1\u{0}@evil", "[::1\u{0}.evil]", "127.0.0.1\u{0}",
    ])
    func `another host is refused, with the key that lists the allowed ones`(host: String) throws {
        let refusal = try #require(
            Self.policy().refusal(host: host, origin: nil, connectedTo: "192.168.1.5")
        )
        #expect(refusal.message.hasPrefix("Host \""))
        #expect(refusal.key == "flare.server.allowed_hosts")
        #expect(refusal.message.contains("flare.server.allowed_hosts"))
    }

    @Test func `host names are not resolved`() {
        #expect(Self.policy().refusal(host: "evil.example", origin: nil, connectedTo: "evil.example") != nil)
        #expect(Self.policy().refusal(host: "192.168.1.5", origin: nil, connectedTo: nil) != nil)
    }

    @Test func `the address of a connection over IPv6 passes in any spelling`() {
        let policy = Self.policy()
        #expect(policy.refusal(host: "[FD00:0::5]:1", origin: nil, connectedTo: "fd00::5") == nil)
        #expect(policy.refusal(host: "192.168.1.5", origin: nil, connectedTo: "::ffff:192.168.1.5") == nil)
        #expect(policy.refusal(host: "[fd00::6]", origin: nil, connectedTo: "fd00::5") != nil)
    }

    @Test(arguments: [
        ("http://localhost", "localhost"), ("http://localhost", "localhost:80"),
        ("http://LOCALHOST:1234", "localhost:1234"), ("http://[::1]:8080", "[::1]:8080"),
        ("http://192.168.1.5:1234", "192.168.1.5:1234"), ("http://hall.local:1234", "hall.local:1234"),
        ("https://board.example", "hall.local"), ("HTTPS://BOARD.example:443", "hall.local"),
        ("http://board.example:8088", "hall.local"), ("app://kiosk", "hall.local"),
    ])
    func `this server's origin and configured ones pass`(origin: String, host: String) {
        #expect(Self.policy().refusal(host: host, origin: origin, connectedTo: "192.168.1.5") == nil)
    }

    @Test(arguments: [
        ("http://localhost:3000", "localhost:1234"), ("http://localhost", "localhost:1234"),
        ("https://localhost:1234", "localhost:1234"), ("http://127.0.0.1:1234", "localhost:1234"),
        ("http://192.168.1.5:8080", "192.168.1.5:1234"), ("http://hall.local", "hall.local:1234"),
    ])
    func `a page on another port of this machine is refused`(origin: String, host: String) throws {
        let refusal = try #require(
            Self.policy().refusal(host: host, origin: origin, connectedTo: "192.168.1.5")
        )
        #expect(refusal.message.hasPrefix("Origin \""))
        #expect(refusal.message.contains("other ports"))
    }

    @Test(arguments: [
        "null", "", "http://evil.example", "https://localhost.evil.example", "http://board.example",
        "https://board.example:8443", "file://", "http://", "http://localhost/path", "http://a@localhost",
        "ftp://localhost", "localhost", "app://other", "http://192.168.1.6", "http://localhost:8080",
        "http://::1\u{0}.evil", "http://[::1\u{0}.evil]:80",
    ])
    func `another origin is refused, with the key that lists the allowed ones`(origin: String) throws {
        let refusal = try #require(
            Self.policy().refusal(host: "localhost", origin: origin, connectedTo: "192.168.1.5")
        )
        #expect(refusal.message.hasPrefix("Origin \""))
        #expect(refusal.key == "flare.server.allowed_origins")
    }

    @Test func `a client without Host and Origin passes`() {
        #expect(Self.policy().refusal(host: nil, origin: nil, connectedTo: nil) == nil)
    }

    @Test func `a configured null origin does not let every sandboxed page in`() {
        var configuration = HTTPListenerConfiguration(port: 0)
        configuration.allowedOrigins = ["null"]
        #expect(AccessPolicy(configuration).refusal(host: nil, origin: "null", connectedTo: nil) != nil)
    }

    @Test func `random headers neither trap nor pass`() {
        var random = SplitMix64(seed: 7)
        let alphabet = Array("localhost127.0.1[]:@/%xé \u{0}".unicodeScalars)
        let policy = Self.policy()
        for _ in 0..<20_000 {
            var text = ""
            for _ in 0..<(random.next() % 24) {
                text.unicodeScalars.append(alphabet[Int(random.next() % UInt64(alphabet.count))])
            }
            let isRefused =
                policy.refusal(host: text, origin: "http://" + text, connectedTo: "10.0.0.1") != nil
            if text.contains("@") || text.contains("/") || text.contains(" ") || text.contains("%") {
                #expect(isRefused, "\(text)")
            }
        }
    }
}
