/// The IPv4 address of a station.
/// - Source: contrib/contract/directory.md, "Which address is stored".
package struct StationAddress: Sendable, Hashable, CustomStringConvertible {
    /// As one number, the first part highest.
    private let value: UInt32

    /// A dotted quad without leading zeros, perhaps in parentheses; not of 0/8 or 224/3.
    package init?(_ sent: String) {
        let text = sent.utf8.count <= 64 ? sent.withoutParentheses.text : ""
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var value: UInt32 = 0
        for part in parts {
            guard (1...3).contains(part.utf8.count), part.utf8.count == 1 || part.first != "0",
                part.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
                let byte = UInt8(part)
            else { return nil }
            value = value << 8 | UInt32(byte)
        }
        self.init(value)
    }

    /// The address of a peer; `nil` for an IPv6 address that holds no IPv4 address, and for 0/8 and 224/3.
    package init?(_ peer: PeerAddress) {
        guard let bytes = peer.fourBytes else { return nil }
        self.init(bytes.reduce(UInt32(0)) { $0 << 8 | UInt32($1) })
    }

    private init?(_ value: UInt32) {
        guard (1..<224).contains(value >> 24) else { return nil }
        self.value = value
    }

    package var description: String {
        [24, 16, 8, 0].map { "\((value >> $0) & 0xFF)" }.joined(separator: ".")
    }

    /// Whether it means something only in its own network: RFC 1918, 100.64/10, 169.254/16, 127/8.
    package var isPrivate: Bool {
        func isIn(_ network: UInt32, _ length: UInt32) -> Bool { (value ^ network) >> (32 - length) == 0 }
        return isIn(0x0A00_0000, 8) || isIn(0xAC10_0000, 12) || isIn(0xC0A8_0000, 16)
            || isIn(0x6440_0000, 10) || isIn(0xA9FE_0000, 16) || isIn(0x7F00_0000, 8)
    }
}

/// Which address of a station counts: the one that it claims, or the one that it sends from.
package enum AddressRule: String, Sendable, Hashable, CaseIterable {
    case auto, claimed, peer

    /// The address to store.
    ///
    /// - Parameters:
    ///   - claimed: What the station says; `nil` if it says nothing, which means the peer's.
    ///   - peer: The peer's IPv4 address; `nil` if it has none.
    /// - Returns: `nil` if there is none.
    package func address(claimed: StationAddress?, peer: StationAddress?) -> StationAddress? {
        switch self {
        case .claimed: claimed ?? peer
        case .peer: peer
        case .auto:
            if let claimed, let peer, claimed.isPrivate, !peer.isPrivate { peer } else { claimed ?? peer }
        }
    }
}
