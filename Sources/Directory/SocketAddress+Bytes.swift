import NIOCore

extension SocketAddress.IPv4Address {
    /// In the order of the network: behind family and port of sockaddr_in.
    var networkBytes: [UInt8] { withUnsafeBytes(of: address) { Array($0.dropFirst(4).prefix(4)) } }
}

extension SocketAddress.IPv6Address {
    /// In the order of the network: behind family, port and flow of sockaddr_in6.
    var networkBytes: [UInt8] { withUnsafeBytes(of: address) { Array($0.dropFirst(8).prefix(16)) } }
}
