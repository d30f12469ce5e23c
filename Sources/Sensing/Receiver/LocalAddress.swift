import Glibc

/// An address of this machine in its network, for people who look for it.
enum LocalAddress {
    /// The first one of IPv4 that is not the loopback's; `nil` if there is none.
    static var first: String? {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return nil }
        defer { freeifaddrs(list) }
        var entry = list
        while let current = entry {
            defer { entry = current.pointee.ifa_next }
            let flags = current.pointee.ifa_flags
            guard let address = current.pointee.ifa_addr, address.pointee.sa_family == sa_family_t(AF_INET),
                flags & UInt32(IFF_UP) != 0, flags & UInt32(IFF_LOOPBACK) == 0
            else { continue }
            var text = [CChar](repeating: 0, count: Int(INET_ADDRSTRLEN))
            let isWritten = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { internet in
                inet_ntop(AF_INET, &internet.pointee.sin_addr, &text, socklen_t(text.count)) != nil
            }
            if isWritten {
                return String(
                    decoding: text.prefix { $0 != 0 }.map { UInt8(truncatingIfNeeded: $0) },
                    as: UTF8.self
                )
            }
        }
        return nil
    }
}
