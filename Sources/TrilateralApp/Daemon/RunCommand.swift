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
    @OptionGroup var state: OwnStateOption

    func run() async throws {
        let environment = ProcessInfo.processInfo.environment
        let loaded = try file.load(isDaemon: true, environment: environment)
        let folder = try state.folder(environment)
        let path = file.path
        var runner = DaemonRunner(folder: folder, environment: environment) {
            ConfigurationOption.read(path, environment)
        }
        runner.configurationFile = file.file(environment: environment)
        try await runner.run(loaded)
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
