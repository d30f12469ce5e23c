import ArgumentParser
import Daemon
import Flare
import FlareClient
import JSON
import OperatingSystem
import Resolution
import Settings

struct StationDevicesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "List the things of a station's Flare server: id, name, zone, environment.",
        discussion:
            "If the server cannot be reached, the resolver is asked once whether it has another address."
    )

    @Argument(help: "Its name or serial.", completion: .stations)
    var station: String

    @OptionGroup var options: StationOptions

    @Option(
        file:
            "The certificate authorities that the server's certificate is checked against (PEM), instead of the system's."
    )
    var caFile: String?

    @OptionGroup var list: ListOption

    func run() async throws {
        try await options.state.withStation(station) { store, known in
            var station = known
            try checkCAFile(of: station)
            do {
                return try print(try await rows(of: station))
            } catch let failure as VerbError {
                let result = await options.ask(station.serial)
                guard case .found(let address) = result, address != station.address else { throw failure }
                (station.address, station.updated) = (address, RegisteredStation.now)
                try store.save(station)
            }
            try print(try await rows(of: station))
        }
    }

    /// - Throws: ``VerbError`` if the file cannot be read, or is of no use.
    private func checkCAFile(of station: RegisteredStation) throws(VerbError) {
        guard let caFile else { return }
        guard station.url?.hasPrefix("https://") == true else {
            throw VerbError(
                "--ca-file has no effect: the URL of \(station.name) does not begin with https://",
                .usage
            )
        }
        if case .failure(let error) = FileContents.read(caFile, upTo: 4 * 1024 * 1024) {
            throw VerbError("\(caFile) \(error.message)", ExitCode(error))
        }
    }

    private func rows(of station: RegisteredStation) async throws -> [JSONValue] {
        var remote = TrilateralConfiguration().flare.remote
        remote.tls.caFile = caFile
        var configuration = FlareClientConfiguration(station, remote)
        // Over REST alone.
        configuration.streams = false
        do {
            return try await Self.rows(configuration)
        } catch let error as TLSConfigurationError {
            throw VerbError(error.description, .dataError)
        } catch let failure as VerbError {
            throw await Self.certificateFailure(configuration) ?? failure
        }
    }

    private static func rows(_ configuration: FlareClientConfiguration) async throws -> [JSONValue] {
        try await FlareSession.run(configuration) { session in
            guard case .environments(let environments) = try await session.ask(.loadEnvironments(near: nil))
            else {
                return []
            }
            var rows: [JSONValue] = []
            for environment in environments {
                let reply = try await session.ask(.loadPlace(environment: environment.id))
                guard case .place(let zones, let things) = reply else { continue }
                let names = Dictionary(
                    zones.map { ($0.id, $0.name) },
                    uniquingKeysWith: { first, _ in first }
                )
                for thing in things {
                    rows.append([
                        "id": .string("\(thing.id)"), "name": .string(thing.name),
                        "zone": .string(thing.zone.flatMap { names[$0] } ?? ""),
                        "environment": .string(environment.name),
                    ])
                }
            }
            return rows
        }
    }

    /// What is wrong with the server's certificate; `nil` for nothing, and without TLS.
    ///
    /// A request over REST only learns that the connection was closed, opening a WebSocket learns why.
    private static func certificateFailure(
        _ configuration: FlareClientConfiguration
    ) async -> VerbError? {
        guard configuration.tls != nil else { return nil }
        var configuration = configuration
        (configuration.streams, configuration.transport) = (true, .websocket)
        do {
            try await FlareSession.run(configuration, within: .seconds(3)) { _ in }
            return nil
        } catch {
            guard let failure = error as? VerbError, failure.message.contains(": TLS: ") else { return nil }
            let isUntrusted = failure.message.contains("CERTIFICATE_VERIFY_FAILED")
            let advice = isUntrusted ? "; --ca-file names the authority of its certificate" : ""
            return VerbError(failure.message + advice, .unavailable)
        }
    }

    private func print(_ rows: [JSONValue]) throws {
        try list.write(.array(rows), ["id", "name", "zone", "environment"])
    }
}
