import ArgumentParser
import Daemon
import JSON
import Resolution
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

    @OptionGroup var list: ListOption

    func run() async throws {
        try await state.withKnownStations { store in
            let stations = try store?.stations() ?? []
            if stations.isEmpty { StandardError.report(Self.steps) }
            guard list.json || !stations.isEmpty else { return }
            let rows = stations.map { station -> JSONValue in
                [
                    "serial": .string(station.serial.text), "name": .string(station.name),
                    "address": .string("\(station.address)"), "updated": .string(station.updated),
                ]
            }
            try list.write(.array(rows), ["serial", "name", "address", "updated"])
        }
    }
}

struct StationRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "rm", abstract: "Forget a station.")

    @Argument(help: "Its name or serial.", completion: .stations)
    var station: String

    @OptionGroup var state: StateOption

    func run() async throws {
        try await state.withStation(station, isWriting: true) { store, known in try store.remove(known) }
    }
}

struct StationRefreshCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "refresh",
        abstract: "Ask the resolver where a station is now, or where all of them are."
    )

    @Argument(help: "Its name or serial; without it all of them.", completion: .stations)
    var station: String?

    @OptionGroup var options: StationOptions

    func run() async throws {
        var first: ExitCode?
        if let station {
            try await options.state.withStation(station, isWriting: true) { store, known in
                first = try await refresh([known], in: store)
            }
        } else {
            try await options.state.withKnownStations(isWriting: true) { store in
                guard let store, case let stations = try store.stations(), !stations.isEmpty else {
                    return StandardError.report(StationListCommand.steps)
                }
                first = try await refresh(stations, in: store)
            }
        }
        if let first { throw first }
    }

    /// - Returns: The exit code of the first failure; `nil` if there was none.
    private func refresh(_ stations: [RegisteredStation], in store: StateStore) async throws -> ExitCode? {
        var first: ExitCode?
        var rows: [[String]] = []
        for var station in stations {
            let result = await options.ask(station.serial)
            guard case .found(let address) = result else {
                if let error = VerbError(result, of: station.name, at: options.resolver) {
                    StandardError.report(error.message)
                    first = first ?? error.code
                }
                continue
            }
            let isChanged = address != station.address
            if isChanged {
                (station.address, station.updated) = (address, RegisteredStation.now)
                try store.save(station)
            }
            rows.append([station.name, "\(address)", isChanged ? "changed" : "unchanged"])
        }
        if !rows.isEmpty {
            try StandardOutput.print(TextTable(header: ["STATION", "ADDRESS", "RESULT"], rows: rows))
        }
        return first
    }
}
