import CBluetooth
import Glibc
import Logging
import Positioning
import SystemPackage
import Threading

/// Runs a ``ScanSession``: waits for sockets and the clock, reads, writes, and publishes readings.
struct ScanThread: Sendable {
    /// Receives new readings, and the totals of packets and damaged reports.
    typealias Publish = @Sendable (_ readings: [SensorReading], _ packets: Int, _ damaged: Int) -> Void

    private let scanner: BeaconScanner
    private let publish: Publish
    private var session: ScanSession
    private var receiver: BeaconReceiver
    private var device: Int32 = -1
    private var watcher: Int32 = -1
    private var hasEnded = false
    private var waiting: [ScanSession.Action] = []
    private var isCarryingOut = false
    private var latestBeacon = -Double.infinity
    /// Until when reports accumulate before they are read.
    private var napEnd = 0.0
    private var nextTick = Double.infinity

    /// How long ticks continue after the last beacon, seconds: long enough for quality "lost" to be reached.
    private static let tickDuration = 90.0
    /// How long reports accumulate before they are read, seconds.
    ///
    /// A wake-up for each report would cost several times as much, and the socket has room for many more.
    private static let nap = 0.025
    /// Packets to read before other events are handled.
    private static let mostAtOnce = 256
    private static let longestPacket = 1024

    init(_ scanner: BeaconScanner, publish: @escaping Publish) {
        self.scanner = scanner
        self.publish = publish
        session = ScanSession(settings: scanner.settings, isOn: scanner.power.read().isOn)
        receiver = BeaconReceiver(ephemerals: scanner.ephemerals, feed: scanner.feed)
    }

    /// Runs on a new thread, and calls `ended` when it finishes.
    /// - Throws: The system's error when it has no thread left.
    func start(_ ended: @escaping @Sendable () -> Void) throws(Errno) {
        let thread = try POSIXThread {
            var thread = self
            thread.run()
            ended()
        }
        thread.detach()
    }

    private var now: Double { scanner.clocks.steady() }

    private mutating func run() {
        var buffer = [UInt8](repeating: 0, count: Self.longestPacket)
        var readings: [SensorReading] = []
        watch()
        carryOut(session.start(at: now))
        while !hasEnded {
            wait(&buffer, &readings)
            if now >= nextTick { readings.append(.tick(time: now)) }
            publish(readings, receiver.packets, receiver.damagedReports)
            scheduleTick(after: readings)
            readings.removeAll(keepingCapacity: true)
        }
        for descriptor in [device, watcher] where descriptor >= 0 { close(descriptor) }
    }

    /// Waits until a descriptor is readable or a deadline passes, and handles it.
    private mutating func wait(_ buffer: inout [UInt8], _ readings: inout [SensorReading]) {
        let isNapping = now < napEnd
        // poll ignores negative descriptors.
        var waited = [scanner.power.descriptor, watcher, isNapping ? -1 : device].map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        let due = min(session.deadline ?? .infinity, nextTick, isNapping ? napEnd : .infinity) - now
        let milliseconds = due.isFinite ? Int32(min(max(due * 1000, 0), 3_600_000).rounded(.up)) : -1
        guard poll(&waited, nfds_t(waited.count), milliseconds) >= 0 || errno == EINTR else { return }
        if waited[2].revents != 0, device >= 0 { readDevice(&buffer, &readings) }
        if waited[1].revents != 0, watcher >= 0 { readWatcher(&buffer) }
        if waited[0].revents != 0 {
            let request = scanner.power.read()
            handle(request.isEnding ? .stop : .switched(on: request.isOn))
        }
        if let deadline = session.deadline, deadline <= now { handle(.deadlineReached) }
    }

    private mutating func scheduleTick(after readings: [SensorReading]) {
        guard !readings.isEmpty else { return }
        if readings.contains(where: { if case .beacon = $0 { true } else { false } }) { latestBeacon = now }
        nextTick = now - latestBeacon > Self.tickDuration ? .infinity : now + 1
    }

    // MARK: Sockets

    private mutating func readDevice(_ buffer: inout [UInt8], _ readings: inout [SensorReading]) {
        var hasReport = false
        let moment = BeaconReceiver.Instant(time: now, wall: scanner.clocks.wall())
        for _ in 0..<Self.mostAtOnce {
            let count = read(device, &buffer, buffer.count)
            guard count > 0 else {
                if count < 0, [EAGAIN, EINTR].contains(errno) { break }
                // End of file means that the adapter is gone.
                let error = count == 0 ? Errno(rawValue: EPIPE) : Errno(rawValue: errno)
                return handle(.failed(error))
            }
            let packet = buffer.span.extracting(0..<count)
            if packet[0] == UInt8(HCI_EVENT_PKT),
                AdvertisingReportParser.isReport(packet.extracting(1..<count))
            {
                hasReport = true
                receiver.receive(event: packet.extracting(1..<count), at: moment, into: &readings)
            } else {
                handle(.message(HCIMessage(packet)))
                // Handling the message may have closed the socket.
                guard device >= 0 else { return }
            }
        }
        guard hasReport else { return }
        napEnd = now + Self.nap
        handle(.reportReceived)
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
            guard let (index, change) = ScanSession.AdapterChange.parse(buffer.span.extracting(0..<count))
            else { continue }
            scanner.logger.debug("bluetooth: hci\(index): \(change)")
            handle(.adapter(index, change))
        }
    }

    private mutating func watch() {
        guard watcher < 0, case .success(let descriptor) = scanner.host.watch() else { return }
        watcher = descriptor
    }

    // MARK: Actions

    private mutating func handle(_ input: ScanSession.Input) {
        carryOut(session.handle(input, at: now))
    }

    /// Runs actions in order; actions that follow from a result come after those that are queued.
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
            // Bluetooth may have become available since the start.
            watch()
            switch scanner.host.list() {
            case .success(let adapters): handle(.listed(adapters))
            case .failure(let error): handle(.listFailed(error))
            }
        case .bringUp(let index): handle(.broughtUp(scanner.host.bringUp(index)))
        case .takeDown(let index):
            logResult(scanner.host.takeDown(index), "switch off", "switched off again", index)
        case .reset(let index):
            let error = scanner.host.reset(index)
            logResult(error, "reset", "reset", index)
            handle(.resetFinished(error))
        case .open(let index): open(index)
        case .close:
            if device >= 0 { close(device) }
            device = -1
        case .send(let command): send(command)
        case .report(let condition): scanner.report(condition)
        case .end: hasEnded = true
        }
    }

    private mutating func open(_ index: Int) {
        switch scanner.host.open(index) {
        case .success(let descriptor):
            device = descriptor
            handle(.opened(nil))
        case .failure(let error): handle(.opened(error))
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

    private func logResult(_ error: Errno?, _ verb: String, _ participle: String, _ index: Int) {
        if let error {
            scanner.logger.warning("bluetooth: cannot \(verb) hci\(index): \(error)")
        } else {
            scanner.logger.notice("bluetooth: hci\(index) was \(participle)")
        }
    }
}
