import Dispatch
import Foundation
package import Logging

/// The log of this process: where its lines go, in which form, from which level on.
///
/// Nobody who logs ever waits: lines go into a bounded buffer and are written by a queue of their own. When the
/// reader is too slow lines are dropped, and their number is logged.
package final class LogOutput: Sendable {
    private struct State {
        var level: Logger.Level
        var waiting: [UInt8] = []
        var dropped = 0
        var isWriting = false
    }

    private let state: Locked<State>
    private let form: LogForm
    private let write: @Sendable ([UInt8]) -> Void
    private let queue = DispatchQueue(label: "trilateral.log")

    private static let capacity = 1 << 20

    /// - Parameter write: Writes whole lines; may take its time. By default to standard error.
    package init(
        level: Logger.Level,
        form: LogForm,
        write: @escaping @Sendable ([UInt8]) -> Void = { Terminal.error.write($0) }
    ) {
        state = Locked(State(level: level))
        self.form = form
        self.write = write
    }

    /// A logger that writes here.
    package func logger(_ label: String) -> Logger {
        Logger(label: label) { LogLineHandler(label: $0, output: self) }
    }

    /// The least level that is logged; it may be changed at any time, for all loggers at once.
    package var level: Logger.Level {
        get { state.withLock { $0.level } }
        set { state.withLock { $0.level = newValue } }
    }

    /// Waits until everything is written, but not for a reader that has stopped reading.
    package func flush(within seconds: Double = 1) {
        let done = DispatchSemaphore(value: 0)
        queue.async { done.signal() }
        _ = done.wait(timeout: .now() + seconds)
    }

    func add(_ entry: LogEntry) {
        let line = form.line(entry)
        let wakes = state.withLock { state -> Bool in
            guard state.waiting.count + line.utf8.count < Self.capacity else {
                state.dropped += 1
                return false
            }
            state.waiting.append(contentsOf: line.utf8)
            state.waiting.append(0x0A)
            defer { state.isWriting = true }
            return !state.isWriting
        }
        if wakes { queue.async { [self] in drain() } }
    }

    private func drain() {
        while true {
            let (bytes, dropped) = state.withLock { state -> ([UInt8], Int) in
                let taken = (state.waiting, state.dropped)
                state.waiting = []
                state.dropped = 0
                state.isWriting = !taken.0.isEmpty
                return taken
            }
            guard !bytes.isEmpty else { return }
            write(bytes)
            if dropped > 0 {
                let entry = LogEntry(
                    at: LogEntry.now,
                    level: .warning,
                    label: "log",
                    message: "log lines were dropped",
                    values: [("count", "\(dropped)")]
                )
                write(Array((form.line(entry) + "\n").utf8))
            }
        }
    }
}

/// The handler that swift-log asks for, one for each logger.
private struct LogLineHandler: LogHandler {
    let label: String
    let output: LogOutput
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?
    private var ownLevel: Logger.Level?

    init(label: String, output: LogOutput) {
        self.label = label
        self.output = output
    }

    var logLevel: Logger.Level {
        get { ownLevel ?? output.level }
        set { ownLevel = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var all = metadataProvider?.get() ?? [:]
        all.merge(metadata) { _, new in new }
        all.merge(event.metadata ?? [:]) { _, new in new }
        var values = all.sorted { $0.key < $1.key }.map { ($0.key, "\($0.value)") }
        if let error = event.error { values.append(("error", "\(error)")) }
        output.add(
            LogEntry(
                at: LogEntry.now,
                level: event.level,
                label: label,
                message: event.message.description,
                values: values
            )
        )
    }
}
