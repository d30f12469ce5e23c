import Resolution
import Testing

struct StationAddressTests {
    @Test(arguments: ["192.0.2.7", "1.0.0.0", "223.255.255.255", "127.0.0.1", "10.20.30.40"])
    func `a dotted quad is an address, also in parentheses`(text: String) {
        #expect(StationAddress(text)?.description == text)
        #expect(StationAddress(" (\(text)) ")?.description == text)
    }

    @Test(
        arguments: [
            "", "300.1.1.1", "1.2.3", "1.2.3.4.5", "01.2.3.4", "1.2.3.04", "0.1.2.3", "224.0.0.1",
            "255.255.255.255",
            "1.2.3.-4", "1.2.3.+4", "1.2.3. 4", "::1", "fe80::1", "1.2.3.4/8", "a.b.c.d", "٣.2.3.4",
            String(repeating: "1", count: 100_000),
        ]
    )
    func `anything else is none`(text: String) {
        #expect(StationAddress(text) == nil)
    }

    @Test(
        arguments: [
            ("10.0.0.1", true), ("11.0.0.1", false), ("172.16.0.1", true), ("172.31.255.255", true),
            ("172.32.0.1", false), ("192.168.1.1", true), ("192.169.1.1", false), ("100.64.0.1", true),
            ("100.127.255.255", true), ("100.128.0.1", false), ("169.254.9.9", true), ("127.1.2.3", true),
            ("192.0.2.7", false),
        ]
    )
    func `private networks are known`(text: String, isPrivate: Bool) {
        #expect(StationAddress(text)?.isPrivate == isPrivate)
    }

    @Test(
        arguments: [
            (AddressRule.auto, "192.0.2.7", "198.51.100.1", "192.0.2.7"),
            (.auto, "10.0.0.1", "198.51.100.1", "198.51.100.1"),
            (.auto, "10.0.0.1", "10.0.0.9", "10.0.0.1"), (.auto, nil, "10.0.0.9", "10.0.0.9"),
            (.auto, "10.0.0.1", nil, "10.0.0.1"), (.auto, nil, nil, nil),
            (.claimed, "10.0.0.1", "198.51.100.1", "10.0.0.1"),
            (.claimed, nil, "198.51.100.1", "198.51.100.1"), (.peer, "192.0.2.7", "10.0.0.9", "10.0.0.9"),
            (.peer, "192.0.2.7", nil, nil),
        ] as [(AddressRule, String?, String?, String?)]
    )
    func `the rule chooses between the claimed address and the peer's`(
        rule: AddressRule,
        claimed: String?,
        peer: String?,
        stored: String?
    ) {
        let address = rule.address(
            claimed: claimed.flatMap { StationAddress($0) },
            peer: peer.flatMap { StationAddress($0) }
        )
        #expect(address?.description == stored)
    }

    @Test func `peers are of IPv4, of IPv6, or of IPv4 within IPv6`() throws {
        let four = try #require(PeerAddress([127, 0, 0, 1]))
        let mapped = try #require(PeerAddress(Array(repeating: 0, count: 10) + [255, 255, 192, 0, 2, 7]))
        let six = try #require(PeerAddress([0x20, 1] + Array(repeating: 0, count: 13) + [1]))
        #expect(four.isLoopback && !six.isLoopback)
        #expect(PeerAddress(Array(repeating: 0, count: 15) + [1])?.isLoopback == true)
        #expect(StationAddress(mapped)?.description == "192.0.2.7" && StationAddress(six) == nil)
        #expect(PeerAddress([1, 2, 3]) == nil)
        #expect(StationAddress(try #require(PeerAddress([0, 0, 0, 0]))) == nil)
    }

    @Test(
        arguments: [
            ([192, 168, 0, 0], 16, [192, 168, 7, 9], true), ([192, 168, 0, 0], 16, [192, 169, 0, 0], false),
            ([0, 0, 0, 0], 0, [1, 2, 3, 4], true), ([10, 1, 2, 3], 32, [10, 1, 2, 3], true),
            ([10, 1, 2, 3], 32, [10, 1, 2, 4], false), ([10, 128, 0, 0], 9, [10, 255, 1, 1], true),
            ([10, 128, 0, 0], 9, [10, 127, 1, 1], false),
        ] as [([UInt8], Int, [UInt8], Bool)]
    )
    func `a network holds the addresses with its first bits`(
        bytes: [UInt8],
        length: Int,
        peer: [UInt8],
        isIn: Bool
    ) throws {
        let network = try #require(NetworkRange(bytes, length: length))
        #expect(network.contains(try #require(PeerAddress(peer))) == isIn)
        let six = try #require(PeerAddress([0x20, 1] + Array(repeating: 0, count: 14)))
        #expect(!network.contains(six))
    }

    @Test func `a network with other bits behind its length is none`() {
        #expect(NetworkRange([192, 168, 1, 0], length: 16) == nil)
        #expect(NetworkRange([10, 128, 0, 0], length: 8) == nil)
        #expect(
            NetworkRange([10, 0, 0, 0], length: 33) == nil && NetworkRange([10, 0, 0, 0], length: -1) == nil
        )
        #expect(NetworkRange([10, 0], length: 8) == nil)
        #expect(NetworkRange(Array(repeating: 0, count: 16), length: 0) != nil)
    }
}
