import CBluetooth
import Glibc
import Positioning
package import SystemPackage

/// The system's interface to Bluetooth adapters.
///
/// Descriptors are non-blocking, and the caller closes them.
package struct HCIHost: Sendable {
    package var list: @Sendable () -> Result<[AdapterInfo], Errno>
    /// Opens a socket for events when adapters are added, removed, and switched on and off.
    package var watch: @Sendable () -> Result<Int32, Errno>
    /// Opens a socket to an adapter for advertising reports, command results, and the commands of other
    /// processes.
    package var open: @Sendable (_ index: Int) -> Result<Int32, Errno>
    package var bringUp: @Sendable (_ index: Int) -> Errno?
    package var takeDown: @Sendable (_ index: Int) -> Errno?
    package var reset: @Sendable (_ index: Int) -> Errno?

    package init(
        list: @escaping @Sendable () -> Result<[AdapterInfo], Errno>,
        watch: @escaping @Sendable () -> Result<Int32, Errno>,
        open: @escaping @Sendable (_ index: Int) -> Result<Int32, Errno>,
        bringUp: @escaping @Sendable (_ index: Int) -> Errno?,
        takeDown: @escaping @Sendable (_ index: Int) -> Errno?,
        reset: @escaping @Sendable (_ index: Int) -> Errno?
    ) {
        self.list = list
        self.watch = watch
        self.open = open
        self.bringUp = bringUp
        self.takeDown = takeDown
        self.reset = reset
    }

    /// The Linux kernel's.
    package static let kernel = HCIHost(
        list: { KernelHCI.withSocket(KernelHCI.adapters) },
        watch: { KernelHCI.socket(on: UInt16(HCI_DEV_NONE), events: [EVT_STACK_INTERNAL]) },
        open: { index in
            KernelHCI.socket(
                on: UInt16(clamping: index),
                events: [EVT_LE_META_EVENT, EVT_CMD_COMPLETE, EVT_CMD_STATUS]
            )
        },
        bringUp: { KernelHCI.control(trilateral_device_up, $0) },
        takeDown: { KernelHCI.control(trilateral_device_down, $0) },
        reset: { KernelHCI.control(trilateral_device_reset, $0) }
    )
}

/// Calls into the Linux kernel.
private enum KernelHCI {
    /// More than a second of packets in a crowded place; the system may grant less.
    private static let receiveBuffer: Int32 = 1 << 20

    private static var error: Errno { Errno(rawValue: errno) }

    private static func socket() -> Result<Int32, Errno> {
        let kind = Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = Glibc.socket(AF_BLUETOOTH, kind, BTPROTO_HCI)
        return descriptor < 0 ? .failure(error) : .success(descriptor)
    }

    static func withSocket<Value>(
        _ body: (Int32) -> Result<Value, Errno>
    ) -> Result<Value, Errno> {
        socket().flatMap { descriptor in
            defer { close(descriptor) }
            return body(descriptor)
        }
    }

    static func control(_ request: UInt, _ index: Int) -> Errno? {
        let result = withSocket { descriptor in
            trilateral_control(descriptor, request, Int32(clamping: index)) < 0
                ? .failure(error) : Result<Void, Errno>.success(())
        }
        if case .failure(let error) = result { return error }
        return nil
    }

    static func adapters(_ descriptor: Int32) -> Result<[AdapterInfo], Errno> {
        var numbers = [UInt16](repeating: 0, count: Int(HCI_MAX_DEV))
        let count = trilateral_adapters(descriptor, &numbers, Int32(numbers.count))
        if count < 0 { return .failure(error) }
        return .success(numbers.prefix(Int(count)).sorted().compactMap { describe($0, descriptor) })
    }

    /// `nil` when the adapter was removed in the meantime.
    private static func describe(_ number: UInt16, _ descriptor: Int32) -> AdapterInfo? {
        var info = hci_dev_info()
        info.dev_id = number
        guard trilateral_describe(descriptor, &info) == 0 else { return nil }
        let address = withUnsafeBytes(of: info.bdaddr) { bytes in
            bytes.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        }
        let isUp = info.flags & 1 << UInt32(HCI_UP) != 0
        let features = withUnsafeBytes(of: info.features) { Array($0) }
        // The features are unknown until the adapter is up for the first time.
        let isKnown = features.contains { $0 != 0 }
        return AdapterInfo(
            index: Int(number),
            address: DeviceAddress(bits: address, isRandom: false),
            isUp: isUp,
            isLowEnergy: !isKnown || features[4] & UInt8(LMP_LE) != 0
        )
    }

    /// Opens a socket that receives only these events, and the commands of other processes.
    static func socket(on number: UInt16, events: [Int32]) -> Result<Int32, Errno> {
        socket().flatMap { descriptor in
            // The larger buffer needs a privilege that we may lack.
            for option in [SO_RCVBUFFORCE, SO_RCVBUF] {
                var size = receiveBuffer
                if setsockopt(
                    descriptor,
                    SOL_SOCKET,
                    option,
                    &size,
                    socklen_t(MemoryLayout.size(ofValue: size))
                ) == 0 {
                    break
                }
            }
            var filter = hci_filter()
            hci_filter_clear(&filter)
            hci_filter_set_ptype(HCI_EVENT_PKT, &filter)
            hci_filter_set_ptype(HCI_COMMAND_PKT, &filter)
            for event in events { hci_filter_set_event(event, &filter) }
            var address = sockaddr_hci()
            address.hci_family = sa_family_t(AF_BLUETOOTH)
            address.hci_dev = number
            address.hci_channel = UInt16(HCI_CHANNEL_RAW)
            let isBound =
                setsockopt(
                    descriptor,
                    SOL_HCI,
                    HCI_FILTER,
                    &filter,
                    socklen_t(MemoryLayout.size(ofValue: filter))
                ) == 0
                && withUnsafePointer(to: address) { pointer in
                    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_hci>.size)) == 0
                    }
                }
            guard isBound else {
                let error = error
                close(descriptor)
                return .failure(error)
            }
            return .success(descriptor)
        }
    }
}

extension ScanSession.AdapterChange {
    /// Parses a message of the watching socket: the adapter and its change; `nil` for other messages.
    static func parse(_ packet: Span<UInt8>) -> (index: Int, change: Self)? {
        let (header, type) = (3, UInt16(EVT_SI_DEVICE))
        guard packet.count >= header + 6, packet[0] == UInt8(HCI_EVENT_PKT),
            packet[1] == UInt8(EVT_STACK_INTERNAL), packet.littleEndian16(at: header) == type
        else { return nil }
        let change: Self? =
            switch Int32(packet.littleEndian16(at: header + 2)) {
            case HCI_DEV_REG: .pluggedIn
            case HCI_DEV_UNREG: .pulledOut
            case HCI_DEV_UP: .up
            case HCI_DEV_DOWN: .down
            default: nil
            }
        return change.map { (Int(packet.littleEndian16(at: header + 4)), $0) }
    }
}
