import Foundation
package import Logging
package import Text
import Threading

/// The log of this process: its outputs, their levels and format.
///
/// The console is standard error; a file is the second output, if there is one. Logging never blocks: see
/// ``OutputQueue``.
package final class LogOutput: Sendable {
    private struct State {
        /// The console's.
        var level: Logger.Level?
        var form: LogFormat
        var file: LogFile?
        var fileLevel: Logger.Level?
        /// The lines that files before this one have lost.
        var droppedBefore = 0
        var secrets = SecretMask.forms

        /// The lowest level of any output.
        ///
        /// Every place that might log asks for it.
        var lowest: Logger.Level? {
            guard file != nil, let fileLevel else { return level }
            return min(level ?? fileLevel, fileLevel)
        }
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
            report: { count in state.withLock { $0.form }.line(Self.dropped(count)) + "\n" },
            write: write
        )
    }

    /// A logger with this output.
    package func logger(_ label: String) -> Logger {
        Logger(label: label) { LogLineHandler(label: $0, output: self) }
    }

    /// The line in place of lines that were dropped.
    private static func dropped(_ count: Int) -> LogEntry {
        let message = count == 1 ? "1 log line was dropped" : "\(count) log lines were dropped"
        return LogEntry(at: LogEntry.now, level: .warning, label: "log", message: message)
    }

    /// The lowest level on the console; can be changed at any time, for all loggers.
    ///
    /// `nil` logs nothing.
    package var level: Logger.Level? {
        get { state.withLock { $0.level } }
        set { state.withLock { $0.level = newValue } }
    }

    /// Changes level and format of the console, after a reload of the configuration.
    package func configure(level: Logger.Level?, form: LogFormat) {
        state.withLock { ($0.level, $0.form) = (level, form) }
    }

    /// What is masked in every line.
    package var secrets: SecretMask {
        get { state.withLock { $0.secrets } }
        set { state.withLock { $0.secrets = newValue } }
    }

    /// Changes the second output, after a reload of the configuration.
    ///
    /// - Parameters:
    ///   - path: The file; `nil` for none.
    ///   - level: The lowest level in it; `nil` for nothing.
    /// - Throws: ``LogFileError`` if the file cannot be opened; the outputs are then as before.
    package func setFile(_ path: String?, level: Logger.Level?) throws(LogFileError) {
        let old = state.withLock { $0.file }
        guard path != old?.path else { return state.withLock { $0.fileLevel = level } }
        let file: LogFile? =
            if let path {
                try LogFile(path) { [state] count in
                    state.withLock { $0.form }.inFile.line(Self.dropped(count)) + "\n"
                } report: { [weak self] sentence, isWritable in
                    // Only on the console: the file may not take it.
                    self?.printEntry(isWritable ? .notice : .error, sentence)
                }
            } else {
                nil
            }
        let counted = old?.dropped ?? 0
        state.withLock { state in
            (state.file, state.fileLevel) = (file, level)
            state.droppedBefore += counted
        }
        guard let old else { return }
        old.flush()
        // What it has lost at its end.
        let dropped = old.dropped
        state.withLock { $0.droppedBefore += dropped - counted }
    }

    private func printEntry(_ level: Logger.Level, _ message: String) {
        let state = state.withLock { $0 }
        guard let console = state.level, level >= console else { return }
        print(state.form.line(LogEntry(at: LogEntry.now, level: level, label: "log", message: message)))
    }

    /// The number of lines that an output did not take: its reader was too slow, or the file could not be written.
    package var dropped: Int {
        let (file, before) = state.withLock { ($0.file, $0.droppedBefore) }
        return queue.dropped + before + (file?.dropped ?? 0)
    }

    /// Writes a text for a person, in order with the log: why the program ends, or what it waits for.
    package func print(_ text: String, as level: Logger.Level) {
        print(state.withLock { $0.form.isForJournal } ? JournalStream.text(text, level) : text)
    }

    /// Writes an unformatted line, in order with the log.
    private func print(_ line: String) { queue.append(secrets.masked(line) + "\n") }

    /// Waits until everything is written, for a limited time.
    package func flush(within seconds: Double = 1) {
        // The file first: it may have something to report on the console.
        state.withLock { $0.file }?.flush(within: seconds)
        queue.flush(within: seconds)
    }

    /// Writes an entry to the outputs whose level it has.
    fileprivate func add(_ entry: LogEntry) {
        let state = state.withLock { $0 }
        if let level = state.level, entry.level >= level { print(state.form.line(entry)) }
        guard let file = state.file, let level = state.fileLevel, entry.level >= level else { return }
        file.append(state.secrets.masked(state.form.inFile.line(entry)))
    }

    /// The lowest level of any output.
    fileprivate var lowest: Logger.Level? { state.withLock { $0.lowest } }
}

/// The swift-log handler of one logger.
private struct LogLineHandler: LogHandler {
    let label: String
    let output: LogOutput
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?
    /// The logger's own level: it can say less than the outputs ask for, never more.
    private var ownLevel: Logger.Level?

    init(label: String, output: LogOutput) {
        self.label = label
        self.output = output
    }

    var logLevel: Logger.Level {
        get { max(ownLevel ?? .trace, output.lowest ?? .critical) }
        set { ownLevel = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        guard output.lowest != nil else { return }
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
