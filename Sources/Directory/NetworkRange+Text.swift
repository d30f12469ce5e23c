import NIOCore
package import Resolution

extension NetworkRange {
    /// A network such as `192.168.0.0/16` or `::1/128`; an address alone is a network of one.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let address = try? SocketAddress(ipAddress: String(first), port: 0)
        else {
            return nil
        }
        let bytes: [UInt8]
        switch address {
        case .v4(let four): bytes = four.networkBytes
        case .v6(let six): bytes = six.networkBytes
        case .unixDomainSocket: return nil
        }
        guard parts.count == 2 else {
            self.init(bytes, length: bytes.count * 8)
            return
        }
        guard let length = Int(parts[1]), parts[1].utf8.allSatisfy({ (48...57).contains($0) }) else {
            return nil
        }
        self.init(bytes, length: length)
    }
}

extension PeerAddress {
    /// An address such as `192.168.0.7` or `::1`, as connections tell it.
    package init?(_ text: String) {
        guard let address = try? SocketAddress(ipAddress: text, port: 0) else { return nil }
        self.init(address)
    }
}

extension SocketAddress.IPv4Address {
    /// In the order of the network: behind family and port of sockaddr_in.
    var networkBytes: [UInt8] { withUnsafeBytes(of: address) { Array($0.dropFirst(4).prefix(4)) } }
}

extension SocketAddress.IPv6Address {
    /// In the order of the network: behind family, port and flow of sockaddr_in6.
    var networkBytes: [UInt8] { withUnsafeBytes(of: address) { Array($0.dropFirst(8).prefix(16)) } }
}
