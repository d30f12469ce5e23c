/// The address of the other end of a connection: 4 or 16 bytes.
package struct PeerAddress: Sendable, Hashable {
    /// An IPv4 address within IPv6 is stored as IPv4.
    package let bytes: [UInt8]

    /// - Parameter bytes: In the order of the network; `nil` for another number of bytes than 4 and 16.
    package init?(_ bytes: [UInt8]) {
        let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
        switch bytes.count {
        case 4: self.bytes = bytes
        case 16: self.bytes = Array(bytes.prefix(12)) == mapped ? Array(bytes.suffix(4)) : bytes
        default: return nil
        }
    }

    /// The bytes of an IPv4 address.
    var fourBytes: [UInt8]? { bytes.count == 4 ? bytes : nil }

    package var isLoopback: Bool {
        bytes.count == 4 ? bytes.first == 127 : bytes == Array(repeating: 0, count: 15) + [1]
    }

    /// What one customer has: an IPv4 address, or the first 64 bits of an IPv6 address.
    package var customer: [UInt8] { bytes.count == 4 ? bytes : Array(bytes.prefix(8)) }
}
