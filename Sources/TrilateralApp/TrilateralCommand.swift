import ArgumentParser
import CMalloc
import Glibc

/// The program, as its executable starts it.
package enum TrilateralProgram {
    /// The version that `--version`, `info` and the documentation name.
    package static let version = "0.1.0"

    package static func main() async {
        // A pipe that is closed and a file that may not grow are errors of a call, not ends of the program.
        for number in [SIGPIPE, SIGXFSZ] { signal(number, SIG_IGN) }
        keepMemoryTogether()
        await TrilateralCommand.main()
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
        abstract: "A device that knows where it is, and says so on MQTT.",
        discussion: """
            Exit codes: 0 done, 1 refused, and those of sysexits.h: 64 usage, 65 bad data, 66 no input, 69 nobody \
            answers, 70 bug, 73 cannot create, 74 input or output, 75 try later, 77 not permitted, 78 configuration.
            """,
        version: TrilateralProgram.version,
        subcommands: [
            DemoCommand.self, RunCommand.self, CheckCommand.self, ServeCommand.self, ImportCommand.self,
            ExportCommand.self, WatchCommand.self, GetCommand.self, SetCommand.self, ActionCommand.self,
            RecordCommand.self, ReplayCommand.self, EstimateCommand.self, CalibrateCommand.self,
            SurveyCommand.self,
            AccessListCommand.self, ForgetCommand.self, ManualCommand.self,
        ]
    )
}
