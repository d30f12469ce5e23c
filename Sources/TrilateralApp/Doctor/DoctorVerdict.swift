package import JSON

/// What a check of `trilateral doctor` found: one line.
package struct DoctorVerdict: Sendable, Hashable {
    /// How grave it is; only a problem makes `doctor` exit with 1.
    package enum Level: String, Sendable, Hashable, CaseIterable {
        case ok
        /// Good to know.
        case hint
        /// It works, and should be changed.
        case warning
        /// It keeps the daemon from its work.
        case problem
    }

    /// The name of the check.
    package let check: String
    package let level: Level
    /// What is so, one line.
    package let text: String
    /// What to do; `nil` if nothing is to be done.
    package let advice: String?

    package init(_ check: String, _ level: Level, _ text: String, advice: String? = nil) {
        (self.check, self.level) = (check, level)
        self.text = Self.oneLine(text)
        self.advice = advice.map(Self.oneLine)
    }

    private static func oneLine(_ text: String) -> String {
        text.split(whereSeparator: \.isNewline).map { $0.drop { $0 == " " } }.joined(separator: " ")
    }

    private static let width = Level.allCases.map(\.rawValue.count).max() ?? 0

    /// As it is printed.
    package var line: String {
        let word = level.rawValue + String(repeating: " ", count: Self.width - level.rawValue.count)
        let end = text.last.map { ".?!".contains($0) } == true ? "" : "."
        return "\(word)  \(check): \(text)" + (advice.map { "\(end) To do: \($0)" } ?? "")
    }

    /// As `--json` prints it.
    package var json: JSONValue {
        [
            "check": .string(check), "level": .string(level.rawValue), "text": .string(text),
            "advice": advice.map { .string($0) } ?? .null,
        ]
    }
}
