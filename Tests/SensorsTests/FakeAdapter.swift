import Glibc
import Positioning
import Sensors
import SystemPackage
import Threading

/// An adapter and its controller behind sockets, in place of the kernel's.
final class FakeAdapter: Sendable {
    struct State: Sendable {
        /// The controller's ends of the sockets; below 0 when there is none.
        var device: Int32 = -1
        var watcher: Int32 = -1
        var isPresent = true
        var isUp = true
        var isScanning = false
        var commands: [UInt16] = []
        var conditions: [ScanCondition] = []
        fileprivate var time = Swift.Duration.zero
        fileprivate var latestWork = ContinuousClock.now
    }

    private let state = Locked(State())

    /// Seconds of a clock that runs only while the controller works.
    ///
    /// On a busy machine the test may get no processor for seconds. The scanner must not take that for a
    /// controller that is silent.
    var time: Double { read { $0.time / .seconds(1) } }

    deinit {
        state.withLock { state in
            for descriptor in [state.device, state.watcher] where descriptor >= 0 { close(descriptor) }
        }
    }

    func read<Value: Sendable>(_ body: @Sendable (State) -> Value) -> Value { state.withLock { body($0) } }
    func change(_ body: @Sendable (inout State) -> Void) { state.withLock { body(&$0) } }

    var host: HCIHost {
        HCIHost(
            list: { [self] in
                let (isPresent, isUp) = read { ($0.isPresent, $0.isUp) }
                let address = DeviceAddress(bits: 1, isRandom: false)
                return .success(isPresent ? [AdapterInfo(index: 0, address: address, isUp: isUp)] : [])
            },
            watch: { [self] in pair { $0.watcher = $1 } },
            open: { [self] _ in pair { $0.device = $1 } },
            bringUp: { [self] _ in
                change { $0.isUp = true }
                return nil
            },
            takeDown: { [self] _ in
                change { $0.isUp = false }
                return nil
            },
            reset: { _ in nil }
        )
    }

    private func pair(
        _ store: @Sendable (inout State, Int32) -> Void
    ) -> Result<Int32, Errno> {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_SEQPACKET.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { return .failure(Errno(rawValue: errno)) }
        let (ours, theirs) = (ends[0], ends[1])
        change { store(&$0, ours) }
        return .success(theirs)
    }

    /// Processes and answers received commands; `false` when the scanner closed the socket.
    func work() -> Bool {
        state.withLock { state in
            let now = ContinuousClock.now
            state.time += min(now - state.latestWork, .milliseconds(20))
            state.latestWork = now
            guard state.device >= 0 else { return true }
            var buffer = [UInt8](repeating: 0, count: 300)
            while true {
                let count = recv(state.device, &buffer, buffer.count, 0)
                guard count > 0 else { return count < 0 }
                let opcode = UInt16(buffer[2]) << 8 | UInt16(buffer[1])
                state.commands.append(opcode)
                if opcode == 0x2042 { state.isScanning = buffer[4] == 1 }
                Self.write([4, 0x0E, 4, 1, buffer[1], buffer[2], 0], to: state.device)
            }
        }
    }

    /// Sends as many packets to the scanner as its socket has room for.
    @discardableResult
    func send(_ packets: [[UInt8]]) -> Int {
        state.withLock { state in packets.prefix { Self.write($0, to: state.device) }.count }
    }

    func announce(_ change: UInt8) {
        state.withLock { state in _ = Self.write([4, 0xFD, 6, 1, 0, change, 0, 0, 0], to: state.watcher) }
    }

    /// Unplugs the adapter: its socket fails.
    func pull() {
        state.withLock { state in
            state.isPresent = false
            close(state.device)
            state.device = -1
        }
        announce(2)
    }

    func putBack() {
        state.withLock { state in
            (state.isPresent, state.isUp, state.isScanning) = (true, false, false)
        }
        announce(1)
    }

    @discardableResult
    private static func write(_ packet: [UInt8], to descriptor: Int32) -> Bool {
        Glibc.send(descriptor, packet, packet.count, Int32(MSG_NOSIGNAL)) == packet.count
    }
}
