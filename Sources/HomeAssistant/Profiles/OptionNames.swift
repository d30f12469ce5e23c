import JSON
import Text

/// The names of the options that Home Assistant offers.
enum OptionNames {
    /// A text on one line, as Home Assistant would show it.
    ///
    /// It strips what a template gives, so an option with white space around it could never be shown.
    static func line(_ text: String) -> String {
        var line = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            let isSpace =
                scalar.properties.isWhitespace || scalar.properties.generalCategory == .control
            if !isSpace {
                line.append(scalar)
            } else if let last = line.last, last != " " {
                line.append(" ")
            }
        }
        if line.last == " " { line.removeLast() }
        return String(line)
    }

    /// The options with names that differ, none longer than a state; Home Assistant's word for unknown is put in brackets.
    static func unique(_ options: [(name: String, value: JSONValue)]) -> [(name: String, value: JSONValue)] {
        var taken: Set<String> = [""]
        return options.map { name, value in
            let whole = line(QuotedValue.clipped(line(name), to: 250))
            let stem = whole.lowercased() == "none" ? "(\(whole))" : whole
            var name = stem
            var number = 2
            while taken.contains(name) {
                name = stem.isEmpty ? "\(number)" : "\(stem) \(number)"
                number += 1
            }
            taken.insert(name)
            return (name, value)
        }
    }
}
