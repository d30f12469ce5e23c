import Daemon

/// Rows of words as lines with aligned columns.
struct TextTable {
    /// Above the rows; empty for none.
    var header: [String] = []
    var rows: [[String]]

    /// The lines, safe for a terminal, without blanks at their ends.
    var lines: [String] {
        let all = ((header.isEmpty ? [] : [header]) + rows).map { row in
            // Below a header, an empty column would look as if the others belonged to it.
            row.map { $0.isEmpty && !header.isEmpty ? "-" : TerminalText.visible($0) }
        }
        var widths: [Int] = []
        for row in all {
            for (column, word) in row.enumerated() {
                let width = TerminalText.width(word)
                if column < widths.count {
                    widths[column] = max(widths[column], width)
                } else {
                    widths.append(width)
                }
            }
        }
        return all.map { row in
            var line = ""
            for (word, width) in zip(row, widths) {
                line += word + String(repeating: " ", count: width - TerminalText.width(word) + 2)
            }
            while line.last == " " { line.removeLast() }
            return line
        }
    }
}
