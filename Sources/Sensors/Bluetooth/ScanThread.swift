import CBluetooth
import Glibc
import Logging
import Positioning
import SystemPackage
import Threading

/// Carries out what a ``ScanSession`` decides: waits for sockets and the clock, reads, writes, and tells.
struct ScanThread: Sendable {
    var session: ScanSession
    var receiver: BeaconReceiver
    let power: ScanSwitch
    let host: HCIHost
    let clocks: BeaconScanner.Clocks
    let logger: Logger
    let report: @Sendable (ScanCondition) -> Void
    /// Takes new readings, and all packets and damaged reports so far.
    let tell: @Sendable (_ readings: [SensorReading], _ packets: Int, _ damaged: Int) -> Void

    private var device: Int32 = -1
    private var watcher: Int32 = -1
    private var hasEnded = false
    private var waiting: [ScanSession.Action] = []
    private var isCarryingOut = false
    private var latestBeacon = -Double.infinity
    /// Until when reports are left to gather.
    private var napEnd = 0.0
    private var nextTick = Double.infinity

    /// How long after the last beacon silence is still told, seconds: long enough for "lost" to be noticed.
    private static let attention = 90.0
    /// How long reports gather before they are read, seconds.
    ///
    /// A wake-up for each would cost several times as much, and the socket has room for many more.
    private static let nap = 0.025
    /// So many packets are read before others have their turn.
    private static let mostAtOnce = 256
    private static let longestPacket = 1024

    init(
        session: ScanSession,
        receiver: BeaconReceiver,
        power: ScanSwitch,
        host: HCIHost,
        clocks: BeaconScanner.Clocks,
        logger: Logger,
        report: @escaping @Sendable (ScanCondition) -> Void,
        tell: @escaping @Sendable (_ readings: [SensorReading], _ packets: Int, _ damaged: Int) -> Void
    ) {
        self.session = session
        self.receiver = receiver
        self.power = power
        self.host = host
        self.clocks = clocks
        self.logger = logger
        self.report = report
        self.tell = tell
    }

    /// Runs on a new thread, and calls `ended` at the end.
    /// - Throws: The system's error when it allows no further thread.
    func start(_ ended: @escaping @Sendable () -> Void) throws(Errno) {
        let thread = try POSIXThread {
            var thread = self
            thread.run()
            ended()
        }
        thread.detach()
    }

    private var now: Double { clocks.steady() }

    private mutating func run() {
        var buffer = [UInt8](repeating: 0, count: Self.longestPacket)
        var readings: [SensorReading] = []
        watch()
        carryOut(session.start(at: now))
        while !hasEnded {
            wait(&buffer, &readings)
            if now >= nextTick { readings.append(.tick(time: now)) }
            tell(readings, receiver.packets, receiver.damagedReports)
            planTick(after: readings)
            readings.removeAll(keepingCapacity: true)
        }
        for descriptor in [device, watcher] where descriptor >= 0 { close(descriptor) }
    }

    /// Waits until something can be read, or is due, and does what follows from it.
    private mutating func wait(_ buffer: inout [UInt8], _ readings: inout [SensorReading]) {
        let isNapping = now < napEnd
        // A descriptor below 0 is not waited for.
        var waited = [power.descriptor, watcher, isNapping ? -1 : device].map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        let due = min(session.deadline ?? .infinity, nextTick, isNapping ? napEnd : .infinity) - now
        let milliseconds = due.isFinite ? Int32(min(max(due * 1000, 0), 3_600_000).rounded(.up)) : -1
        guard poll(&waited, nfds_t(waited.count), milliseconds) >= 0 || errno == EINTR else { return }
        if waited[2].revents != 0, device >= 0 { readDevice(&buffer, &readings) }
        if waited[1].revents != 0, watcher >= 0 { readWatcher(&buffer) }
        if waited[0].revents != 0 {
            let wish = power.read()
            handle(wish.isEnding ? .stop : .switched(on: wish.isOn))
        }
        if let deadline = session.deadline, deadline <= now { handle(.time) }
    }

