import ArgumentParser
import Controller
import Daemon
import Directory
import Flare
import Messages
import Resolution
import Sensing
import Settings

/// `trilateral station`: the Flare servers that are found by their serial.
struct StationCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "station",
        abstract: "Register Flare servers whose address changes, and ask a resolver where they are.",
        discussion: "A station is named by its name or its serial. The verbs work while the daemon runs.",
        subcommands: [
            StationAddCommand.self, StationListCommand.self, StationEditCommand.self,
            StationRemoveCommand.self,
            StationRefreshCommand.self, StationDevicesCommand.self,
        ]
    )
}

/// Ends a verb with a message.
struct StationEnd: Error {
    let message: String
    let code: ExitCode

    static let taken = ExitCode(1)

    /// Prints the message behind the verb.
    /// - Throws: The exit code.
    static func running(_ verb: String, _ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch let end as StationEnd {
            StandardError.print("trilateral station \(verb): \(end.message)")
            throw end.code
        } catch let error as StateStoreError {
            StandardError.print("trilateral station \(verb): \(error)")
            throw DaemonRunner.exitCode(error)
        }
    }

    static func unknown(_ word: String) -> StationEnd {
        StationEnd(message: "no station is called \(QuotedValue.of(word))", code: .noInput)
    }

    /// Why a resolver has given no address; `nil` if it has.
    init?(_ result: ResolverQuery.Result, of serial: String, at resolver: HostAndPort) {
        switch result {
        case .found: return nil
        case .noAnswer:
            message = "\(resolver) did not answer within 3 s: check your connection, or try again later"
            code = .temporary
        case .unknown:
            message = "\(serial) is not known: check the serial, and that the station is set up"
            code = .noInput
        case .badAnswer:
            message = "\(resolver) gave an answer that cannot be read: it may be no resolver"
            code = .dataError
        }
    }

    init(message: String, code: ExitCode) { (self.message, self.code) = (message, code) }
}

/// Where the stations are kept, and whom to ask.
struct StationOptions: ParsableArguments {
    @OptionGroup var state: StateOption

    @Option(help: ArgumentHelp("The resolver.", valueName: "host:port"))
    var resolver = TrilateralConfiguration().flare.remote.resolver

    func ask(_ serial: StationSerial) async -> ResolverQuery.Result {
        await DirectoryClient(host: resolver.host, port: resolver.port).ask(serial)
    }
}

extension StateOption {
    /// Opens the stations, and closes them after the work.
    func withStations<Result>(_ body: (StateStore) async throws -> Result) async throws -> Result {
        let store = try StateStore(folder: folder().url)
        defer { store.close() }
        return try await body(store)
    }
}

extension RegisteredStation {
    /// What is wrong with a name; `nil` for nothing.
    static func problem(ofName name: String) -> String? {
        let isLegal =
            (1...64).contains(name.unicodeScalars.count)
            && !name.unicodeScalars.contains { $0.properties.generalCategory == .control }
        return isLegal ? nil : "a name has 1 to 64 characters (is \(QuotedValue.of(name)))"
    }

    /// What is wrong with a URL; `nil` for nothing.
    static func problem(ofURL url: String) -> String? {
        let rest = ["http://", "https://"].first(where: url.hasPrefix).map { String(url.dropFirst($0.count)) }
        guard let rest, HostAndPort.isHost(rest) || HostAndPort(rest) != nil else {
            return
                "a URL is http:// or https://, a name or an address, and perhaps :PORT (is \(QuotedValue.of(url)))"
        }
        return nil
    }

    static var now: String { RuntimeClock.now().timestamp }
}

/// `trilateral station list`.
struct StationListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Print the registered stations: serial, name, address, and when it was learnt."
    )

    /// What to do when there is none.
    static let steps = """
        no station is registered. First set one up: station.announce in its configuration, and a Flare server that others \
        reach. Then register it here: trilateral station add --serial SERIAL --name NAME --password-file FILE
        """

    @OptionGroup var state: StateOption

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        try await StationEnd.running("list") {
            try await state.withStations { store in
                let stations = try store.stations()
                if stations.isEmpty { StandardError.print("trilateral station list: \(Self.steps)") }
                if json {
                    let rows = stations.map { station -> JSONValue in
                        [
                            "serial": .string(station.serial.text), "name": .string(station.name),
                            "address": .string("\(station.address)"), "updated": .string(station.updated),
                        ]
                    }
                    return Terminal.output.write(JSONValue.array(rows).text + "\n")
                }
                for station in stations {
                    let columns = [station.serial.text, station.name, "\(station.address)", station.updated]
                    Terminal.output.write(columns.map(TerminalText.visible).joined(separator: "\t") + "\n")
                }
            }
        }
    }
}

/// `trilateral station rm`.
struct StationRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "rm", abstract: "Forget a station.")

    @Argument(help: "Its name or serial.")
    var station: String

    @OptionGroup var state: StateOption

    func run() async throws {
        try await StationEnd.running("rm") {
            try await state.withStations { store in
                guard let known = try store.station(station) else { throw StationEnd.unknown(station) }
                try store.remove(known)
            }
        }
    }
}

/// `trilateral station refresh`.
struct StationRefreshCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "refresh",
        abstract: "Ask the resolver where a station is now, or where all of them are."
    )

    @Argument(help: "Its name or serial; without it all of them.")
    var station: String?

    @OptionGroup var options: StationOptions

    func run() async throws {
        var first: ExitCode?
        try await StationEnd.running("refresh") {
            try await options.state.withStations { store in
                var stations = try store.stations()
                if let station {
                    guard let known = try store.station(station) else { throw StationEnd.unknown(station) }
                    stations = [known]
                }
                for var station in stations {
                    let result = await options.ask(station.serial)
                    guard case .found(let address) = result else {
                        guard let end = StationEnd(result, of: station.name, at: options.resolver) else {
                            continue
                        }
                        StandardError.print("trilateral station refresh: \(end.message)")
                        first = first ?? end.code
                        continue
                    }
                    let isChanged = address != station.address
                    if isChanged {
                        (station.address, station.updated) = (address, RegisteredStation.now)
                        try store.save(station)
                    }
                    let columns = [station.name, "\(address)", isChanged ? "changed" : "unchanged"]
                    Terminal.output.write(columns.map(TerminalText.visible).joined(separator: "\t") + "\n")
                }
            }
        }
        if let first { throw first }
    }
}
