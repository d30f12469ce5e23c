import ArgumentParser
import Daemon
import Foundation
import OperatingSystem
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
        let supervisor = ServiceSupervisor.ofThisProcess()
        let (runner, loaded) = try file.daemon(in: state)
        var service = runner
        service.supervisor = supervisor
        try await service.run(loaded)
    }
}

extension ConfigurationOption {
    /// A daemon with the configuration, which it reads again from the same file, or else the standard one.
    func daemon(in state: OwnStateOption) throws -> (DaemonRunner, LoadedConfiguration) {
        let environment = ProcessInfo.processInfo.environment
        let place = state.path ?? StateFolder.standard(environment)
        let loaded = try load(isDaemon: true, environment: environment) { file, problems in
            AcceptedConfiguration(in: place).load(insteadOf: file, problems, environment: environment)
        }
        let folder = try state.folder(environment)
        let path = path
        let runner = DaemonRunner(folder: folder, environment: environment) {
            let file = path ?? ConfigurationLoader.standardFile(environment: environment)
            return Result { () throws(ConfigurationErrors) in
                try ConfigurationLoader.load(file: file, environment: environment, schema: .commandLine)
            }
        }
        return (runner, loaded)
    }
}

extension AcceptedConfiguration {
    /// The configuration that another version has accepted, if this one accepts it as well.
    fileprivate func load(
        insteadOf file: String,
        _ problems: [ConfigurationError],
        environment: [String: String]
    ) -> LoadedConfiguration? {
        guard let (version, text) = ofAnotherVersion(file) else { return nil }
        let (loaded, others) = ConfigurationLoader.examine(
            file: file,
            text: text,
            environment: environment,
            schema: .commandLine
        )
        guard others.isEmpty else { return nil }
        var result = loaded
        result.refusal = ConfigurationRefusal(problems, accepted: version)
        return result
    }
}
