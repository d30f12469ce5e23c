import Glibc
import SystemPackage
import Threading

/// Tells a thread that it shall end, also while it waits.
final class StopSignal: Sendable {
    private let event: EventFD
    /// Readable once the end has come; to be waited for beside other descriptors.
    var descriptor: Int32 { event.descriptor }

    init() throws(Errno) { event = try EventFD() }

    func stop() { event.signal() }

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
                for await reading in readings { await take([reading]) }
            } onCancel: {
                signal.stop()
            }
            signal.stop()
        }
    }
}
