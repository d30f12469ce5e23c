import Accounts
import Testing

/// What counts as one address, so that nobody has many of them.
struct GuessAddressTests {
    @Test(arguments: ["127.0.0.1", "127.0.0.9", "127.255.255.254", "::ffff:127.1.2.3", "::1"])
    func `all addresses of this machine for itself are one`(address: String) {
        #expect(GuessAddress.text(of: address) == "127.0.0.1")
        #expect(GuessAddress.network(of: address) == "127.0.0.1")
    }

    @Test(arguments: [
        ("192.0.2.7", "192.0.2.7"), ("128.0.0.1", "128.0.0.1"), ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:0:1::7", "2001:db8:0:1::/64"), ("2001:db8:0:1:ffff::8", "2001:db8:0:1::/64"),
    ])
    func `others are one for each IPv4 address and each IPv6 network`(address: String, counted: String) {
        #expect(GuessAddress.text(of: address) == counted)
    }

    @Test func `a text that is no address counts as itself`() {
        #expect(GuessAddress.text(of: "trilateral/hall") == "trilateral/hall")
        #expect(GuessAddress.network(of: "trilateral/hall") == nil)
        #expect(GuessAddress.text(of: nil) == "local")
    }
}
