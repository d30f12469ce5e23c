import ArgumentParser
import Daemon
import Foundation
import Settings

/// `trilateral run`: the daemon.
struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run the daemon.",
        discussion: """
            Without a configuration it uses the broker on localhost:1883, serves Flare on 127.0.0.1:1234, and has an \
            empty place. SIGTERM and SIGINT stop it, SIGHUP reads the configuration again. SIGUSR1, SIGUSR2 and \
            SIGALRM are ignored.
            """
    )

    @OptionGroup var file: ConfigurationOption
    @OptionGroup var state: StateOption

    func run() async throws {
        let environment = ProcessInfo.processInfo.environment
        let loaded = try file.load(by: "run", showsProfileWarnings: true, environment: environment)
        let folder = try state.folder(environment)
        let path = file.path
        let runner = DaemonRunner(folder: folder, environment: environment) {
            ConfigurationOption.read(path, environment)
        }
        try await runner.run(loaded)
    }
}

/// `--state DIR`, for every command that keeps something.
struct StateOption: ParsableArguments {
    @Option(
        name: .customLong("state"),
        help: ArgumentHelp(
            "The folder with the databases; without it $STATE_DIRECTORY, or else ~/.local/state/trilateral.",
            valueName: "dir"
        ),
        completion: .directory
    )
    var path: String?

    /// The folder, made if it is missing; a warning if others can look into it.
    ///
    /// - Parameter verbs: What messages begin with, as in `station add`.
    /// - Throws: An exit code, after a message.
    func folder(
        _ environment: [String: String] = ProcessInfo.processInfo.environment,
        by verbs: String? = nil
    ) throws -> StateFolder {
        let program = verbs.map { "trilateral \($0)" } ?? "trilateral"
        do throws(StateFolderError) {
            let folder = try StateFolder(named: path, environment: environment)
            if let warning = StateFolder.warning(of: folder.path) {
                StandardError.print("\(program): warning: \(warning)")
            }
            return folder
        } catch {
            StandardError.print("\(program): \(error)")
            throw ExitCode.cannotCreate
        }
    }
}

extension ConfigurationOption {
    /// The configuration of the named file, else of the standard one, as it is now.
    static func read(
        _ path: String?,
        _ environment: [String: String]
    ) -> Result<LoadedConfiguration, ConfigurationErrors> {
        do throws(ConfigurationErrors) {
            let file = path ?? ConfigurationLoader.standardFile(environment: environment)
            return .success(
                try ConfigurationLoader.load(file: file, environment: environment, schema: .commandLine)
            )
        } catch {
            return .failure(error)
        }
    }
}
