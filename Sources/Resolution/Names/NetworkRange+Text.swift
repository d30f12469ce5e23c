import Glibc

extension NetworkRange {
    /// A network such as `192.168.0.0/16` or `::1/128`; an address alone is a network of one.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let bytes = PeerAddress.bytes(of: String(first)) else { return nil }
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
        guard let bytes = Self.bytes(of: text) else { return nil }
        self.init(bytes)
    }

    /// 4 or 16, in the order of the network; `nil` for no address.
    fileprivate static func bytes(of text: String) -> [UInt8]? {
        guard !text.utf8.contains(0) else { return nil }
        for (family, count) in [(AF_INET, 4), (AF_INET6, 16)] {
            var bytes = [UInt8](repeating: 0, count: count)
            if inet_pton(family, text, &bytes) == 1 { return bytes }
        }
        return nil
    }
}
