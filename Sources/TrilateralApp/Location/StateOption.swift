import ArgumentParser
import Daemon
import Foundation
import OperatingSystem
import Settings

/// `--state DIR` of what runs a daemon, which has a folder of its own.
struct OwnStateOption: ParsableArguments {
    @Option(
        name: .customLong("state"),
        folder:
            "The folder for the databases; without it $STATE_DIRECTORY, or else ~/.local/state/trilateral."
    )
    var path: String?

    /// The folder, made if it is missing; a warning if others can look into it.
    ///
    /// - Throws: ``VerbError``.
    func folder(_ environment: [String: String] = ProcessInfo.processInfo.environment) throws -> StateFolder {
        // Messages about it are the program's, not the verb's.
        let verb = StandardError.verb
        StandardError.verb = ""
        let path = path ?? StateFolder.standard(environment)
        let folder = try StateLocation(path: path, daemon: nil, note: nil).open()
        StandardError.verb = verb
        return folder
    }
}

/// `--state DIR`, for every other verb that keeps something.
struct StateOption: ParsableArguments {
    @Option(
        name: .customLong("state"),
        folder:
            "The folder with the databases; without it $STATE_DIRECTORY, or else that of the daemon that runs here, or else ~/.local/state/trilateral."
    )
    var path: String?

    /// The folder for a verb, which may be the one of a daemon that runs.
    ///
    /// - Throws: ``VerbError`` if several daemons run.
    func location(
        _ environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> StateLocation {
        let locator = DaemonLocator(environment)
        let isGiven = environment["STATE_DIRECTORY"]?.contains { $0 != ":" } == true
        if let path = path ?? (isGiven ? StateFolder.standard(environment) : nil) {
            let url = URL(filePath: path, directoryHint: .isDirectory).standardized.resolvingSymlinksInPath()
            let daemon = locator.running.first {
                URL(filePath: $0.stateFolder, directoryHint: .isDirectory).standardized
                    .resolvingSymlinksInPath() == url
            }
            return StateLocation(path: path, daemon: daemon, note: nil)
        }
        switch locator.finding {
        case .one(let daemon): return StateLocation(path: daemon.stateFolder, daemon: daemon, note: nil)
        case .several(let daemons):
            throw VerbError(DaemonLocator.question(daemons, option: "--state"), .usage)
        case .none:
            let path = locator.standardFolder
            let note = "no daemon runs here; stored in \(path), which \(locator.standardUser)"
            return StateLocation(path: path, daemon: nil, note: note)
        }
    }
}

/// The state folder that a verb works on.
struct StateLocation: Sendable {
    let path: String
    /// The daemon that says it uses the folder.
    let daemon: RunningDaemon?
    /// What is to be said of what was stored while no daemon has the folder; `nil` where the user named the folder.
    fileprivate let note: String?

    /// The folder, made if it is missing; a warning if others can look into it.
    ///
    /// - Throws: ``VerbError``.
    func open() throws(VerbError) -> StateFolder {
        do throws(StateFolderError) {
            let folder = try StateFolder(named: path, environment: [:])
            if let warning = StateFolder.warning(of: folder.path) {
                StandardError.report("warning: \(warning)")
            }
            return folder
        } catch {
            throw error.code == EACCES ? refusal : VerbError("\(error)", .cannotCreate)
        }
    }

    /// Why a folder that is closed to this user cannot be used: it is somebody else's, or its own user has closed it.
    var refusal: VerbError {
        guard daemon == nil, path != StateFolder.service else { return isOf("the user of the daemon") }
        guard let status = FileStatus(path: path) else {
            // While a folder above it is closed, nobody can say whose it is.
            return errno == EACCES ? isOf("its user") : closed
        }
        return status.owner == geteuid() ? closed : isOf(SystemUser.name(of: status.owner))
    }

    private func isOf(_ user: String) -> VerbError {
        let users = user == "root" ? "root" : "\(user), and root,"
        let advice = geteuid() == 0 ? "" : ": run it with sudo"
        return VerbError("only \(users) may use the state folder \(path)\(advice)", .noPermission)
    }

    private var closed: VerbError {
        VerbError("\(StateFolderError(path: path, code: EACCES))", .cannotCreate)
    }

    /// Says where something was stored, if no daemon has the folder.
    func noteStored() async {
        guard let note, await !AdministrationClient(folder: path).isAnswered else { return }
        StandardError.report(note)
    }
}
