import ArgumentParser
import Foundation
import OperatingSystem
import Profiles
import Logging
import Settings

/// `trilateral check`: every problem of the configuration at once.
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Find mistakes in the configuration.",
        discussion: """
            Prints every problem on standard error, with file, line, column and key, and exits with 78, or with 0 if \
            there is none. Files that the configuration names are checked too: certificates, keys, passwords, \
            recordings. The service's configuration is judged for the service's user, if the systemd unit is installed; \
            --as-service does that for any file. Without --config it reads $XDG_CONFIG_HOME/trilateral/trilateral.yaml, or else \
            /etc/trilateral/trilateral.yaml, or else only the environment.
            """
    )

    @OptionGroup var file: ConfigurationOption

    @Flag(
        name: .customLong("print"),
        help: "Print the configuration in effect, with comments; passwords as ***."
    )
    var printsResult = false

    @Flag(help: "Judge what files may be read and written for the user of the service, not for you.")
    var asService = false

    func run() throws {
        let environment = ProcessInfo.processInfo.environment
        let name = file.file(environment: environment)
        let check = ConfigurationCheck(file: name, environment: environment, unit: unit(of: name))
        let warnings = check.warnings + [check.warningOfBackups].compactMap(\.self)
        for warning in warnings { StandardError.report("warning: \(warning)") }
        for hint in check.hints { StandardError.report("hint: \(hint)", as: .notice) }
        guard check.problems.isEmpty else {
            StandardError.print(ConfigurationErrors(check.problems).report(by: StandardError.verb))
            throw ExitCode.configuration
        }
        // At once, so that the verdict comes after it where both go to one place.
        if printsResult {
            try StandardOutput.write(ConfigurationPrinter.text(check.loaded, schema: .commandLine))
        }
        // The configuration that is printed may be meant for a file.
        let verdict = Self.verdict(on: name, warnings: warnings.count)
        if printsResult { StandardError.print(verdict) } else { try StandardOutput.print(verdict) }
    }

    /// The service whose user the file is judged for; `nil` to judge for the user of this process.
    private func unit(of name: String?) -> ServiceUnit? {
        let installed = ServiceUnit.installed()
        if asService { return installed ?? .standard }
        return name == installed?.configurationFile ? installed : nil
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
        file: "The configuration file; without it the standard one, see check."
    )
    var path: String?

    /// The named file, else the standard one; `nil` when there is none.
    func file(environment: [String: String]) -> String? {
        path ?? ConfigurationLoader.standardFile(environment: environment)
    }

    /// The configuration of the named file, else of the standard one, and of the environment.
    ///
    /// Problems go to standard error, and the program ends with 78; warnings go there too. While a daemon runs, problems in
    /// a file that the user did not name are a warning: the daemon goes on with what it has read before.
    /// - Parameters:
    ///   - readsProfiles: Whether the profile files count; a verb that only talks to the broker needs none of them.
    ///   - isDaemon: Whether a daemon starts with it: then warnings about profile files, and advice, are among them.
    ///   - standIn: Asked for a configuration instead, with the file and what is wrong with it; `nil` for none.
    ///   - daemon: The daemon that is asked: its file and its broker count, unless an option or a variable says
    ///     otherwise.
    func load(
        readsProfiles: Bool = true,
        isDaemon: Bool = false,
        of daemon: RunningDaemon? = nil,
        environment: [String: String] = ProcessInfo.processInfo.environment,
        standIn: (_ file: String, [ConfigurationError]) -> LoadedConfiguration? = { _, _ in nil }
    ) throws -> LoadedConfiguration {
        let file = file(of: daemon, environment: environment)
        let (loaded, problems) = ConfigurationLoader.examine(
            file: file,
            running: daemon?.values(for: environment) ?? [:],
            environment: environment,
            schema: .commandLine,
            readsProfiles: readsProfiles
        )
        let isStandIn = daemon != nil && path == nil && problems.contains(where: \.isInFile)
        let grave = isStandIn ? problems.filter(\.isElsewhere) : problems
        guard grave.isEmpty else {
            if let file, let other = standIn(file, grave) { return other }
            StandardError.print(ConfigurationErrors(grave).report(by: StandardError.verb))
            // What is for the service's user only; a file of the user's own is theirs to open.
            let isOfService =
                daemon != nil || path == nil && file == ServiceUnit.installed()?.configurationFile
            if isOfService, !isDaemon, geteuid() != 0, grave.contains(where: \.isForbidden) {
                StandardError.print("  Only the user of the daemon, and root, may read it: run it with sudo.")
            }
            throw ExitCode.configuration
        }
        var warnings = (isDaemon ? loaded.allWarnings : loaded.warnings).map(\.description)
        // That this user may not read the file does not matter to the daemon.
        if isStandIn, let file, !problems.allSatisfy(\.isForbidden) {
            let count = problems.count == 1 ? "1 problem" : "\(problems.count) problems"
            warnings.append(
                "\(file) has \(count), see trilateral check; this asks the daemon with the settings that it runs with"
            )
        }
        for warning in warnings {
            StandardError.report("warning: \(warning)", as: .warning)
        }
        return loaded
    }

    /// The named file, else that of the daemon, else the standard one.
    func file(of daemon: RunningDaemon?, environment: [String: String]) -> String? {
        guard path == nil, let daemon else { return file(environment: environment) }
        guard let own = daemon.configurationFile else {
            return DaemonLocator(environment).isTrusted(daemon) ? nil : file(environment: environment)
        }
        // A file that its user could have written for others to read is no configuration of theirs.
        let owner = FileStatus(path: own)?.owner
        return owner == 0 || owner == geteuid() ? own : file(environment: environment)
    }

    /// The names of the profiles of the named file, else of the daemon's, else of the standard one, with the built-in ones.
    ///
    /// - Returns: `nil` without such a file, or if it has problems: who needs it says so.
    func profiles(of daemon: RunningDaemon?, environment: [String: String]) -> [String]? {
        guard let file = file(of: daemon, environment: environment) else { return nil }
        let loaded = try? ConfigurationLoader.load(file: file, environment: environment, schema: .commandLine)
        return loaded?.values.profiles.library.profiles.map(\.name)
    }
}

extension ConfigurationError {
    fileprivate var isInFile: Bool {
        switch origin {
        case .file, .wholeFile: true
        case .variable, .running, .standard: false
        }
    }

    /// Whether the variables of this process, or what a daemon runs with, are wrong.
    fileprivate var isElsewhere: Bool {
        switch origin {
        case .variable, .running: true
        case .file, .wholeFile, .standard: false
        }
    }

    fileprivate var isForbidden: Bool { message.hasSuffix(systemMessage(EACCES)) }
}
