import Glibc

/// A TCP port of this machine, before somebody listens on it.
package enum ListeningPort {
    /// What would become of listening on an address.
    package enum Finding: Sendable, Hashable {
        case free
        /// Somebody listens there.
        case taken
        /// The system's words for why not: the address is not this machine's, or the port is not for this user.
        case impossible(String)
    }

    /// Tries an address, and gives it back at once.
    ///
    /// It may take long if a name has to be looked up.
    package static func finding(host: String, port: Int) -> Finding {
        var hints = addrinfo()
        hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, "\(port)", &hints, &list)
        guard code == 0 else { return .impossible(String(cString: gai_strerror(code))) }
        defer { freeaddrinfo(list) }
        var finding: Finding?
        var next = list
        while let address = next?.pointee {
            next = address.ai_next
            switch self.finding(address) {
            case .taken: return .taken
            case .free: finding = .free
            case .impossible(let reason): finding = finding ?? .impossible(reason)
            }
        }
        return finding ?? .impossible("it has no address")
    }

    private static func finding(_ address: addrinfo) -> Finding {
        let kind = address.ai_socktype | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(address.ai_family, kind, address.ai_protocol)
        guard descriptor >= 0 else { return .impossible(systemMessage(errno)) }
        defer { close(descriptor) }
        var yes: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, size)
        // As the listeners do: `::` is tried without IPv4, which is tried by itself.
        if address.ai_family == AF_INET6 {
            setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &yes, size)
        }
        guard bind(descriptor, address.ai_addr, address.ai_addrlen) != 0 else { return .free }
        return errno == EADDRINUSE ? .taken : .impossible(systemMessage(errno))
    }

    /// The inode numbers of the sockets that listen on a port, whatever their address.
    /// - Source: proc(5), /proc/net/tcp; 0A is the state of listening.
    package static func sockets(on port: Int) -> Set<UInt64> {
        var inodes: Set<UInt64> = []
        for table in ["/proc/net/tcp", "/proc/net/tcp6"] {
            guard let bytes = try? FileContents.readBytes(table, upTo: 16 << 20).get() else { continue }
            for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n").dropFirst() {
                let fields = line.split(separator: " ", omittingEmptySubsequences: true)
                guard fields.count > 9, fields[3] == "0A",
                    let text = fields[1].split(separator: ":").last, Int(text, radix: 16) == port,
                    let inode = UInt64(fields[9])
                else { continue }
                inodes.insert(inode)
            }
        }
        return inodes
    }
}
