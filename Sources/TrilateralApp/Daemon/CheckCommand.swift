import ArgumentParser
import Daemon
import Foundation
import Profiles
import Settings

/// `trilateral check`: every problem of the configuration at once.
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Find mistakes in the configuration.",
        discussion: """
            Prints every problem on standard error, with file, line, column and key, and exits with 78, or with 0 if \
            there is none. Files that the configuration names are checked too: certificates, keys, passwords, \
            recordings. Without --config it reads $XDG_CONFIG_HOME/trilateral/trilateral.yaml, or else \
            /etc/trilateral/trilateral.yaml, or else only the environment.
            """
    )

    @OptionGroup var file: ConfigurationOption

    @Flag(
        name: .customLong("print"),
        help: "Print the configuration in effect, with comments; passwords as ***."
    )
    var printsResult = false

    func run() throws {
        let loaded = try file.load(by: "check", showsProfileWarnings: true)
        let files = ReferencedFiles(loaded, schema: .commandLine)
        let folder = StateFolder.standard(ProcessInfo.processInfo.environment)
        var warnings = files.warnings.map(\.description)
        if let open = StateFolder.warning(of: folder) { warnings.append(open) }
        if let unreachable = loaded.warningOfUnreachableStation { warnings.append("\(unreachable)") }
        for warning in warnings { StandardError.print("trilateral check: warning: \(warning)") }
        var problems = files.problems
        if let file = loaded.values.log.file, let problem = LogFile.problem(of: file) {
            problems.append(ConfigurationError(loaded.origin("log.file"), "log.file", problem))
        }
        guard problems.isEmpty else {
            StandardError.print(ConfigurationErrors(problems).report(by: "check"))
            throw ExitCode.configuration
        }
        // At once, so that the verdict comes after it where both go to one place.
        if printsResult { try StandardOutput.write(ConfigurationPrinter.text(loaded, schema: .commandLine)) }
        // The configuration that is printed may be meant for a file.
        let verdict = Self.verdict(
            on: file.file(environment: ProcessInfo.processInfo.environment),
            warnings: loaded.warnings.count + loaded.profileWarnings.count + warnings.count
        )
        if printsResult { StandardError.print(verdict) } else { try StandardOutput.print(verdict) }
    }

    private static func verdict(on file: String?, warnings: Int) -> String {
        let name = file ?? "no configuration file, only the defaults and the environment"
        let count = warnings == 0 ? "" : warnings == 1 ? ", 1 warning" : ", \(warnings) warnings"
        return "\(name): no problems\(count)"
    }
}

/// `--config FILE`, for every command that reads the configuration.
struct ConfigurationOption: ParsableArguments {
    @Option(
        name: .customLong("config"),
        help: ArgumentHelp(
            "The configuration file; without it the standard one, see check.",
            valueName: "file"
        ),
        completion: .file()
    )
    var path: String?

    /// The named file, else the standard one; `nil` when there is none.
    func file(environment: [String: String]) -> String? {
        path ?? ConfigurationLoader.standardFile(environment: environment)
    }

    /// The configuration of the named file, else of the standard one, and of the environment.
    ///
    /// Problems go to standard error, and the program ends with 78; warnings go there too.
    /// - Parameters:
    ///   - readsProfiles: Whether the profile files count; a verb that only talks to the broker needs none of them.
    ///   - showsProfileWarnings: Whether warnings about profile files are among them.
    func load(
        by command: String,
        readsProfiles: Bool = true,
        showsProfileWarnings: Bool = false,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> LoadedConfiguration {
        do throws(ConfigurationErrors) {
            let loaded = try ConfigurationLoader.load(
                file: file(environment: environment),
                environment: environment,
                schema: .commandLine,
                readsProfiles: readsProfiles
            )
            for warning in loaded.warnings + (showsProfileWarnings ? loaded.profileWarnings : []) {
                StandardError.print("trilateral \(command): warning: \(warning)")
            }
            return loaded
        } catch {
            StandardError.print(error.report(by: command))
            throw ExitCode.configuration
        }
    }

    /// The names of the profiles of the named file, else of the standard one, with the built-in ones.
    ///
    /// - Returns: `nil` without such a file, or if it has problems: who needs it says so.
    func profiles(environment: [String: String]) -> [String]? {
        guard let file = file(environment: environment) else { return nil }
        let loaded = try? ConfigurationLoader.load(file: file, environment: environment, schema: .commandLine)
        return loaded?.values.profiles.library.profiles.map(\.name)
    }
}
