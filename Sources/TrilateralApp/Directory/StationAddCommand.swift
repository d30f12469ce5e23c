import ArgumentParser
import Daemon
import Directory
import Flare
import Resolution
import Settings

/// `trilateral station add`.
struct StationAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Register a station, after its resolver has told where it is.",
        discussion:
            "Serial, name and password are needed. Nothing is stored unless the resolver knows the serial."
    )

    @Option(help: "The serial, in any form: usually a MAC.")
    var serial: String?

    @Option(help: "A name of your own for it.")
    var name: String?

    @Option(
        name: .customLong("password-file"),
        help: ArgumentHelp("A file with the password of its server and nothing else.", valueName: "file")
    )
    var passwordFile: String?

    @Option(
        help:
            "Scheme, name and port of its server; the resolver says where to connect. Without it http and port 1234."
    )
    var url: String?

    @OptionGroup var options: StationOptions

    func run() async throws {
        try await StationEnd.running("add") {
            let password = try password()
            let fields = [("serial", serial), ("name", name), ("password", password?.reveal())]
            let empty = fields.filter { $0.1?.allSatisfy(\.isWhitespace) ?? true }.map(\.0)
            guard empty.isEmpty, let serial, let name, let password else {
                throw StationEnd(message: "empty: \(empty.joined(separator: ", "))", code: .usage)
            }
            guard let known = StationSerial(serial) else {
                throw StationEnd(
                    message:
                        "a serial is a MAC, or another text of 1 to 64 bytes (is \(QuotedValue.of(serial)))",
                    code: .dataError
                )
            }
            if let problem = RegisteredStation.problem(ofName: name)
                ?? url.flatMap(RegisteredStation.problem(ofURL:))
            {
                throw StationEnd(message: problem, code: .dataError)
            }
            try await options.state.withStations { store in
                if let other = try store.stations().first(where: { $0.serial == known || $0.name == name }) {
                    let message = "registered already: \(other.name) (\(other.serial)) at \(other.address)"
                    throw StationEnd(message: message, code: StationEnd.taken)
                }
                let result = await options.ask(known)
                guard case .found(let address) = result else {
                    if let end = StationEnd(result, of: serial, at: options.resolver) { throw end }
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
                Terminal.output.write("registered \(name) (\(known)) at \(address)\n")
            }
        }
    }

    private func password() throws -> Secret? {
        guard let passwordFile else { return nil }
        switch Secret.load(passwordFile) {
        case .success(let found):
            if let warning = found.warning {
                StandardError.print("trilateral station add: warning: \(warning)")
            }
            return found.secret
        case .failure(let error) where error.message == "is empty": return nil
        case .failure(let error):
            throw StationEnd(message: "\(passwordFile) \(error.message)", code: .noInput)
        }
    }
}
