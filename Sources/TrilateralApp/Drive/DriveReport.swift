import ArgumentParser
import Daemon
package import JSON
import Messages

/// What `set`, `action` and `get` print at the end.
package struct DriveReport {
    /// For standard output.
    package private(set) var output: [String] = []
    /// For standard error.
    package private(set) var complaints: [String] = []
    private(set) var exitCode = ExitCode.success

    package var exitStatus: Int32 { exitCode.rawValue }

    /// - Parameters:
    ///   - read: What was retained when the answer came: of a thing that is offline it is said.
    ///   - sender: The members of the command that say who sent it.
    package init(
        _ outcome: DriveExchange.Outcome,
        asJSON: Bool,
        read: JSONObject = [:],
        sender: JSONObject = [:],
        time: LocalTime = .ofThisMachine
    ) {
        defer { complaints = complaints.map(TerminalText.visible) }
        if let failure = outcome.failure { (complaints, exitCode) = ([failure.message], failure.code) }
        switch outcome {
        case .noBroker, .noDaemon, .noLink, .notAllowed, .unknown: break
        case .state(let value):
            output = asJSON ? [value.text] : Self.lines(of: value, time)
        case .answer(let answer):
            take(answer, sender, asJSON: asJSON)
            warn(of: answer["target"], read)
        }
    }

    /// Adds a line for standard error.
    mutating func add(_ text: String) { complaints.append(TerminalText.visible(text)) }

    private mutating func warn(of target: JSONValue?, _ read: JSONObject) {
        guard exitCode == .success, target?["kind"] == "thing", let slug = target?["slug"]?.string,
            read[Topics.tails.availability(thing: slug)] == "offline"
        else { return }
        complaints.append("warning: \(slug) is offline: the change is stored, but its lamp has not followed")
    }

    private mutating func take(_ answer: JSONValue, _ sender: JSONObject, asJSON: Bool) {
        if asJSON { output = [answer.text] }
        guard answer["status"]?.string == "ok" else {
            let code = answer["error"]?["code"]?.string ?? "no code"
            let message = answer["error"]?["message"]?.string ?? "refused (\(code))"
            complaints = [code == "unauthenticated" ? Self.unauthenticated(sender) : message]
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

    /// The refusal of a command whose sender is nobody.
    private static func unauthenticated(_ sender: JSONObject) -> String {
        guard sender["token"] != nil else { return "nobody is identified; give a token with --token-file" }
        let state = "is wrong or has ended"
        return sender["as"]?.string.map { "the token is not \($0)'s, or it \(state)" } ?? "the token \(state)"
    }

    /// What was meant; of a choice of environments the choice tells it, and the device has no short name.
    private static func name(of target: JSONValue?) -> String? {
        let kind = target?["kind"]?.string
        switch kind {
        case "environment": return nil
        case "device": return kind
        default: return (target?["slug"]?.string ?? kind).map(TerminalText.visible)
        }
    }

    /// An object as aligned lines, the members of its objects by their paths; a list as a line each; `none` for what
    /// is not there.
    private static func lines(of value: JSONValue, _ time: LocalTime) -> [String] {
        if let list = value.array {
            // Alerts: the only list that there is.
            let rows = list.map { alert in
                [
                    alert["severity"]?.string ?? "", alert["id"]?.string ?? "",
                    alert["since"]?.string.map(time.dayAndClock) ?? "",
                    alert["message"]?.string ?? alert.text,
                ]
            }
            let header = ["SEVERITY", "ALERT", "SINCE", "MESSAGE"]
            return rows.isEmpty ? ["none"] : TextTable(header: header, rows: rows).lines
        }
        guard let members = value.object else { return [plain(value)] }
        if members["id"] == .null { return ["none"] }
        return TextTable(rows: paths(members)).lines
    }

    private static func paths(_ members: JSONObject, below path: String = "") -> [[String]] {
        members.sorted { $0.key < $1.key }.flatMap { name, value -> [[String]] in
            if name == "description", value == "" { return [] }
            if value["id"] == .null { return [[path + name, "none"]] }
            if let inner = value.object, !inner.isEmpty { return paths(inner, below: path + name + ".") }
            // A list of words reads better without brackets and quotes.
            let words = value.array?.compactMap(\.string)
            if let words, words.count == value.array?.count, !words.isEmpty {
                return [[path + name, words.joined(separator: ", ")]]
            }
            return [[path + name, value.string ?? value.text]]
        }
    }

    /// A text without quotes, anything else as JSON; on one line, and safe for a terminal.
    private static func plain(_ value: JSONValue) -> String {
        TerminalText.visible(value.string ?? value.text)
    }
}

extension DriveExchange.Outcome {
    /// Why nothing came of it; `nil` for a state and an answer.
    var failure: VerbError? {
        let (reason, code): (String, ExitCode)
        switch self {
        case .state, .answer: return nil
        case .noBroker(let why), .noDaemon(let why): (reason, code) = (why, .unavailable)
        case .noLink(let why, let status): (reason, code) = (why, ExitCode(status))
        case .notAllowed(let why): (reason, code) = (why, .noPermission)
        case .unknown(let why): (reason, code) = (why, .failure)
        }
        return VerbError(TerminalText.visible(reason), code)
    }
}
