import ArgumentParser
import Foundation
import JSON
import OperatingSystem
import Text

/// `trilateral doctor`: everything that somebody who helps would ask for.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Look for what keeps the daemon from its work, and say what to do.",
        discussion: """
            It looks at versions, the daemon, the configuration, rights, disk, limits, clock, time zone, locale, Bluetooth, \
            the broker, the Flare server, ports, the databases, their backups, the place, and the daemon's alerts. One line for each verdict: ok, hint, \
            warning or problem. It ends with 1 if there is a problem, else with 0. It changes nothing, and ends within \
            seconds, even if the broker hangs. With sudo it sees what is closed to other users.
            """
    )

    @Flag(help: "Print JSON.")
    var json = false

    @Option(file: "Write what to attach to a report, without secrets, to a new file.")
    var bundle: String?

    @OptionGroup var file: ConfigurationOption
    @OptionGroup var state: StateOption

    func run() async throws {
        let environment = ProcessInfo.processInfo.environment
        let context = DoctorContext(file: file, state: state, environment: environment)
        let secrets = Self.secrets(context)
        let found = await DoctorCheck.run(Self.checks(context))
        let report = DoctorReport(found.map { secrets.masked($0) })
        try StandardOutput.print(lines: json ? [report.json.text] : report.lines)
        if let bundle {
            // With sudo it has what other users may not read.
            try OutputFile(bundle, isPrivate: true).write(DoctorBundle(report, context).text(secrets))
        }
        if !report.isWell { throw ExitCode.failure }
    }

    /// All checks, in the order in which they are printed.
    private static func checks(_ context: DoctorContext) -> [DoctorCheck] {
        [
            DoctorCheck(VersionFacts.check, blocking: { VersionFacts.gathered().verdicts }),
            DoctorCheck(DaemonFacts.check, blocking: { DaemonFacts.gathered(context).verdicts }),
            DoctorCheck(
                ConfigurationFacts.check,
                blocking: { ConfigurationFacts.gathered(context).verdicts }
            ),
            DoctorCheck(FolderFacts.check, blocking: { FolderFacts.gathered(context).verdicts }),
            DoctorCheck(DiskFacts.check, blocking: { DiskFacts.gathered(context).verdicts }),
            DoctorCheck(LimitFacts.check, blocking: { LimitFacts.gathered().verdicts }),
            DoctorCheck(ClockFacts.check, blocking: { ClockFacts.gathered().verdicts }),
            DoctorCheck(
                TimeZoneFacts.check,
                blocking: { TimeZoneFacts.gathered(context.environment).verdicts }
            ),
            DoctorCheck(LocaleFacts.check, blocking: { LocaleFacts.gathered(context.environment).verdicts }),
            DoctorCheck(BluetoothFacts.check, blocking: { BluetoothFacts.gathered(context).verdicts }),
            DoctorCheck(
                RFKillFacts.check,
                blocking: { RFKillFacts.gathered(isWanted: context.wantsBluetooth).verdicts }
            ),
            DoctorCheck(
                BluetoothServiceFacts.check,
                blocking: { BluetoothServiceFacts.gathered(context).verdicts }
            ),
            DoctorCheck(BrokerFacts.check, waiting: { await BrokerFacts.gathered(context).verdicts }),
            DoctorCheck(ServerFacts.check, waiting: { await ServerFacts.gathered(context).verdicts }),
            DoctorCheck(PortFacts.check, blocking: { PortFacts.gathered(context).verdicts }),
            DoctorCheck(
                DatabaseFacts.check,
                limit: .seconds(9),
                blocking: { DatabaseFacts.gathered(context).verdicts }
            ),
            DoctorCheck(
                BackupFacts.check,
                limit: .seconds(9),
                blocking: { BackupFacts.gathered(context).verdicts }
            ),
            DoctorCheck(PlaceFacts.check, waiting: { await PlaceFacts.gathered(context).verdicts }),
            DoctorCheck(AlertFacts.check, waiting: { await AlertFacts.gathered(context).verdicts }),
        ]
    }

    private static func secrets(_ context: DoctorContext) -> DoctorSecrets {
        let file = context.configurationFile.map { FileContents.read($0, upTo: 1 << 20).flatMap(\.text) }
        let password = try? BrokerSettings(loaded: context.loaded, daemon: context.daemon).servicePassword()
        return DoctorSecrets(
            context.values,
            text: (try? file?.get()) ?? "",
            environment: context.environment.merging(context.unit?.environment ?? [:]) { own, _ in own },
            more: [password?.reveal()].compactMap(\.self)
        )
    }
}
