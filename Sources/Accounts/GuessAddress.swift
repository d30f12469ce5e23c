import Glibc

/// The form in which addresses are counted, so that nobody gains guesses by using many of them.
///
/// Whoever has an IPv6 network of 64 bits can use all of its addresses, and each program of this machine can use all of 127.0.0.0/8.
package enum GuessAddress {
    private static let thisMachine = "127.0.0.1"
    /// The first number of such an address.
    private static let loopback: UInt8 = 127

    /// - Parameter source: An address, or another text; `nil` for this machine.
    package static func text(of source: String?) -> String { network(of: source) ?? source ?? "local" }

    /// The same for an address; `nil` for another text, such as a topic.
    package static func network(of source: String?) -> String? {
        guard let source, source.utf8.count <= 64, !source.utf8.contains(0) else { return nil }
        var four = in_addr()
        if inet_pton(AF_INET, source, &four) == 1 {
            return withUnsafeBytes(of: &four) { $0.first } == loopback ? thisMachine : source
        }
        var bytes = [UInt8](repeating: 0, count: 16)
        // A zone, as in fe80::1%eth0, is no part of the address.
        let address = source.split(separator: "%").first.map(String.init) ?? source
        guard inet_pton(AF_INET6, address, &bytes) == 1 else { return nil }
        let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255]
        if bytes.starts(with: mapped) {
            return network(of: bytes.suffix(4).map { "\($0)" }.joined(separator: "."))
        }
        if bytes == [UInt8](repeating: 0, count: 15) + [1] { return thisMachine }
        let words = stride(from: 0, to: 8, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
        return words.map { String($0, radix: 16) }.joined(separator: ":") + "::/64"
    }
}
