import ArgumentParser
import Daemon
import Resolution
import Settings
import Text

struct StationEditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit",
        abstract: "Change name, address, URL or password of a station."
    )

    @Argument(help: "Its name or serial.", completion: .stations)
    var station: String

    @Option(help: "Another name.")
    var name: String?

    @Option(help: "An IPv4 address, until the resolver tells another one.")
    var address: String?

    @Option(help: "Scheme, name and port of its server.")
    var url: String?

    @Option(file: "A file with the token or password for its Flare server and nothing else.")
    var passwordFile: String?

    @OptionGroup var state: StateOption

    func run() async throws {
        guard [name, address, url, passwordFile].contains(where: { $0 != nil }) else {
            throw VerbError("nothing to change: give --name, --address, --url or --password-file", .usage)
        }
        try await state.withStation(station, isWriting: true) { store, station in
            let others = try store.stations().filter { $0.serial != station.serial }
            try store.save(changed(station, beside: others))
        }
    }

    /// - Throws: ``VerbError`` if a value is not legal.
    private func changed(
        _ known: RegisteredStation,
        beside others: [RegisteredStation]
    ) throws(VerbError) -> RegisteredStation {
        var station = known
        if let name {
            if let problem = RegisteredStation.problem(ofName: name) { throw VerbError(problem, .dataError) }
            if let conflict = RegisteredStation.conflict(ofName: name, station.serial, with: others) {
                throw VerbError(conflict, VerbError.taken)
            }
            station.name = name
        }
        if let address {
            guard let legal = StationAddress(address) else {
                throw VerbError("\(QuotedValue.of(address)) is no IPv4 address of a machine", .dataError)
            }
            (station.address, station.updated) = (legal, RegisteredStation.now)
        }
        if let url {
            if let problem = RegisteredStation.problem(ofURL: url) { throw VerbError(problem, .dataError) }
            station.url = url
        }
        if let passwordFile {
            guard let password = try Secret.stationPassword(in: passwordFile) else {
                throw VerbError("empty: password", .usage)
            }
            station.password = password
        }
        return station
    }
}
