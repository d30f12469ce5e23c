import ArgumentParser
import Controller
import Text
import Things

/// `trilateral lifecycle`: the application lifecycle, without a broker.
struct LifecycleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lifecycle",
        abstract: "Show the application lifecycle: its transitions, and the calls of a sequence of levels.",
        subcommands: [TableCommand.self, ReplayCommand.self]
    )

    struct TableCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "table",
            abstract: "Print all transitions with their calls as CSV."
        )

        func run() throws { try StandardOutput.write(LifecycleTable.csv) }
    }

    struct ReplayCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "replay",
            abstract: "Print the calls of a sequence of levels, one call a line.",
            discussion: """
                Reads one level a line from standard input: FULL, LIMITED, BACKGROUND, NONE or DISCONNECTED. It starts \
                disconnected. Exits with 65 at a word that is no level.
                """
        )

        func run() throws {
            var level = LifecycleLevel.disconnected
            var number = 0
            while let line = readLine() {
                number += 1
                // The first line may begin with a byte order mark.
                let word = String(line.trimmingPrefix("\u{FEFF}")).trimmingSpace
                guard !word.isEmpty else { continue }
                guard let next = LifecycleLevel(hmiLevel: word) else {
                    let legal = LifecycleLevel.allCases.map(\.hmiLevel).reversed().joined(separator: ", ")
                    throw VerbError(
                        "line \(number): \(QuotedValue.of(word)) is no level; "
                            + "legal: \(legal)",
                        .dataError
                    )
                }
                for call in LifecycleCall.calls(from: level, to: next) {
                    try StandardOutput.print(call.rawValue)
                }
                level = next
            }
        }
    }
}
