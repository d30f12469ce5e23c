import ArgumentParser
import Foundation

/// `trilateral check`: every problem of the configuration at once.
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Look for mistakes in the configuration.",
        discussion: """
            Prints every problem on standard error, with file, line, column and key, and exits with 78; with 0 when \
            there is none. Without --config it reads $XDG_CONFIG_HOME/trilateral/trilateral.yaml, else \
            /etc/trilateral/trilateral.yaml, else only the environment.
            """
    )

    @OptionGroup var file: ConfigurationOption

    @Flag(
        name: .customLong("print"),
        help: "Print the configuration that counts, with comments; passwords as ***."
    )
    var printsResult = false

    func run() throws {
        let loaded = try file.load(by: "check")
        let folder = StateFolder.standard(ProcessInfo.processInfo.environment)
        if let warning = StateFolder.warning(of: folder) {
            StandardError.print("trilateral check: warning: \(warning)")
        }
        if printsResult { print(ConfigurationPrinter.text(loaded), terminator: "") }
    }
}

/// `--config FILE`, for every command that reads the configuration.
struct ConfigurationOption: ParsableArguments {
    @Option(name: .customLong("config"), help: ArgumentHelp("The configuration file.", valueName: "file"))
    var path: String?

    /// The configuration of the named file, else of the standard one, and of the environment.
    ///
    /// Problems go to standard error, and the program ends with 78; warnings go there too.
    func load(
        by command: String,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> LoadedConfiguration {
        do throws(ConfigurationErrors) {
            let file = path ?? ConfigurationLoader.standardFile(environment: environment)
            let loaded = try ConfigurationLoader.load(file: file, environment: environment)
            for warning in loaded.warnings {
                StandardError.print("trilateral \(command): warning: \(warning)")
            }
            return loaded
        } catch {
            StandardError.print(error.report(by: command))
            throw ExitCode.configuration
        }
    }
}
