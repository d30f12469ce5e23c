package import JSON

/// The manual page trilateral(1), made from what the command line itself knows of its verbs and options.
///
/// - Source: man(7) for the macros; ArgumentParser's description of a command (`--experimental-dump-help`).
package struct ManualPage {
    private let command: JSONValue
    private let version: String

    /// - Parameter help: ArgumentParser's description of the program.
    package init?(help: JSONValue, version: String) {
        guard let command = help["command"], command["commandName"]?.string != nil else { return nil }
        self.command = command
        self.version = version
    }

    /// The page, for man and groff.
    package var text: String {
        let name = command["commandName"]?.string ?? ""
        let abstract = command["abstract"]?.string ?? ""
        var lines = [
            ".TH \(name.uppercased()) 1 \"\" \"Trilateral \(version)\" \"User commands\"",
            ".SH NAME", "\(Self.escaped(name)) \\- \(Self.escaped(Self.withoutStop(abstract)))",
            ".SH SYNOPSIS", ".B \(Self.escaped(name))", ".I verb", "[options]",
            ".SH DESCRIPTION",
            Self.escaped(
                "Trilateral stands for one device in a place. It publishes on MQTT where the device is, what is near it, and what that thing can do, and carries out commands. These are its verbs and their options."
            ),
            ".SH VERBS",
        ]
        for verb in Self.shown(command) { lines += Self.section(verb, path: name) }
        lines.append(".SH EXIT STATUS")
        lines.append(Self.escaped(command["discussion"]?.string ?? ""))
        for (title, entries) in Self.appendix {
            lines.append(".SH \(title)")
            for (term, meaning) in entries {
                lines += [".TP", ".B \(Self.escaped(term))", Self.escaped(meaning)]
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static let appendix: [(String, KeyValuePairs<String, String>)] = [
        (
            "ENVIRONMENT",
            [
                "TRILATERAL_…":
                    "A key of the configuration: its path in upper case, such as TRILATERAL_MQTT_HOST. It takes precedence over the file.",
                "STATE_DIRECTORY": "The state folder, unless --state is given; systemd sets it.",
            ]
        ),
        (
            "FILES",
            [
                "~/.config/trilateral/trilateral.yaml": "The user's configuration ($XDG_CONFIG_HOME).",
                "/etc/trilateral/trilateral.yaml": "The configuration of the machine, if the user has none.",
                "~/.local/state/trilateral": "The state folder ($XDG_STATE_HOME).",
                "/var/lib/trilateral": "The state folder of the system service.",
            ]
        ),
    ]

    /// The verbs below a command that are for people.
    private static func shown(_ command: JSONValue) -> [JSONValue] {
        (command["subcommands"]?.array ?? []).filter {
            $0["shouldDisplay"]?.bool != false && $0["commandName"]?.string != "help"
        }
    }

    private static func section(_ verb: JSONValue, path: String) -> [String] {
        let name = "\(path) \(verb["commandName"]?.string ?? "")"
        let arguments = (verb["arguments"]?.array ?? []).filter { argument in
            argument["shouldDisplay"]?.bool != false
                && !["help", "version"].contains(argument["valueName"]?.string ?? "")
        }
        let usage = [name] + arguments.map(Self.usage)
        var lines = [".SS \(escaped(usage.joined(separator: " ")))"]
        for key in ["abstract", "discussion"] {
            guard let text = verb[key]?.string, !text.isEmpty else { continue }
            lines += [escaped(text), ".PP"]
        }
        for argument in arguments {
            lines += [".TP", ".B \(escaped(Self.term(argument)))", escaped(Self.meaning(argument))]
        }
        return lines + shown(verb).flatMap { section($0, path: name) }
    }

    private static func usage(_ argument: JSONValue) -> String {
        let repeats = argument["isRepeating"]?.bool == true ? " ..." : ""
        let isOptional = argument["isOptional"]?.bool == true
        let text =
            (names(argument).first.map { $0 + value(argument) } ?? "<\(valueName(argument))>") + repeats
        return isOptional ? "[\(text)]" : text
    }

    private static func term(_ argument: JSONValue) -> String {
        let names = names(argument)
        return names.isEmpty ? "<\(valueName(argument))>" : names.joined(separator: ", ") + value(argument)
    }

    private static func meaning(_ argument: JSONValue) -> String {
        let text = argument["abstract"]?.string ?? ""
        let choices = argument["allValues"]?.array?.compactMap(\.string) ?? []
        let notes =
            (choices.isEmpty ? [] : ["one of " + choices.joined(separator: ", ")])
            + (argument["defaultValue"]?.string.map { ["default \($0)"] } ?? [])
        return notes.isEmpty ? text : "\(text) (\(notes.joined(separator: "; ")))"
    }

    /// `--yes`, `-y`; none for what is known by its place.
    private static func names(_ argument: JSONValue) -> [String] {
        (argument["names"]?.array ?? []).compactMap { name in
            guard let text = name["name"]?.string else { return nil }
            return (name["kind"]?.string == "long" ? "--" : "-") + text
        }
    }

    private static func value(_ argument: JSONValue) -> String {
        argument["kind"]?.string == "option" ? " <\(valueName(argument))>" : ""
    }

    private static func valueName(_ argument: JSONValue) -> String {
        argument["valueName"]?.string ?? "value"
    }

    private static func withoutStop(_ text: String) -> String {
        text.hasSuffix(".") ? String(text.dropLast()) : text
    }

    /// A line of text in which nothing is a command to the typesetter.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for character in text.split(separator: "\n").joined(separator: " ") {
            switch character {
            case "\\": result += "\\e"
            case "-": result += "\\-"
            case "…": result += "..."
            case "~": result += "\\(ti"
            case "^": result += "\\(ha"
            default: result.append(character)
            }
        }
        // A line that begins so would be a macro.
        return result.hasPrefix(".") || result.hasPrefix("'") ? "\\&" + result : result
    }
}
