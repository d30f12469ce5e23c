import ArgumentParser
import CMalloc
import CSQLite
import Daemon
import Glibc
import OperatingSystem
import Text

/// The program, as its executable starts it.
package enum TrilateralProgram {
    /// Runs the command of the command line, and ends the process.
    package static func main() async -> Never {
        let image = ProcessImage.ofThisProcess()
        acceptSignals(of: image.arguments.dropFirst().first)
        Terminal.reserveStandardDescriptors()
        ignoreStraySignals()
        keepMemoryTogether()
        trilateral_set_up_sqlite()
        do {
            try ProcessResources.check(.command)
            let arguments = image.arguments.dropFirst()
            try TrilateralCommand.checkVerb(arguments)
            let command = try await TrilateralCommand.read(Array(arguments))
            StandardError.verb = TrilateralCommand.words(for: type(of: command)).joined(separator: " ")
            try SingleOptions.check(arguments, of: type(of: command))
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                var command = command
                try command.run()
            }
        } catch is RestartRequest {
            ProcessEnd.restart(image)
        } catch let error as OutputError {
            end(by: error)
        } catch let error as VerbError {
            end(by: error)
        } catch let error as StateStoreError {
            end(by: VerbError(error))
        } catch let error as ResourceError {
            StandardError.print("trilateral: \(error)")
            ProcessEnd.exit(ExitCode.systemError.rawValue)
        } catch {
            let text = TrilateralCommand.fullMessage(for: error)
            let code = TrilateralCommand.exitCode(for: error)
            if code == .success {
                endAfterOutput { () throws(OutputError) in if !text.isEmpty { try StandardOutput.print(text) }
                }
            }
            if !text.isEmpty { StandardError.print(text) }
            ProcessEnd.exit(code.rawValue)
        }
        endAfterOutput {}
    }

    /// Ends the process well, unless some output did not arrive.
    ///
    /// - Parameter write: Writes the rest of it.
    private static func endAfterOutput(_ write: () throws(OutputError) -> Void) -> Never {
        do throws(OutputError) {
            try write()
            try StandardOutput.finish()
            ProcessEnd.exit(0)
        } catch {
            end(by: error)
        }
    }

    /// Ends the process because output did not arrive.
    private static func end(by error: OutputError) -> Never {
        guard !error.isReaderGone else { ProcessEnd.exit(OutputError.endOfReader) }
        StandardError.print("trilateral: \(error)")
        ProcessEnd.exit(ExitCode.ioError.rawValue)
    }

    private static func end(by error: VerbError) -> Never {
        StandardError.report(error.message)
        ProcessEnd.exit(error.code.rawValue)
    }

    /// Until a verb reads signals, they end the program, as by default; only a reload of a daemon waits for it.
    ///
    /// - Parameter verb: The first word after the name of the program.
    private static func acceptSignals(of verb: String?) {
        // Blocked signals are inherited, and nothing would ever end us.
        var numbers = sigset_t()
        sigemptyset(&numbers)
        for number in [SIGHUP, SIGINT, SIGTERM] { sigaddset(&numbers, number) }
        pthread_sigmask(SIG_UNBLOCK, &numbers, nil)
        if verb == RunCommand._commandName || verb == ReplayCommand._commandName { SignalPipe.hold(SIGHUP) }
    }

    /// What would end a process by default, and here is no reason to.
    private static func ignoreStraySignals() {
        // A pipe that is closed and a file that may not grow are errors of a call.
        for number in [SIGPIPE, SIGXFSZ, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF] {
            signal(number, SIG_IGN)
        }
    }

    /// One heap for all threads, and what is large given back as soon as it is freed: reading a place takes a
    /// multiple of what it comes to.
    private static func keepMemoryTogether() {
        mallopt(M_ARENA_MAX, 1)
        mallopt(M_MMAP_THRESHOLD, 65_536)
    }
}

