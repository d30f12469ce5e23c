import Glibc

/// Internet Protocol, version 4 or 6.
enum AddressFamily {
    case v4, v6

    struct LookupFailure: Error {
        let reason: String
    }

    /// The wildcard address for sockets of this family only.
    var anyAddress: String { self == .v4 ? "0.0.0.0" : "::" }

    /// The address families of a host, the preferred one first.
    ///
    /// Queries name servers, so it may block for long.
    static func families(of host: String) throws(LookupFailure) -> [AddressFamily] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let failure = getaddrinfo(host, nil, &hints, &list)
        guard failure == 0 else { throw LookupFailure(reason: String(cString: gai_strerror(failure))) }
        defer { freeaddrinfo(list) }
        var families: [AddressFamily] = []
        var next = list
        while let entry = next?.pointee {
            let family: AddressFamily? =
                switch entry.ai_family {
                case AF_INET: .v4
                case AF_INET6: .v6
                default: nil
                }
            if let family, !families.contains(family) { families.append(family) }
            next = entry.ai_next
        }
        guard !families.isEmpty else { throw LookupFailure(reason: "none of IPv4 or IPv6") }
        return families
    }
}
