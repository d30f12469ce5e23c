import ArgumentParser
import Daemon
import JSON
import OperatingSystem
import Profiles
import Settings
import Text

/// `trilateral profile lint`: every problem of profile files.
struct ProfileLintCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lint",
        abstract: "Find mistakes in files with profiles.",
        discussion: """
            The files are checked together. Prints FILE:LINE:COLUMN: error|warning: CODE: MESSAGE for each problem, then \
            a line for each file. Exits with 65 if there are errors; warnings alone do no harm.
            """
    )

    @Argument(help: ArgumentHelp("The files, YAML or JSON.", valueName: "file"), completion: .file())
    var files: [String]

    @Option(folder: "The folder with own screens and controls, <Class>.js, so that their classes are known.")
    var modules: String?

    @Flag(help: "Print one JSON object.")
    var json = false

    func run() throws {
        let sources = try ProfileFiles(paths: files).sources()
        let reading = ProfileReading(of: sources, modules: try modules.map(classes))
        try StandardOutput.write(json ? Self.document(reading).visibleText + "\n" : Self.text(reading))
        if reading.hasErrors { throw ExitCode.dataError }
    }

    private func classes(in folder: String) throws -> Set<String> {
        do throws(FileError) {
            return try ProfileModules(folder: folder).classes
        } catch {
            throw VerbError(error.message, .noInput)
        }
    }

    static func text(_ reading: ProfileReading) -> String {
        let problems = reading.problems.map { "\($0)" }
        let files = reading.files.map {
            "\($0.file): types \($0.types), properties \($0.properties), errors \($0.errors), warnings \($0.warnings)"
        }
        return (problems + files).map { TerminalText.visible($0) + "\n" }.joined()
    }

    static func document(_ reading: ProfileReading) -> JSONValue {
        [
            "problems": .array(
                reading.problems.map {
                    [
                        "file": .string($0.file), "line": JSONValue($0.position.line),
                        "column": JSONValue($0.position.column), "severity": .string($0.severity.rawValue),
                        "code": .string($0.code.rawValue), "message": .string($0.message),
                    ]
                }
            ),
            "files": .array(
                reading.files.map {
                    [
                        "file": .string($0.file), "types": JSONValue($0.types),
                        "properties": JSONValue($0.properties), "errors": JSONValue($0.errors),
                        "warnings": JSONValue($0.warnings),
                    ]
                }
            ),
        ]
    }
}
