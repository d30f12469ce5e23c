import ArgumentParser
import OperatingSystem
import Profiles
import Settings

/// `trilateral profile`: files with profiles, without a broker and a daemon.
struct ProfileCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "profile",
        abstract: "Check, show and convert files with profiles of things.",
        discussion: """
            A profile says what a kind of thing has: its properties, how each is shown and changed, what can be asked of \
            it. Files are YAML (.yaml, .yml) or JSON; configuration files of AMAP applications can be used as they are. \
            Exits with 65 if a file has errors or a name is unknown, and with 66 if a file cannot be read.
            """,
        subcommands: [ProfileLintCommand.self, ProfileShowCommand.self, ProfileConvertCommand.self]
    )
}

/// Files with profiles that the command line names.
struct ProfileFiles {
    /// As they were given.
    let paths: [String]

    /// Reads the files; those that cannot be read go to standard error, and the program ends with 66,
    /// or with 65 if they are no text.
    func sources() throws -> [ProfileSource] {
        var sources: [ProfileSource] = []
        var problem: ExitCode?
        for path in paths {
            switch ProfileFile.read(path) {
            case .success(let source): sources.append(source)
            case .failure(let error):
                if problem != .noInput { problem = ExitCode(error) }
                StandardError.report("\(path) \(error.message)")
            }
        }
        if let problem { throw problem }
        return sources
    }

    /// The files with the built-in profiles; their problems go to standard error, and with an error the program ends with
    /// 65.
    func reading(modules: Set<String>?) throws -> ProfileReading {
        let reading = ProfileReading(of: try sources(), modules: modules)
        for problem in reading.problems { StandardError.print("\(problem)") }
        if reading.hasErrors { throw ExitCode.dataError }
        return reading
    }
}
