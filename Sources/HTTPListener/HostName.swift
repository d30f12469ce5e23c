import Glibc
import Text

/// The host of a Host header or an origin: a normalised address, or a lower-case name.
enum HostName: Hashable {
    /// Four bytes or sixteen.
    case address([UInt8])
    case name(String)

    /// Parses a host with or without port: `localhost`, `192.168.1.5:80`, `[::1]:1234`.
    ///
    /// `nil` when it is neither an address nor a valid name. A bare IPv6 address is accepted, as in the
    /// configuration.
    init?(authority: String) {
        let text = authority.lowercased()
        var host = Substring(text)
        if text.utf8.first == UInt8(ascii: "[") {
            guard let end = text.utf8.firstIndex(of: UInt8(ascii: "]")),
                Self.isPort(text[text.utf8.index(after: end)...])
            else {
                return nil
            }
            host = text[text.utf8.index(after: text.startIndex)..<end]
            guard let bytes = Self.ipv6(host) else { return nil }
            self = .address(bytes)
            return
        }
        if let bytes = Self.ipv6(host) {
            self = .address(bytes)
            return
        }
        if let colon = host.firstPlace(of: ":") {
            guard Self.isPort(text[colon...]) else { return nil }
            host = text[..<colon]
        }
        if host.utf8.last == UInt8(ascii: ".") { host = Substring(host.utf8.dropLast()) }
        guard !host.isEmpty, host.utf8.count <= 253, host.utf8.allSatisfy(Self.isNameByte) else { return nil }
        if let bytes = Self.ipv4(host) { self = .address(bytes) } else { self = .name(String(host)) }
    }

    /// `localhost`, 127.0.0.0/8 or ::1.
    var isLoopback: Bool {
        switch self {
        case .name(let name): name == "localhost"
        case .address(let bytes) where bytes.count == 4: bytes.first == 127
        case .address(let bytes): bytes.last == 1 && bytes.dropLast().allSatisfy { $0 == 0 }
        }
    }

    private static func isPort(_ text: Substring) -> Bool {
        text.isEmpty
            || text.utf8.first == UInt8(ascii: ":") && text.utf8.count <= 6
                && text.utf8.dropFirst().allSatisfy { (48...57).contains($0) }
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"): true
        default: byte >= 0x80
        }
    }

    private static func ipv4(_ text: Substring) -> [UInt8]? {
        parse(text, family: AF_INET, count: 4)
    }

    /// An IPv4-mapped IPv6 address counts as IPv4.
    private static func ipv6(_ text: Substring) -> [UInt8]? {
        guard text.firstPlace(of: ":") != nil,
            let bytes = parse(text, family: AF_INET6, count: 16)
        else { return nil }
        let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255]
        return bytes.starts(with: mapped) ? Array(bytes.suffix(4)) : bytes
    }

    private static func parse(_ text: Substring, family: Int32, count: Int) -> [UInt8]? {
        // C strings end at NUL.
        guard text.firstPlace(of: "\0") == nil else { return nil }
        var bytes = [UInt8](repeating: 0, count: count)
        return inet_pton(family, String(text), &bytes) == 1 ? bytes : nil
    }
}

/// The scheme, host and port of a web page.
struct WebOrigin: Hashable {
    private let host: HostName
    /// Lower case, without the scheme's default port.
    let text: String

    /// `http://HOST[:PORT]` or with https; `nil` for anything else, `null` included.
    init?(_ origin: String) {
        var text = origin.lowercased()
        let rest: Substring
        let ownPort: String
        if text.hasPrefix("http://") {
            (rest, ownPort) = (text.dropFirst(7), ":80")
        } else if text.hasPrefix("https://") {
            (rest, ownPort) = (text.dropFirst(8), ":443")
        } else {
            return nil
        }
        guard let host = HostName(authority: String(rest)) else { return nil }
        if text.hasSuffix(ownPort), !rest.hasPrefix("[") || rest.contains("]:") {
            text.removeLast(ownPort.count)
        }
        self.host = host
        self.text = text
    }
}
