import Foundation
import JSON
package import Logging
package import Settings
import Text

/// One entry of the log.
package struct LogEntry: Sendable {
    /// Milliseconds since 1970-01-01 UTC.
    package var at: Int64
    package var level: Logger.Level
    package var label: String
    package var message: String
    /// The metadata, in order.
    package var values: [(name: String, value: String)]

    package init(
        at: Int64,
        level: Logger.Level,
        label: String,
        message: String,
        values: [(name: String, value: String)] = []
    ) {
        self.at = at
        self.level = level
        self.label = label
        self.message = message
        self.values = values
    }

    static var now: Int64 { Int64(Date().timeIntervalSince1970 * 1000) }
}

/// The format of an entry, which is always one line.
package struct LogFormat: Sendable, Hashable {
    /// Text is `time level label: message key=value`.
    package typealias Style = TrilateralConfiguration.Log.Format

    package var style: Style
    /// Whether lines begin with `<3>`…`<7>`, the priority for systemd's journal, and have no time, which the journal adds.
    package var isForJournal: Bool

    package init(_ style: Style, isForJournal: Bool = false) {
        self.style = style
        self.isForJournal = isForJournal
    }

    /// The configured format, for the standard error of this process.
    package init(_ format: Style, environment: [String: String]) {
        self.init(format, isForJournal: JournalStream.isBehind(2, environment))
    }

    /// The same format for a file, which always has the time.
    var inFile: LogFormat { LogFormat(style) }

    /// The line, without line end.
    package func line(_ entry: LogEntry) -> String {
        let prefix = isForJournal ? Self.journalPrefix(entry.level) : ""
        switch style {
        case .text: return prefix + text(entry)
        case .json: return prefix + json(entry)
        }
    }

    private func text(_ entry: LogEntry) -> String {
        var line = isForJournal ? "" : "\(CivilTime(milliseconds: entry.at)) "
        line +=
            "\(entry.level.rawValue) \(TerminalText.visible(entry.label)): \(TerminalText.visible(entry.message))"
        for (name, value) in entry.values { line += " \(TerminalText.visible(name))=\(Self.quoted(value))" }
        return line
    }

    private func json(_ entry: LogEntry) -> String {
        var members: JSONObject = [
            "ts": .string(CivilTime(milliseconds: entry.at).description),
            "level": .string(entry.level.rawValue),
            "label": .string(entry.label), "message": .string(entry.message),
        ]
        if !entry.values.isEmpty {
            let values = entry.values.map { ($0.name, JSONValue.string($0.value)) }
            members["values"] = .object(JSONObject(values) { _, last in last })
        }
        return JSONValue.object(members).text
    }

    /// A value, in quotes with escapes unless it is one plain word.
    private static func quoted(_ value: String) -> String {
        let isWord =
            !value.isEmpty
            && value.unicodeScalars.allSatisfy { scalar in
                scalar.value > 0x20 && scalar.value != 0x7F && !"\"\\=".unicodeScalars.contains(scalar)
            }
        let visible = TerminalText.visible(isWord ? value : JSONValue.string(value).text)
        return visible
    }

    /// What a line for the journal begins with.
    static func journalPrefix(_ level: Logger.Level) -> String { "<\(priority(level))>" }

    /// - Source: sd-daemon(3) and syslog(3).
    private static func priority(_ level: Logger.Level) -> Int {
        switch level {
        case .trace, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error, .critical: 3
        }
    }
}

extension Logger.Level {
    /// The configured level; `nil` if nothing is logged.
    package init?(_ level: TrilateralConfiguration.Log.Level) { self.init(rawValue: level.rawValue) }
}
