import ArgumentParser
import Controller
import Daemon
import Directory
import Flare
import Foundation
import Logging
import Resolution
import Sensing
import ServiceLifecycle
import Settings
import UnixSignals

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
        var configuration = ResolverConfiguration()
        let standard = HostAndPort(host: "127.0.0.1", port: DirectoryMessage.standardPort)
        let places = listen.isEmpty ? [standard] : listen
        configuration.acknowledges = ack
        if !updateFrom.isEmpty { configuration.updateFrom = updateFrom.compactMap { NetworkRange($0) } }
        let file = try ResolverFile.path(self.file.db, isMade: true)
        let database: ResolverDatabase
        do {
            database = try ResolverDatabase(path: file)
        } catch {
            StandardError.print("trilateral resolver: \(file): \(error)")
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
        for await _ in await UnixSignalsSequence(trapping: .sigterm, .sigint) { break }
        await server.stop()
    }
}

/// The file of a resolver.
enum ResolverFile {
    /// The named file, else that of the daemon.
    ///
    /// - Parameter isMade: Whether it may be missing.
    /// - Throws: An exit code, after a message.
    static func path(_ named: String?, isMade: Bool = false) throws -> String {
        let environment = ProcessInfo.processInfo.environment
        let path =
            named
            ?? URL(filePath: StateFolder.standard(environment)).appending(path: "resolver.db")
            .path(percentEncoded: false)
        if isMade {
            if named == nil { _ = try StateFolder(named: nil, environment: environment) }
        } else if !FileManager.default.fileExists(atPath: path) {
            StandardError.print("trilateral resolver: \(path): there is no such file; --db names another one")
            throw ExitCode.noInput
        }
        return path
    }

    /// Opens the file for one of the verbs.
    /// - Throws: An exit code, after a message.
    static func open(_ named: String?) throws -> ResolverDatabase {
        let path = try path(named)
        do {
            return try ResolverDatabase(path: path)
        } catch {
            StandardError.print("trilateral resolver: \(path): \(error)")
            throw ExitCode.ioError
        }
    }

    /// The serial that was given.
    /// - Throws: An exit code, after a message.
    static func serial(_ text: String) throws -> StationSerial {
        guard let serial = StationSerial(text) else {
            let legal = "a serial is a MAC, or another text of 1 to 64 bytes without control characters"
            StandardError.print("trilateral resolver: \(legal) (is \(QuotedValue.of(text)))")
            throw ExitCode.dataError
        }
        return serial
    }

    static func unknown(_ serial: StationSerial) -> ExitCode {
        StandardError.print("trilateral resolver: \(serial) is not known")
        return .noInput
    }
}

/// Names the file of a resolver.
struct ResolverFileOption: ParsableArguments {
    @Option(help: ArgumentHelp("The database, instead of the daemon's resolver.db.", valueName: "file"))
    var db: String?
}

/// `trilateral resolver list`.
struct ResolverListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Print all serials with their addresses."
    )

    @OptionGroup var file: ResolverFileOption

    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
        let entries = try ResolverFile.open(file.db).entries()
        if json {
            let rows = entries.map { entry -> JSONValue in
                ["id": .string(entry.id), "ip": entry.address.map { .string($0) } ?? .null]
            }
            return Terminal.output.write(JSONValue.array(rows).text + "\n")
        }
        for entry in entries {
            Terminal.output.write(
                "\(TerminalText.visible(entry.id))\t\(TerminalText.visible(entry.address ?? ""))\n"
            )
        }
    }
}

/// `trilateral resolver get`.
struct ResolverGetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Print the address of a serial."
    )

    @Argument(help: "The serial, in any form.")
    var serial: String

    @OptionGroup var file: ResolverFileOption

    func run() throws {
        let serial = try ResolverFile.serial(serial)
        guard let address = try ResolverFile.open(file.db).address(of: serial) else {
            throw ResolverFile.unknown(serial)
        }
        Terminal.output.write("\(TerminalText.visible(address))\n")
    }
}

/// `trilateral resolver set`.
struct ResolverSetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Store the address of a serial."
    )

    @Argument(help: "The serial, in any form.")
    var serial: String

    @Argument(help: "An IPv4 address.")
    var address: String

    @OptionGroup var file: ResolverFileOption

    func run() throws {
        let serial = try ResolverFile.serial(serial)
        guard let address = StationAddress(address) else {
            let legal = "an address is four numbers of 0 to 255 without leading zeros, not of 0/8 or 224/3"
            StandardError.print("trilateral resolver: \(legal) (is \(QuotedValue.of(self.address)))")
            throw ExitCode.dataError
        }
        try ResolverFile.open(file.db).store([(serial, address)])
    }
}

/// `trilateral resolver rm`.
struct ResolverRemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "rm", abstract: "Remove a serial.")

    @Argument(help: "The serial, in any form.")
    var serial: String

    @OptionGroup var file: ResolverFileOption

    func run() throws {
        let serial = try ResolverFile.serial(serial)
        guard try ResolverFile.open(file.db).remove(serial) else { throw ResolverFile.unknown(serial) }
    }
}
