import ArgumentParser
import Daemon
import Resolution
import Settings
import Text

struct StationAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Register a station, after its resolver has told where it is.",
        discussion: """
            Serial, name and password are needed. The password is the one that the station's Flare server asks for: a user's \
            token there (trilateral token add), or that of a proxy in front of it. It is sent over TLS only; any word does \
            for a server that asks for none. Nothing is stored unless the resolver knows the serial.
            """
    )

    @Option(help: "The serial, in any form: usually a MAC.")
    var serial: String?

    @Option(help: "A name of your own for it.")
    var name: String?

    @Option(file: "A file with the token or password for its Flare server and nothing else.")
    var passwordFile: String?

    @Option(
        help:
            "Scheme, name and port of its server; the resolver says where to connect. Without it http and port 1234."
    )
    var url: String?

    @OptionGroup var options: StationOptions

    func run() async throws {
        let password = try passwordFile.flatMap { try Secret.stationPassword(in: $0) }
        let fields = [("serial", serial), ("name", name), ("password", password?.reveal())]
        let empty = fields.filter { $0.1?.allSatisfy(\.isWhitespace) ?? true }.map(\.0)
        guard empty.isEmpty, let serial, let name, let password else {
            throw VerbError("empty: \(empty.joined(separator: ", "))", .usage)
        }
        let known = try StationSerial(argument: serial)
        if let problem = RegisteredStation.problem(ofName: name)
            ?? url.flatMap(RegisteredStation.problem(ofURL:))
        {
            throw VerbError(problem, .dataError)
        }
        try await options.state.withStations { store in
            let stations = try store.stations()
            if let other = stations.first(where: { $0.serial == known || $0.name == name }) {
                let place = "\(other.name) (\(other.serial)) at \(other.address)"
                throw VerbError("registered already: \(place)", VerbError.taken)
            }
            if let conflict = RegisteredStation.conflict(ofName: name, known, with: stations) {
                throw VerbError(conflict, VerbError.taken)
            }
            let result = await options.ask(known)
            guard case .found(let address) = result else {
                if let error = VerbError(result, of: serial, at: options.resolver) { throw error }
                return
            }
            let station = RegisteredStation(
                serial: known,
                name: name,
                address: address,
                url: url,
                password: password,
                updated: RegisteredStation.now
            )
            try store.save(station)
            try StandardOutput.print("registered \(name) (\(known)) at \(address)")
        }
    }
}
