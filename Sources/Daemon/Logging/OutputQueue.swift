import Dispatch
import Threading

/// Output that is written by its own thread.
///
/// Appending never blocks: a reader that stalls (a full pipe, a stopped terminal) blocks only that thread. Text that does
/// not fit into the buffer is dropped and counted.
package final class OutputQueue: Sendable {
    private struct State {
        var waiting: [UInt8] = []
        /// Dropped since the last report.
        var unreported = 0
        var dropped = 0
        var isWriting = false
    }

    private let state = Locked(State())
    private let capacity: Int
    private let report: @Sendable (Int) -> String
    private let write: @Sendable ([UInt8]) -> Void
    private let queue = DispatchQueue(label: "trilateral.output")

    /// - Parameters:
    ///   - capacity: The maximum number of waiting bytes, not counting those being written.
    ///   - report: The text that replaces a number of dropped texts once there is room again.
    ///   - write: Writes everything; may block.
    package init(
        capacity: Int = 1 << 20,
        report: @escaping @Sendable (Int) -> String = { _ in "" },
        write: @escaping @Sendable ([UInt8]) -> Void
    ) {
        self.capacity = capacity
        self.report = report
        self.write = write
    }

    /// The total number of dropped texts.
    package var dropped: Int { state.withLock { $0.dropped } }

    /// Appends a text, which is written completely or dropped.
    package func append(_ text: String) {
        let wakes = state.withLock { state -> Bool in
            guard state.waiting.count + text.utf8.count <= capacity else {
                state.dropped += 1
                state.unreported += 1
                return false
            }
            state.waiting.append(contentsOf: text.utf8)
            defer { state.isWriting = true }
            return !state.isWriting
        }
        if wakes { queue.async { [self] in drain() } }
    }

    /// Waits until everything is written, for a limited time.
    package func flush(within seconds: Double = 1) {
        let done = DispatchSemaphore(value: 0)
        queue.async { done.signal() }
        _ = done.wait(timeout: .now() + seconds)
    }

    private func drain() {
        while true {
            let (bytes, dropped) = state.withLock { state -> ([UInt8], Int) in
                let taken = (state.waiting, state.unreported)
                state.waiting = []
                state.unreported = 0
                state.isWriting = !taken.0.isEmpty || taken.1 > 0
                return taken
            }
            if !bytes.isEmpty { write(bytes) }
            if dropped > 0 { write(Array(report(dropped).utf8)) }
            if bytes.isEmpty, dropped == 0 { return }
        }
    }
}
