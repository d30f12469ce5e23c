import Glibc
import Logging
import Positioning
import Sensors
import SystemPackage

/// How much of a core the scanner takes at a thousand reports a second.
///
/// From the adapter's socket, which is one end of a pair here, to the reading that is handed over.
struct ScanBenchmark {
    private static let perSecond = 1000
    private static let seconds = 10

    private final class Adapter: Sendable {
        /// The controller's end and the scanner's end.
        let ends: (Int32, Int32)

        init() {
            var ends: [Int32] = [-1, -1]
            let kind = Int32(SOCK_SEQPACKET.rawValue | SOCK_NONBLOCK.rawValue)
            precondition(socketpair(AF_UNIX, kind, 0, &ends) == 0, "no socket pair")
            self.ends = (ends[0], ends[1])
        }

        var host: HCIHost {
            let adapter = AdapterInfo(index: 0, address: DeviceAddress(bits: 1, isRandom: false), isUp: true)
            let missing = Errno(rawValue: ENODEV)
            return HCIHost(
                list: { .success([adapter]) },
                watch: { .failure(missing) },
                open: { _ in .success(self.ends.1) },
                bringUp: { _ in missing },
                takeDown: { _ in missing },
                reset: { _ in missing }
            )
        }

        /// Answers the commands that wait.
        func answer() {
            var packet = [UInt8](repeating: 0, count: 300)
            while recv(ends.0, &packet, packet.count, 0) > 2 {
                send([4, 0x0E, 4, 1, packet[1], packet[2], 0])
            }
        }

        func send(_ packet: [UInt8]) { _ = Glibc.send(ends.0, packet, packet.count, 0) }
    }

    func run() async throws {
        let adapter = Adapter()
        let origin = ContinuousClock.now
        let scanner = BeaconScanner(
            settings: ScanSettings(),
            power: try ScanSwitch(),
            host: adapter.host,
            clocks: .init(steady: { (ContinuousClock.now - origin) / .seconds(1) }, wall: { 0 }),
            logger: Logger(label: "bench")
        ) { _ in
        }
        let scanning = Task { try? await scanner.source.run { _ in } }
        let event = AdvertBenchmark.events(1)[0]
        let sender = Task.detached {
            let before = Self.processorSeconds(CLOCK_PROCESS_CPUTIME_ID)
            let own = Self.processorSeconds(CLOCK_THREAD_CPUTIME_ID)
            for number in 0..<Self.perSecond * Self.seconds {
                adapter.answer()
                adapter.send([4] + event)
                // Not Task.sleep, whose own work would count.
                let due = origin + .milliseconds(number)
                let rest = Int(max((due - ContinuousClock.now) / .microseconds(1), 0))
                usleep(UInt32(rest))
            }
            let sending = Self.processorSeconds(CLOCK_THREAD_CPUTIME_ID) - own
            return Self.processorSeconds(CLOCK_PROCESS_CPUTIME_ID) - before - sending
        }
        let used = await sender.value / Double(Self.seconds)
        let answering = Task.detached {
            while !Task.isCancelled {
                adapter.answer()
                try? await Task.sleep(for: .milliseconds(1))
            }
        }
        scanning.cancel()
        await scanning.value
        answering.cancel()
        let counters = scanner.counters
        let lost = Self.perSecond * Self.seconds - counters.beacons
        let hundredths = Int((used * 10_000).rounded())
        let share = "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)"
        print(
            "| scanning at \(Self.perSecond) reports a second, \(lost) lost: processor | – | \(share) % of a core | – "
                + "| < 2 % | \(used < 0.02 ? "yes" : "**no**") |"
        )
    }

    private static func processorSeconds(_ clock: clockid_t) -> Double {
        // As two words: which module the members of the structure belong to depends on what else is imported.
        var time = (seconds: 0, nanoseconds: 0)
        withUnsafeMutableBytes(of: &time) { bytes in
            if let place = bytes.bindMemory(to: timespec.self).baseAddress { clock_gettime(clock, place) }
        }
        return Double(time.seconds) + Double(time.nanoseconds) / 1e9
    }
}
