import Foundation

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

    /// Where programs of this machine reach what listens here.
    package var onThisMachine: HostAndPort {
        switch host {
        case "0.0.0.0": HostAndPort(host: "127.0.0.1", port: port)
        case "::": HostAndPort(host: "::1", port: port)
        default: self
        }
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

    /// Whether a text is an IPv6 address, with or without a zone: `fe80::1%eth0`.
    static func isIPv6(_ text: Substring) -> Bool {
        let parts = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
        var address = in6_addr()
        return parts.first.map { inet_pton(AF_INET6, String($0), &address) == 1 } == true
            && parts.dropFirst().allSatisfy { zone in
                !zone.isEmpty
                    && zone.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) }
            }
    }

    /// Whether a text can be the name of a host, or is an IPv4 address, without a port.
    ///
    /// Numbers alone are an address in full or nothing: the system would take `192.168.1` for another one.
    /// - Source: RFC 1123, section 2.1; letters beyond ASCII are those of internationalised names.
    package static func isHost(_ text: some StringProtocol) -> Bool {
        var labels = text.split(separator: ".", omittingEmptySubsequences: false)
        // The root's own label, of a name in full.
        if labels.count > 1, labels.last?.isEmpty == true { labels.removeLast() }
        guard text.utf8.count <= 253, labels.allSatisfy({ isLabel($0) }) else { return false }
        guard labels.last?.allSatisfy({ $0.isASCII && $0.isNumber }) == true else { return true }
        var address = in_addr()
        return inet_pton(AF_INET, String(text), &address) == 1
    }

    private static func isLabel(_ text: some StringProtocol) -> Bool {
        !text.isEmpty && text.utf8.count <= 63 && text.first != "-" && text.last != "-"
            && text.unicodeScalars.allSatisfy {
                $0 == "-" || $0 == "_" || $0.properties.isAlphabetic || $0.properties.numericType != nil
                    || $0.properties.generalCategory == .nonspacingMark
            }
    }
}

extension HostAndPort: LosslessStringConvertible {
    package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
