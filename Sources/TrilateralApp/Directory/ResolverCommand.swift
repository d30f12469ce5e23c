import ArgumentParser
import Controller
import Daemon
import Directory
import Foundation
import Logging
import Resolution
import Sensing
import ServiceLifecycle
import Settings

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
        )
    )
    var listen: [HostAndPort] = []

    @OptionGroup var file: ResolverFileOption

    @Option(
        name: .customLong("update-from"),
        help: ArgumentHelp(
            "A network whose updates count, such as 192.168.0.0/16, instead of this machine. Can be given several times.",
            valueName: "net"
        )
    )
    var updateFrom: [String] = []

    @Flag(help: "Answer updates with the serial and the stored address.")
    var ack = false

    func validate() throws {
        for network in updateFrom where NetworkRange(network) == nil {
            throw ValidationError(
                "--update-from: \"\(network)\" is no network such as 192.168.0.0/16, without other bits behind its length"
            )
        }
    }

    func run() async throws {
        let signals = SignalStream([SIGTERM, SIGINT])
        var configuration = ResolverConfiguration()
        let standard = HostAndPort(host: "127.0.0.1", port: DirectoryMessage.standardPort)
        let places = listen.isEmpty ? [standard] : listen
        configuration.acknowledges = ack
        if !updateFrom.isEmpty { configuration.updateFrom = updateFrom.compactMap { NetworkRange($0) } }
        let path = try file.pathToMake()
        let database: ResolverDatabase
        do {
            database = try ResolverDatabase(path: path)
        } catch {
            StandardError.print("trilateral resolver: \(path): \(error)")
            throw ExitCode.ioError
        }
        defer { database.close() }
        let log = LogOutput(
            level: .warning,
            form: LogFormat(
                TrilateralConfiguration().log.format,
                environment: ProcessInfo.processInfo.environment
            )
        )
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
                StandardError.print("trilateral resolver: listening on \(actual)")
            } catch {
                StandardError.print("trilateral resolver: \(place): \(error)")
                throw ExitCode.unavailable
            }
        }
        await signals.first()
        await server.stop()
    }
}
