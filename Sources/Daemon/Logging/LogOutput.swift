import Foundation
package import Logging
import Threading

/// The log of this process: its output, format and level.
///
/// Logging never blocks: see ``OutputQueue``.
package final class LogOutput: Sendable {
    private struct State {
        var level: Logger.Level?
        var form: LogFormat
    }

    private let state: Locked<State>
    private let queue: OutputQueue

    /// - Parameters:
    ///   - level: The lowest level that is logged; `nil` logs nothing.
    ///   - write: Writes whole lines; may block.
    package init(
        level: Logger.Level?,
        form: LogFormat,
        write: @escaping @Sendable ([UInt8]) -> Void
    ) {
        let state = Locked(State(level: level, form: form))
        self.state = state
        queue = OutputQueue(
            report: { count in
                let entry = LogEntry(
                    at: LogEntry.now,
                    level: .warning,
                    label: "log",
                    message: count == 1 ? "1 log line was dropped" : "\(count) log lines were dropped"
                )
                return state.withLock { $0.form }.line(entry) + "\n"
            },
            write: write
        )
    }

    /// A logger with this output.
    package func logger(_ label: String) -> Logger {
        Logger(label: label) { LogLineHandler(label: $0, output: self) }
    }

    /// The lowest level that is logged; can be changed at any time, for all loggers.
    ///
    /// `nil` logs nothing.
    package var level: Logger.Level? {
        get { state.withLock { $0.level } }
        set { state.withLock { $0.level = newValue } }
    }

    /// Changes level and format, after a reload of the configuration.
    package func configure(level: Logger.Level?, form: LogFormat) {
        state.withLock { $0 = State(level: level, form: form) }
    }

    /// The number of lines that were dropped because the reader was too slow.
    package var dropped: Int { queue.dropped }

    /// Writes an unformatted line, in order with the log.
    package func print(_ line: String) { queue.append(line + "\n") }

    /// Waits until everything is written, for a limited time.
    package func flush(within seconds: Double = 1) { queue.flush(within: seconds) }

    fileprivate func add(_ entry: LogEntry) {
        print(state.withLock { $0.form }.line(entry))
    }
}

/// The swift-log handler of one logger.
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
        get { ownLevel ?? output.level ?? .critical }
        set { ownLevel = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        guard output.level != nil else { return }
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
