import ArgumentParser
import Controller
import Daemon
import Directory
import Foundation
import Logging
import OperatingSystem
import Resolution
import Sensing
import ServiceLifecycle
import Settings
import Text

/// `trilateral resolver`: the directory of stations alone, and its rows.
struct ResolverCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resolver",
        abstract: "Run only a resolver: servers whose address changes tell it, and clients ask by serial.",
        discussion: """
            It answers at 127.0.0.1:8128 and takes updates from this machine only, unless told otherwise. SIGTERM and \
            SIGINT stop it. The verbs below work on the same file while it runs. In the daemon it is resolver.enabled.
            """,
        subcommands: [
            ResolverListCommand.self, ResolverGetCommand.self, ResolverSetCommand.self,
            ResolverRemoveCommand.self,
        ]
    )

    @Option(
        help: ArgumentHelp(
            "Where to listen; port 0 chooses a free port. Can be given several times.",
            valueName: "host:port"
        ),
        transform: HostAndPort.argument
    )
    var listen: [HostAndPort] = []

    @OptionGroup var file: ResolverFileOption

    @Option(
        help: ArgumentHelp(
            "A network whose updates count, such as 192.168.0.0/16, instead of this machine. Can be given several times.",
            valueName: "net"
        )
    )
    var updateFrom: [String] = []

    @Option(
        help: ArgumentHelp(
            "A network that may ask, instead of all. Can be given several times.",
            valueName: "net"
        )
    )
    var requestFrom: [String] = []

    @Option(
        file: "A file with a line for each station that signs its updates: serial and 64 hexadecimal digits."
    )
    var keysFile: String?

    @Option(
        help: ArgumentHelp(
            "Most names and updates of one peer, 0.1 to 1000, after 20 times as many at once.",
            valueName: "number"
        )
    )
    var perSecond = ResolverConfiguration().perSecond

    @Option(help: "Which address of a station counts: the claimed one, its peer's, or auto.")
    var address = AddressRule.auto

    @Flag(help: "Answer updates with the serial and the stored address.")
    var ack = false

    func validate() throws {
        for (option, networks) in [("--update-from", updateFrom), ("--request-from", requestFrom)] {
            for network in networks where NetworkRange(network) == nil {
                throw ValidationError(
                    "\(option): \(QuotedValue.of(network)) is no network such as 192.168.0.0/16, without other bits behind "
                        + "its length"
                )
            }
        }
        guard (0.1...1000).contains(perSecond) else {
            throw ValidationError("--per-second: must be 0.1 to 1000 (is \(perSecond))")
        }
    }

    func run() async throws {
        let signals = SignalStream([SIGTERM, SIGINT])
        var configuration = ResolverConfiguration()
        let standard = HostAndPort(host: "127.0.0.1", port: DirectoryMessage.standardPort)
        let places = listen.isEmpty ? [standard] : listen
        configuration.acknowledges = ack
        (configuration.rule, configuration.perSecond) = (address, perSecond)
        if !updateFrom.isEmpty { configuration.updateFrom = updateFrom.compactMap { NetworkRange($0) } }
        if !requestFrom.isEmpty { configuration.requestFrom = requestFrom.compactMap { NetworkRange($0) } }
        if let keysFile { configuration.keys = try keys(in: keysFile) }
        let path = try file.pathToMake()
        let database: ResolverDatabase
        do {
            database = try ResolverDatabase(path: path)
        } catch {
            throw VerbError("\(path): \(error)", .ioError)
        }
        defer { database.close() }
        let log = LogOutput(ofVerb: TrilateralConfiguration().log)
        defer { log.flush() }
        let server = ResolverServer(
            configuration,
            database: database,
            clocks: .init(
                steady: { RuntimeClock.now().steadyMilliseconds },
                wall: { Int(RuntimeClock.now().wallMilliseconds / 1000) }
            ),
            logger: log.logger("resolver")
        )
        for place in places {
            do {
                let port = try await server.listen(.init(host: place.host, port: place.port))
                let actual = HostAndPort(host: place.host, port: port)
                StandardError.report("listening on \(actual)", as: .notice)
            } catch {
                let advice = "is in use by another program; stop it, or choose another --listen"
                throw VerbError(
                    error.isPortInUse ? "\(place) \(advice)" : "\(place): \(error)",
                    .unavailable
                )
            }
        }
        await signals.first()
        await server.stop()
    }

    private func keys(in file: String) throws -> [StationSerial: [UInt8]] {
        switch StationKeys.load(file) {
        case .success(let keys):
            if let warning = FileContents.openness(of: file) {
                StandardError.report("warning: --keys-file: \(warning)", as: .warning)
            }
            return keys
        case .failure(let error):
            throw VerbError("--keys-file: \(file): \(error.message)", .configuration)
        }
    }
}

extension AddressRule: ExpressibleByArgument {}
