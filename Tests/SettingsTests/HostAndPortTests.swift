import Settings
import Testing

struct HostAndPortTests {
    @Test(arguments: [
        ("localhost:1883", "localhost", 1883), ("127.0.0.1:0", "127.0.0.1", 0), ("[::1]:65535", "::1", 65535),
        ("müsli.example:1", "müsli.example", 1),
    ])
    func `host and port are taken apart and written alike`(text: String, host: String, port: Int) {
        #expect(HostAndPort(text) == HostAndPort(host: host, port: port))
        #expect(HostAndPort(text)?.description == text)
    }

    @Test(arguments: [
        "", ":", "a", ":1", "a:", "a:65536", "a:-1", "a:+1", "a: 1", "a:١", "::1:1", "[]:1", "a b:1", "a/b:1",
        "u@a:1",
        "a:999999999999999999999", "\"localhost\":1", "a..b:1", ".a:1", "<ip>:1", "192.168.1:1",
        "1.2.3.300:1",
        "[::1::2]:1", "-a:1", "*:1",
    ])
    func `anything else is refused`(text: String) {
        #expect(HostAndPort(text) == nil)
    }

    @Test(arguments: ["a", "a.b.", "my_broker", "xn--mller-kva.example", "10.0.0.1", "3com.example", "a1"])
    func `names and addresses of hosts are legal`(text: String) {
        #expect(HostAndPort.isHost(text))
    }
}
