import Glibc

/// The form in which addresses are counted: whoever has an IPv6 network has all addresses of its 64 bits.
enum GuessAddress {
    /// - Parameter source: An address, or another text; `nil` for this machine.
    static func text(of source: String?) -> String {
        guard let source, source.contains(":"), !source.utf8.contains(0) else { return source ?? "local" }
        var bytes = [UInt8](repeating: 0, count: 16)
        // A zone, as in fe80::1%eth0, is no part of the address.
        let address = source.split(separator: "%").first.map(String.init) ?? source
        guard inet_pton(AF_INET6, address, &bytes) == 1 else { return source }
        let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255]
        if bytes.starts(with: mapped) { return bytes.suffix(4).map { "\($0)" }.joined(separator: ".") }
        return bytes.prefix(8).map { String($0, radix: 16) }.joined(separator: ".")
    }
}
