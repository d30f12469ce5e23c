import Glibc
package import SystemPackage
import Threading

/// Reports when the system gets or loses an address, as it happens.
/// - Source: rtnetlink(7), RTMGRP_IPV4_IFADDR.
package struct AddressMonitor: Sendable {
    // The headers of netlink have no module.
    private static let family: Int32 = 16
    private static let route: Int32 = 0
    private static let ipv4Addresses: UInt32 = 0x10
    private static let newAddress: UInt16 = 20
    private static let deletedAddress: UInt16 = 21
    private static let headBytes = 16

    private let descriptor: FileDescriptor

    /// - Throws: The system's error, if it has no netlink.
    package init() throws(Errno) {
        let number = socket(Self.family, Int32(SOCK_RAW.rawValue) | Int32(SOCK_CLOEXEC.rawValue), Self.route)
        guard number >= 0 else { throw Errno(rawValue: errno) }
        // sockaddr_nl: family, padding, port, groups.
        var address = [UInt8](repeating: 0, count: 12)
        withUnsafeBytes(of: UInt16(Self.family)) { address.replaceSubrange(0..<2, with: $0) }
        withUnsafeBytes(of: Self.ipv4Addresses) { address.replaceSubrange(8..<12, with: $0) }
        let result = address.withUnsafeBytes { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) {
                bind(number, $0.baseAddress, socklen_t(bytes.count))
            }
        }
        guard result == 0 else {
            let error = Errno(rawValue: errno)
            close(number)
            throw error
        }
        descriptor = FileDescriptor(rawValue: number)
    }

    /// An element for each batch of changes, until the task that reads it ends.
    ///
    /// Read it once.
    package func changes() -> AsyncStream<Void> {
        let (stream, port) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        guard let stop = try? EventFD(), let thread = try? POSIXThread({ self.read(until: stop, port) })
        else {
            port.finish()
            return stream
        }
        thread.detach()
        port.onTermination = { _ in stop.signal() }
        return stream
    }

    private func read(until stop: EventFD, _ port: AsyncStream<Void>.Continuation) {
        defer {
            try? descriptor.close()
            port.finish()
        }
        var buffer = [UInt8](repeating: 0, count: 16 * 1024)
        while true {
            var waiting = [
                pollfd(fd: descriptor.rawValue, events: Int16(POLLIN), revents: 0),
                pollfd(fd: stop.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&waiting, nfds_t(waiting.count), -1) >= 0 || errno == EINTR else { return }
            if waiting[1].revents != 0 { return }
            guard waiting[0].revents != 0 else { continue }
            let count = recv(descriptor.rawValue, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            // Messages were lost: something has changed.
            if count < 0, errno == ENOBUFS { port.yield() }
            if count > 0, Self.isChange(buffer[..<count]) { port.yield() }
        }
    }

    /// Whether one of the messages is about an address.
    static func isChange(_ bytes: ArraySlice<UInt8>) -> Bool {
        var rest = bytes
        while rest.count >= headBytes {
            let start = rest.startIndex
            let length = rest[start..<(start + 4)].reversed().reduce(0) { $0 << 8 | Int($1) }
            let type = UInt16(rest[start + 4]) | UInt16(rest[start + 5]) << 8
            if type == newAddress || type == deletedAddress { return true }
            guard length >= headBytes else { return false }
            rest = rest.dropFirst((length + 3) & ~3)
        }
        return false
    }
}
