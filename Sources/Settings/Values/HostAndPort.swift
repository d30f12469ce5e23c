/// A host and a TCP port, written `HOST:PORT`, with an IPv6 address in brackets: `[::1]:1883`.
package struct HostAndPort: Sendable, Hashable {
    /// A name or an address, without brackets.
    package var host: String
    /// 0 asks the system for a free port, where one is listened on.
    package var port: Int

    package init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// From `HOST:PORT`; `nil` for any other text.
    package init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let digits = text[text.index(after: colon)...]
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]"), host.count > 2 {
            host = host.dropFirst().dropLast()
            guard Self.isIPv6(host) else { return nil }
        } else {
            guard Self.isHost(host) else { return nil }
        }
        guard digits.utf8.count <= 5, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let port = Int(digits), port <= 65535
        else { return nil }
        self.init(host: String(host), port: port)
    }

    /// Whether a text can be an IPv6 address, with or without a zone: `fe80::1%eth0`.
    static func isIPv6(_ text: Substring) -> Bool {
        let parts = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
        let address = parts.first.map(Array.init) ?? []
        return address.contains(":") && address.allSatisfy { $0.isHexDigit || $0 == ":" || $0 == "." }
            && parts.dropFirst().allSatisfy { zone in
                !zone.isEmpty
                    && zone.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) }
            }
    }

    /// Whether a text can be the name of a host or an address without a port.
    package static func isHost(_ text: some StringProtocol) -> Bool {
        !text.isEmpty && text.utf8.count <= 253
            && text.unicodeScalars.allSatisfy {
                $0.value > 0x20 && $0.value != 0x7F && !":/[]@".unicodeScalars.contains($0)
            }
    }
}

extension HostAndPort: CustomStringConvertible {
    package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
