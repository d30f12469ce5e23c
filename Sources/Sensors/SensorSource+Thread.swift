import Glibc
import SystemPackage
import Threading

/// Asks a thread to stop, also while it waits.
final class StopSignal: Sendable {
    private let event: EventFD
    /// Readable after ``stop()``, for use in `poll`.
    var descriptor: Int32 { event.descriptor }

    init() throws(Errno) { event = try EventFD() }

    func stop() { event.signal() }

    var isStopped: Bool { wait(seconds: 0) }

    /// Waits; `true` as soon as the thread should stop.
    func wait(seconds: Double) -> Bool {
        var waited = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&waited, 1, Self.milliseconds(seconds)) > 0
    }

    /// A timeout for `poll`, rounded up so that it does not return early.
    static func milliseconds(_ seconds: Double) -> Int32 {
        Int32(exactly: min(max(seconds * 1000, 0), 3_600_000).rounded(.up)) ?? 0
    }
}

extension SensorSource {
    /// Most readings in the queue; then the oldest are dropped.
    private static var mostWaiting: Int { 256 }

    /// A source whose blocking work runs on a thread of its own.
    /// - Parameter work: Returns when there are no more readings, or soon after the signal.
    init(
        name: String,
        onThread work: @escaping @Sendable (StopSignal, _ publish: @Sendable (SensorReading) -> Void) -> Void
    ) {
        self.init(name: name) { handler async throws(SensorError) in
            let (readings, port) = AsyncStream.makeStream(
                of: SensorReading.self,
                bufferingPolicy: .bufferingNewest(Self.mostWaiting)
            )
            let signal: StopSignal
            do throws(Errno) {
                signal = try StopSignal()
                let thread = try POSIXThread {
                    work(signal) { port.yield($0) }
                    port.finish()
                }
                thread.detach()
            } catch {
                throw .cannotStart(source: name, reason: "\(error)")
            }
            await withTaskCancellationHandler {
                for await reading in readings { await handler([reading]) }
            } onCancel: {
                signal.stop()
            }
            signal.stop()
        }
    }
}
