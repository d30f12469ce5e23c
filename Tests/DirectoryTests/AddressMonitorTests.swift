import Directory
import Foundation
import TestSupport
import Testing
import Threading

/// The system's news of addresses, in a network namespace of a thread's own.
@Suite(.timeLimit(.minutes(1))) struct AddressMonitorTests {
    @Test(.enabled(if: geteuid() == 0))
    func `a new address is reported at once`() async throws {
        let (monitors, port) = AsyncStream.makeStream(of: AddressMonitor.self)
        let proceed = try EventFD()
        let thread = try POSIXThread {
            defer { port.finish() }
            guard Self.leaveNetwork(), let monitor = try? AddressMonitor() else { return }
            port.yield(monitor)
            var waiting = pollfd(fd: proceed.descriptor, events: Int16(POLLIN), revents: 0)
            _ = poll(&waiting, 1, 20_000)
            Self.raiseLoopback()
        }
        thread.detach()
        var iterator = monitors.makeAsyncIterator()
        let monitor = try #require(await iterator.next(), "this container has no network namespaces")
        var changes = monitor.changes().makeAsyncIterator()
        proceed.signal()
        #expect(await changes.next() != nil)
    }

    /// Gives this thread a network namespace of its own; its header has no module.
    private static func leaveNetwork() -> Bool {
        typealias Unshare = @convention(c) (CInt) -> CInt
        guard let symbol = dlsym(nil, "unshare") else { return false }
        return unsafeBitCast(symbol, to: Unshare.self)(0x4000_0000) == 0
    }

    /// Brings `lo` up: the kernel gives it 127.0.0.1.
    private static func raiseLoopback() {
        let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        defer { close(descriptor) }
        // struct ifreq: 16 bytes of the name, then the flags.
        var request = [UInt8](repeating: 0, count: 40)
        request.replaceSubrange(0..<2, with: Array("lo".utf8))
        withUnsafeBytes(of: UInt16(IFF_UP)) { request.replaceSubrange(16..<18, with: $0) }
        _ = ioctl(descriptor, UInt(SIOCSIFFLAGS), &request)
    }
}
