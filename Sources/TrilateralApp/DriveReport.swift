import ArgumentParser
import Flare

/// What `set`, `action` and `get` print at the end.
package struct DriveReport {
    /// For standard output.
    package private(set) var output: [String] = []
    /// For standard error.
    package private(set) var complaints: [String] = []
    private(set) var exitCode = ExitCode.success

    package var exitStatus: Int32 { exitCode.rawValue }

    package init(_ outcome: DriveExchange.Outcome, asJSON: Bool) {
        switch outcome {
        case .noBroker(let reason), .noDaemon(let reason):
            complaints = [reason]
            exitCode = .unavailable
        case .notAllowed(let reason):
            complaints = [reason]
            exitCode = .noPermission
        case .state(let value):
            output = asJSON ? [value.text] : Self.lines(of: value)
        case .answer(let answer):
            read(answer, asJSON: asJSON)
        }
    }

    private mutating func read(_ answer: JSONValue, asJSON: Bool) {
        if asJSON { output = [answer.text] }
        guard answer["status"]?.string == "ok" else {
            let code = answer["error"]?["code"]?.string ?? "no code"
            complaints = [Self.plain(answer["error"]?["message"] ?? .string("refused (\(code))"))]
            exitCode = .failure
            return
        }
        for (field, code) in (answer["rejected"]?.object ?? [:]).sorted(by: { $0.key < $1.key }) {
            complaints.append("\(field) was not set: \(Self.plain(code))")
        }
        guard !asJSON else { return }
        let accepted = (answer["accepted"]?.object ?? [:]).sorted { $0.key < $1.key }
            .map { "\($0.key) \(Self.plain($0.value))" }
        let words = accepted.isEmpty ? "done" : accepted.joined(separator: ", ")
        output = [Self.name(of: answer["target"]).map { "\($0): \(words)" } ?? words]
    }

    /// What was meant; of a choice of environments the choice tells it, and the device has no short name.
    private static func name(of target: JSONValue?) -> String? {
        let kind = target?["kind"]?.string
        switch kind {
        case "environment": return nil
        case "device": return kind
        default: return (target?["slug"]?.string ?? kind).map(visible)
        }
    }

    /// An object as aligned lines; `none` for one that is not there.
    private static func lines(of value: JSONValue) -> [String] {
        guard let members = value.object else { return [plain(value)] }
        if members["id"] == .null { return ["none"] }
        let width = members.keys.map(\.count).max() ?? 0
        return members.sorted { $0.key < $1.key }.map { name, value in
            visible(name) + String(repeating: " ", count: max(width - name.count, 0) + 2) + plain(value)
        }
    }

    /// A text without quotes, anything else as JSON; on one line, and safe for a terminal.
    private static func plain(_ value: JSONValue) -> String {
        visible(value.string ?? value.text)
    }

    private static func visible(_ text: String) -> String { TerminalText.visible(text) }
}