    private mutating func planTick(after readings: [SensorReading]) {
        guard !readings.isEmpty else { return }
        if readings.contains(where: { if case .beacon = $0 { true } else { false } }) { latestBeacon = now }
        nextTick = now - latestBeacon > Self.attention ? .infinity : now + 1
    }

    // MARK: Sockets

    private mutating func readDevice(_ buffer: inout [UInt8], _ readings: inout [SensorReading]) {
        var hasHeard = false
        let moment = BeaconReceiver.Instant(time: now, wall: clocks.wall())
        for _ in 0..<Self.mostAtOnce {
            let count = read(device, &buffer, buffer.count)
            guard count > 0 else {
                if count < 0, [EAGAIN, EINTR].contains(errno) { break }
                // The end of a socket means the same as its failure.
                let fault = count == 0 ? Errno(rawValue: EPIPE) : Errno(rawValue: errno)
                return handle(.failed(fault))
            }
            let packet = buffer.span.extracting(0..<count)
            if packet[0] == UInt8(HCI_EVENT_PKT),
                AdvertisingReportParser.isReport(packet.extracting(1..<count))
            {
                hasHeard = true
                receiver.hear(event: packet.extracting(1..<count), at: moment, into: &readings)
            } else {
                handle(.message(HCIMessage(packet)))
                // What follows from it may have closed the socket.
                guard device >= 0 else { return }
            }
        }
        guard hasHeard else { return }
        napEnd = now + Self.nap
        handle(.heard)
    }

    private mutating func readWatcher(_ buffer: inout [UInt8]) {
        while true {
            let count = read(watcher, &buffer, buffer.count)
            guard count > 0 else {
                if count < 0, [EAGAIN, EINTR].contains(errno) { return }
                close(watcher)
                watcher = -1
                return
            }
            guard let (index, change) = ScanSession.AdapterChange.read(buffer.span.extracting(0..<count))
            else { continue }
            logger.debug("bluetooth: hci\(index): \(change)")
            handle(.adapter(index, change))
        }
    }

    private mutating func watch() {
        guard watcher < 0, case .success(let descriptor) = host.watch() else { return }
        watcher = descriptor
    }

    // MARK: Actions

    private mutating func handle(_ input: ScanSession.Input) {
        carryOut(session.handle(input, at: now))
    }

    /// Actions are done in order; what follows from the result of one comes after those that were there before.
    private mutating func carryOut(_ actions: [ScanSession.Action]) {
        waiting += actions
        guard !isCarryingOut else { return }
        isCarryingOut = true
        while !waiting.isEmpty { carryOut(waiting.removeFirst()) }
        isCarryingOut = false
    }

    private mutating func carryOut(_ action: ScanSession.Action) {
        switch action {
        case .list:
            // Where there was no Bluetooth at the start there may be some now.
            watch()
            switch host.list() {
            case .success(let adapters): handle(.listed(adapters))
            case .failure(let fault): handle(.listFailed(fault))
            }
        case .bringUp(let index): handle(.broughtUp(host.bringUp(index)))
        case .takeDown(let index): note(host.takeDown(index), "switched off again", index)
        case .reset(let index):
            let fault = host.reset(index)
            note(fault, "reset", index)
            handle(.wasReset(fault))
        case .open(let index): open(index)
        case .close:
            if device >= 0 { close(device) }
            device = -1
        case .send(let command): send(command)
        case .report(let condition): report(condition)
        case .end: hasEnded = true
        }
    }

    private mutating func open(_ index: Int) {
        switch host.open(index) {
        case .success(let descriptor):
            device = descriptor
            handle(.opened(nil))
        case .failure(let fault): handle(.opened(fault))
        }
    }

    private mutating func send(_ command: HCICommand) {
        guard device >= 0 else { return }
        let packet = command.packet
        while write(device, packet, packet.count) < 0 {
            if errno == EINTR { continue }
            return handle(.failed(Errno(rawValue: errno)))
        }
    }

    private func note(_ fault: Errno?, _ what: String, _ index: Int) {
        if let fault {
            logger.warning("bluetooth: hci\(index) cannot be \(what): \(fault)")
        } else {
            logger.notice("bluetooth: hci\(index) was \(what)")
        }
    }
}
