import ArgumentParser
import Daemon
import Flare
import Resolution
import Settings

/// `trilateral station edit`.
struct StationEditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit",
        abstract: "Change name, address, URL or password of a station."
    )

    @Argument(help: "Its name or serial.")
    var station: String

    @Option(help: "Another name.")
    var name: String?

    @Option(help: "An IPv4 address, until the resolver tells another one.")
    var address: String?

    @Option(help: "Scheme, name and port of its server.")
    var url: String?

    @Option(
        name: .customLong("password-file"),
        help: ArgumentHelp("A file with the password of its server and nothing else.", valueName: "file")
    )
    var passwordFile: String?

    @OptionGroup var state: StateOption

    func run() async throws {
        try await StationEnd.running("edit") {
            try await state.withStations { store in
                guard var station = try store.station(station) else { throw StationEnd.unknown(station) }
                if let name {
                    if let problem = RegisteredStation.problem(ofName: name) {
                        throw StationEnd(message: problem, code: .dataError)
                    }
                    let others = try store.stations().filter { $0.serial != station.serial }
                    guard !others.contains(where: { $0.name == name }) else {
                        let message = "another station is called \(QuotedValue.of(name))"
                        throw StationEnd(message: message, code: StationEnd.taken)
                    }
                    station.name = name
                }
                if let address {
                    guard let legal = StationAddress(address) else {
                        let message = "\(QuotedValue.of(address)) is no IPv4 address of a machine"
                        throw StationEnd(message: message, code: .dataError)
                    }
                    (station.address, station.updated) = (legal, RegisteredStation.now)
                }
                if let url {
                    if let problem = RegisteredStation.problem(ofURL: url) {
                        throw StationEnd(message: problem, code: .dataError)
                    }
                    station.url = url
                }
                if let passwordFile {
                    switch Secret.load(passwordFile) {
                    case .success(let found): station.password = found.secret
                    case .failure(let error):
                        throw StationEnd(message: "\(passwordFile) \(error.message)", code: .noInput)
                    }
                }
                try store.save(station)
            }
        }
    }
}
