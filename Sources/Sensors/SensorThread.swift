import CBluetooth
import Glibc

/// Tells a thread that it shall end, also while it waits.
final class StopSignal: Sendable {
    /// Readable once the end has come; to be waited for beside other descriptors.
    let descriptor: Int32
    private let bell: Int32

    init() {
        var ends: [Int32] = [-1, -1]
        let result = socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends)
        precondition(result == 0, "no descriptor is left: \(String(cString: strerror(errno)))")
        descriptor = ends[0]
        bell = ends[1]
    }

    deinit {
        close(descriptor)
        close(bell)
    }

    func stop() { send(bell, "\n", 1, Int32(MSG_NOSIGNAL | MSG_DONTWAIT)) }

    var isStopped: Bool { wait(seconds: 0) }

    /// Waits so long; `true` as soon as the end has come.
    func wait(seconds: Double) -> Bool {
        var waited = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&waited, 1, Self.milliseconds(seconds)) > 0
    }

    /// What `poll` is told, so that it does not return before the time is over.
    static func milliseconds(_ seconds: Double) -> Int32 {
        Int32(exactly: min(max(seconds * 1000, 0), 3_600_000).rounded(.up)) ?? 0
    }
}

extension SensorSource {
    /// So many readings may wait to be taken; then the oldest are dropped.
    private static var mostWaiting: Int { 256 }

    /// A source whose work waits for the system all the time, and so has a thread of its own.
    /// - Parameter work: Returns when there is nothing more to be told, or soon after the signal.
    init(
        name: String,
        onThread work: @escaping @Sendable (StopSignal, _ tell: @Sendable (SensorReading) -> Void) -> Void
    ) {
        self.init(name: name) { take async throws(SensorError) in
            let (readings, port) = AsyncStream.makeStream(
                of: SensorReading.self,
                bufferingPolicy: .bufferingNewest(Self.mostWaiting)
            )
            let signal = StopSignal()
            let thread = SensorThread {
                work(signal) { port.yield($0) }
                port.finish()
            }
            thread.start()
            await withTaskCancellationHandler {
                for await reading in readings { await take([reading]) }
            } onCancel: {
                signal.stop()
            }
            signal.stop()
        }
    }
}

/// A thread that does one piece of work.
private final class SensorThread: Sendable {
    private let work: @Sendable () -> Void

    init(_ work: @escaping @Sendable () -> Void) { self.work = work }

    func start() {
        var thread = pthread_t()
        let failure = pthread_create(
            &thread,
            nil,
            { argument in
                guard let argument else { return nil }
                // Signals are for the threads that wait for them.
                var all = sigset_t()
                sigfillset(&all)
                pthread_sigmask(SIG_BLOCK, &all, nil)
                Unmanaged<SensorThread>.fromOpaque(argument).takeRetainedValue().work()
                return nil
            },
            Unmanaged.passRetained(self).toOpaque()
        )
        precondition(failure == 0, "cannot start a thread: \(String(cString: strerror(failure)))")
        pthread_detach(thread)
    }
}
