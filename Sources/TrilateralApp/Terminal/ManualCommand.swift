import ArgumentParser
import Daemon
import JSON

/// `trilateral manual`: prints the manual page, for the installation.
struct ManualCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "manual",
        abstract: "Print the manual page trilateral(1).",
        shouldDisplay: false
    )

    func run() throws {
        guard let help = try? JSONValue(parsing: TrilateralCommand._dumpHelp()),
            let page = ManualPage(help: help, version: ProgramInfo.currentVersion)
        else { throw ExitCode.software }
        try StandardOutput.write(page.text)
    }
}
