import ArgumentParser
import Daemon
import Flare
import FlareClient
import Resolution
import Settings

/// `trilateral station devices`.
struct StationDevicesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "List the things of a station's Flare server: id, name, zone, environment.",
        discussion:
            "If the server cannot be reached, the resolver is asked once whether it has another address."
    )

    private struct Row {
        let id: FlareID
        let names: [String]
    }

    @Argument(help: "Its name or serial.")
    var station: String

    @OptionGroup var options: StationOptions

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        try await StationEnd.running("devices") {
            try await options.state.withStations { store in
                guard var station = try store.station(station) else { throw StationEnd.unknown(station) }
                do {
                    return print(try await rows(of: station))
                } catch let failure as FlareSession.Failure {
                    let result = await options.ask(station.serial)
                    guard case .found(let address) = result, address != station.address else {
                        throw StationEnd(message: failure.description, code: .unavailable)
                    }
                    (station.address, station.updated) = (address, RegisteredStation.now)
                    try store.save(station)
                }
                do {
                    print(try await rows(of: station))
                } catch let failure as FlareSession.Failure {
                    throw StationEnd(message: failure.description, code: .unavailable)
                }
            }
        }
    }

    private func rows(of station: RegisteredStation) async throws -> [Row] {
        var configuration = FlareClientConfiguration(station, TrilateralConfiguration().flare.remote)
        // Over REST alone.
        configuration.streams = false
        return try await FlareSession.run(configuration) { session in
            guard case .environments(let environments) = try await session.ask(.loadEnvironments(near: nil))
            else {
                return []
            }
            var rows: [Row] = []
            for environment in environments {
                let reply = try await session.ask(.loadPlace(environment: environment.id))
                guard case .place(let zones, let things) = reply else { continue }
                let names = Dictionary(
                    zones.map { ($0.id, $0.name) },
                    uniquingKeysWith: { first, _ in first }
                )
                for thing in things {
                    let zone = thing.zone.flatMap { names[$0] } ?? ""
                    rows.append(Row(id: thing.id, names: [thing.name, zone, environment.name]))
                }
            }
            return rows
        }
    }

    private func print(_ rows: [Row]) {
        if json {
            let objects = rows.map { row -> JSONValue in
                var members: [String: JSONValue] = ["id": .string("\(row.id)")]
                for (key, name) in zip(["name", "zone", "environment"], row.names) {
                    members[key] = .string(name)
                }
                return .object(members)
            }
            return Terminal.output.write(JSONValue.array(objects).text + "\n")
        }
        for row in rows {
            let columns = ["\(row.id)"] + row.names
            Terminal.output.write(columns.map(TerminalText.visible).joined(separator: "\t") + "\n")
        }
    }
}
