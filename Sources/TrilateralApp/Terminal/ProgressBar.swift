import Daemon

/// How far a long job is, in one line: a bar that is redrawn on a terminal, a line each tenth elsewhere.
package struct ProgressBar: Sendable {
    package enum Style: Sendable, Hashable {
        /// On a terminal of so many columns.
        case bar(columns: Int)
        case lines
    }

    private let label: String
    private let style: Style
    private var lastDrawn: String?
    private var lastTenth = -1

    package init(_ label: String, style: Style) {
        self.label = label
        self.style = style
    }

    /// What to write now; `nil` when nothing new is to be seen.
    ///
    /// - Parameter total: 0 when it is not known; then only the count is shown.
    package mutating func update(done: Int, of total: Int) -> String? {
        let fraction = total > 0 ? min(max(Double(done) / Double(total), 0), 1) : nil
        switch style {
        case .bar(let columns):
            let text = bar(done: done, total: total, fraction: fraction, columns: columns)
            guard text != lastDrawn else { return nil }
            lastDrawn = text
            return "\r" + text + "\u{1B}[K"
        case .lines:
            let tenth = Int((fraction ?? 0) * 10)
            guard tenth > lastTenth else { return nil }
            lastTenth = tenth
            return "\(label): \(count(done, total, fraction))\n"
        }
    }

    /// What to write at the end: the bar gives way to a line.
    package func finish(_ summary: String) -> String {
        switch style {
        case .bar: "\r\u{1B}[K\(label): \(summary)\n"
        case .lines: "\(label): \(summary)\n"
        }
    }

    /// What to write where the verb says itself that it is done: the bar goes.
    package var removal: String {
        switch style {
        case .bar: "\r\u{1B}[K"
        case .lines: ""
        }
    }

    private func count(_ done: Int, _ total: Int, _ fraction: Double?) -> String {
        fraction.map { "\(Int($0 * 100)) % (\(done) of \(total))" } ?? "\(done)"
    }

    /// One column is left free: a terminal moves on to the next line when the last one is written.
    private func bar(done: Int, total: Int, fraction: Double?, columns: Int) -> String {
        let words = " " + count(done, total, fraction)
        let longestWords = 1 + count(total, total, fraction.map { _ in 1 }).count
        let room = columns - 1 - TerminalText.width(label) - 3 - max(words.count, longestWords)
        guard let fraction, room >= 8 else {
            return TerminalText.fitted(label + words, columns: max(columns - 1, 0))
        }
        let cells = min(room, 40)
        let filled = Int((Double(cells) * fraction).rounded(.down))
        return "\(label) [" + String(repeating: "#", count: filled)
            + String(repeating: "-", count: cells - filled) + "]"
            + words
    }
}
