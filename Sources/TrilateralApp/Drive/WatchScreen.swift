import Daemon
import JSON

/// The live view of `watch` as lines of text: what is shown, for a size of the terminal.
package struct WatchScreen {
    private let root: String
    private let columns: Int
    private let rows: Int
    /// The colours of the pictures; `nil` for no pictures.
    private let pictures: ColourDepth?

    package init(root: String, columns: Int, rows: Int, pictures: ColourDepth? = nil) {
        self.root = root
        self.columns = columns
        self.rows = rows
        self.pictures = pictures
    }

    /// At most `rows` lines, none wider than `columns`, with pictures beside the text if there is room for them.
    package func lines(_ model: WatchModel) -> [String] {
        guard let depth = pictures, let layout = PictureLayout(columns: columns, rows: rows) else {
            return text(model, columns: columns)
        }
        let text = text(model, columns: layout.textColumns)
        let pictures = WatchPictures(model).lines(layout, depth)
        return (0..<max(text.count, pictures.count)).map { row in
            let words = row < text.count ? text[row] : ""
            guard row < pictures.count else { return words }
            let gap = layout.textColumns + 1 - TerminalText.width(words)
            return words + String(repeating: " ", count: gap) + pictures[row]
        }
    }

    private func text(_ model: WatchModel, columns: Int) -> [String] {
        let fixed = head(model) + [""] + place(model) + nearby(model) + foot(model)
        let room = rows - fixed.count - 2
        var lines = fixed
        if room > 0 {
            lines += ["", "Events"] + model.events.suffix(room).map { "  " + model.line($0) }
        }
        return lines.prefix(max(rows, 1)).map {
            TerminalText.fitted(TerminalText.visible($0), columns: columns)
        }
    }

    private func head(_ model: WatchModel) -> [String] {
        var words = ["Trilateral \(root)"]
        if let problem = model.linkProblem {
            words.append("no link to the broker: \(problem)")
        } else {
            words.append(model["status"]?.string ?? "no daemon heard")
        }
        if let version = model["info"]?["version"]?.string { words.append("version \(version)") }
        return [words.joined(separator: "  ·  "), "Ctrl-C ends"]
    }

    private func place(_ model: WatchModel) -> [String] {
        let since = model["zone"]?["since"]?.string.map { "  since \(model.time.clock($0))" } ?? ""
        return [
            row("Environment", WatchText.name(model["environment"])),
            row("Zone", WatchText.name(model["zone"]) + since),
            row("Device", WatchText.name(model["device"])),
            row("Position", WatchText.position(model.position)),
            row("Angle", WatchText.angle(model.angle)),
        ]
    }

    private func nearby(_ model: WatchModel) -> [String] {
        guard let thing = model["nearby"], thing["id"]?.string != nil else {
            return [row("Nearby", WatchText.name(model["nearby"]))]
        }
        var lines = [row("Nearby", WatchText.name(thing) + "  " + WatchText.direction(thing))]
        let values = WatchText.values(thing)
        if !values.isEmpty { lines.append(row("", values)) }
        let actions = thing["actions"]?.array?.compactMap(\.string) ?? []
        if !actions.isEmpty { lines.append(row("", "actions " + actions.joined(separator: " "))) }
        return lines
    }

    private func foot(_ model: WatchModel) -> [String] {
        var lines: [String] = []
        let sensors = model.values.filter { $0.key.hasPrefix("sensors/") }.sorted { $0.key < $1.key }
            .map { "\($0.key.dropFirst("sensors/".count)) \(WatchText.plain($0.value))" }
        if !sensors.isEmpty { lines.append(row("Sensors", sensors.joined(separator: "  "))) }
        let links = WatchText.links(model["health"])
        if !links.isEmpty { lines.append(row("Links", links.joined(separator: "  "))) }
        for alert in model.alerts {
            lines.append(row("Alert", alert.body["message"]?.string ?? alert.id))
        }
        return lines
    }

    private func row(_ title: String, _ text: String) -> String {
        title + String(repeating: " ", count: max(13 - title.count, 1)) + text
    }
}

/// Turns one picture of a terminal into the next, writing only the lines that differ.
package struct TerminalPainter {
    private var shown: [String] = []

    package init() {}

    static let enter = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[H\u{1B}[2J"
    static let leave = "\u{1B}[?25h\u{1B}[?1049l"

    /// The control sequences that lead to these lines.
    package mutating func paint(_ lines: [String]) -> String {
        var text = ""
        for index in 0..<max(lines.count, shown.count) {
            let new = index < lines.count ? lines[index] : ""
            if index < shown.count, shown[index] == new { continue }
            text += "\u{1B}[\(index + 1);1H" + new + "\u{1B}[K"
        }
        shown = lines
        return text
    }

    /// After a change of the terminal's size nothing is known of what it shows.
    package mutating func reset() -> String {
        shown = []
        return "\u{1B}[2J"
    }
}