/// `trilateral`: the verbs of the command line.
struct TrilateralCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trilateral",
        abstract: "A device that knows where it is and what is near, on MQTT.",
        discussion: """
            Exit codes: 0 done; 1 refused; 64 wrong usage; 65 damaged or invalid data; 66 a file is missing; 69 a server \
            does not answer, or a port is in use; 70 a bug; 71 a limit of the system is too low; 73 a file cannot be \
            created; 74 reading or writing failed; 75 in use, or a resolver does not answer: try again later; 77 not permitted; 78 invalid configuration; 130 \
            ended by Ctrl-C at a question; 141 nobody reads the output any more.
            """,
        version: ProgramInfo.currentVersion,
        subcommands: [
            DemoCommand.self, RunCommand.self, CheckCommand.self, ServeCommand.self, ImportCommand.self,
            ExportCommand.self, TidyCommand.self, BackupCommand.self, RestoreCommand.self, WatchCommand.self,
            ListCommand.self, FleetCommand.self, GetCommand.self,
            SetCommand.self,
            ActionCommand.self, ExplainCommand.self, DoctorCommand.self, LifecycleCommand.self,
            ProfileCommand.self,
            RulesCommand.self, DeviceCommand.self, ReceiverCommand.self,
            ResolverCommand.self, StationCommand.self, UserCommand.self, GroupCommand.self, GrantCommand.self,
            ShareCommand.self, TokenCommand.self, ContactCommand.self, SessionCommand.self,
            SignInCommand.self,
            LogCommand.self, ThingsCommand.self, HistoryCommand.self, InstallationCommand.self,
            InstanceCommand.self,
            RecordCommand.self, ReplayCommand.self, EstimateCommand.self, CalibrateCommand.self,
            SurveyCommand.self,
            AccessListCommand.self, ForgetCommand.self, ManualCommand.self,
        ]
    )
}

extension TrilateralCommand {
    /// Reads a command line.
    ///
    /// - Throws: What the parser throws; about an unknown option rather than about an argument that is missing beside it.
    fileprivate static func read(_ words: [String]) async throws -> any ParsableCommand {
        do {
            return try await asyncParseAsRoot(words)
        } catch {
            guard message(for: error).contains("Missing expected argument") else { throw error }
            // With enough arguments the parser comes to the options.
            for count in 1...3 {
                do {
                    _ = try await asyncParseAsRoot(words + Array(repeating: "x", count: count))
                } catch let other {
                    if message(for: other).contains("Unknown option") { throw other }
                }
            }
            throw error
        }
    }
}

extension ParsableCommand {
    /// Checks the verb that a command line begins with, if it does.
    ///
    /// - Parameter path: The verbs before it.
    /// - Throws: If there is none, with the most similar one.
    fileprivate static func checkVerb(
        _ words: some Collection<String>,
        after path: [String] = ["trilateral"]
    ) throws(VerbError) {
        let verbs = configuration.subcommands
        guard let word = words.first, !verbs.isEmpty, !word.hasPrefix("-"), word != "help" else { return }
        if let verb = verbs.first(where: { $0._commandName == word }) {
            return try verb.checkVerb(Array(words.dropFirst()), after: path + [word])
        }
        // What is no verb is for the one that need not be named.
        guard configuration.defaultSubcommand == nil else { return }
        StandardError.verb = path.dropFirst().joined(separator: " ")
        let hint = NearestName.hint(for: word, among: verbs.map { $0._commandName })
        let rest = "; \(path.joined(separator: " ")) --help lists them"
        throw VerbError("there is no verb \(QuotedValue.of(word))\(hint.isEmpty ? rest : hint)", .usage)
    }

    /// The words behind the program's name that name a verb, as messages begin with them; none for another command.
    fileprivate static func words(for verb: any ParsableCommand.Type) -> [String] {
        for next in configuration.subcommands {
            let rest = next.words(for: verb)
            // The calibrations speak as one verb.
            if next == verb || (next == CalibrateCommand.self && !rest.isEmpty) { return [next._commandName] }
            if next.configuration.defaultSubcommand == verb { return [next._commandName] }
            if !rest.isEmpty { return [next._commandName] + rest }
        }
        return []
    }
}
