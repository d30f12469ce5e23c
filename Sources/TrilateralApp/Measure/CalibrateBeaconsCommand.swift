import ArgumentParser
import Daemon
import Flare
import FlareClient
import FlareServer
import Foundation
import JSON
import Logging
import Positioning
import Sensors
import Settings
import Text

/// `trilateral calibrate beacons`: finds out what each beacon is heard with at one metre, and tells the place.
struct CalibrateBeaconsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "beacons",
        abstract: "Measure how strongly each beacon is heard at one metre.",
        discussion: """
            Leads you from beacon to beacon of the place: hold the device one metre from each, in free view, and press \
            Enter. Receivers that hear the device (data.receiver) are measured in the same way. After asking (or with \
            --yes) each result is stored as power in the thing's data at the Flare server. It helps if beacons report \
            wrong powers or differ from each other; the error of the receiver is estimated by itself. Exit code 69: the \
            server or the sensor does not answer.
            """
    )

    @Argument(help: "Which beacons, by the name, short name or id of their things; without it all.")
    var names: [String] = []

    @Option(
        help: ArgumentHelp(
            "Which environment, by name, short name or id; needed if there are several.",
            valueName: "name"
        )
    )
    var environment: String?

    @Option(
        help: ArgumentHelp(
            "How far from the beacon the device is held, 0.3 to 5 metres.",
            valueName: "metres"
        )
    )
    var distance = 1.0

    @Option(help: ArgumentHelp("How long each beacon is measured, 2 to 600 seconds.", valueName: "n"))
    var seconds = 15.0

    @Option(
        help: ArgumentHelp(
            "The Flare server; without it the one in the configuration.",
            valueName: "url"
        )
    )
    var server: String?

    @Flag(help: "Store the results without asking.")
    var yes = false

    @Flag(help: "Print the results as JSON.")
    var json = false

    @OptionGroup var broker: BrokerOptions
    @OptionGroup var token: ServerTokenOption

    func validate() throws {
        guard (0.3...5).contains(distance) else {
            throw ValidationError("--distance must be 0.3 to 5 metres (is \(distance))")
        }
        guard (2...600).contains(seconds) else {
            throw ValidationError("--seconds must be 2 to 600 (is \(seconds))")
        }
    }

    /// What was measured of one beacon.
    private struct Result: Sendable {
        let beacon: BeaconMap.Beacon
        let measured: BeaconPowerSamples.Measurement
    }

    func run() async throws {
        let settings = try broker.address.settings(node: broker.node)
        let configuration = settings.loaded.values(servedBy: settings.daemon)
        let log = LogOutput(ofVerb: configuration.log, environment: [:])
        defer { log.flush() }
        let logger = log.logger("calibrate")
        var flare = try flareServer(configuration.flare)
        // What a thing is, only its owner changes.
        let temporary = await temporaryToken(of: configuration.people.owner, for: flare)
        do {
            if let token = try token.load()?.reveal() ?? temporary?.text {
                flare.headers.append(FlareClientConfiguration.Header("Authorization", "Bearer \(token)"))
            }
            try await calibrate(configuration, settings, flare, logger)
        } catch {
            await temporary?.remove()
            throw error
        }
        await temporary?.remove()
    }

    private func calibrate(
        _ configuration: TrilateralConfiguration,
        _ settings: BrokerSettings,
        _ flare: FlareClientConfiguration,
        _ logger: Logger
    ) async throws {
        do {
            var heard = try SensorSources(radioOf: configuration, logger: logger)
            if heard.sources.isEmpty || broker.mqtt != nil || broker.node != nil {
                try await heard.add(broker, settings, logger: logger)
            }
            let exponent = configuration.positioning.grid[.pathLoss]
            try await FlareSession.run(flare) { visit in
                let place = try await visit.place(named: environment)
                let map = map(place, uuid: configuration.beacons.uuid)
                let beacons = try chosen(of: map)
                let results = try await measure(beacons, map, heard, exponent: exponent)
                try await store(results, in: &visit)
            }
        } catch let error as SensorError {
            throw VerbError.ending(by: error)
        }
    }

    private func map(
        _ place: (environment: FlareEnvironment, zones: [FlareZone], things: [FlareThing]),
        uuid: UUID?
    ) -> BeaconMap {
        var environment = place.environment
        if let uuid { environment.data["uuid"] = .string(uuid.uuidString) }
        let map = BeaconMap(environment: environment, zones: place.zones, things: place.things)
        for problem in map.problems { StandardError.report("\(problem)") }
        return map
    }

    /// The beacons that were named, in that order; all by name when none was.
    private func chosen(of map: BeaconMap) throws -> [BeaconMap.Beacon] {
        guard !map.beacons.isEmpty else {
            throw VerbError("the place has no beacons: no thing has data.minor or data.receiver", .dataError)
        }
        if names.isEmpty { return map.beacons.sorted { ($0.name, $0.thing) < ($1.name, $1.thing) } }
        return try names.map { name in
            let found = ObjectSelector(name).choice(of: map.beacons, id: \.thing, name: \.name)
            guard found.count == 1, let beacon = found.first else {
                let all = map.beacons.map(\.name).sorted()
                let rest = all.count > 20 ? " and \(all.count - 20) more" : ""
                throw VerbError(
                    found.isEmpty
                        ? "there is no beacon \(name); there are \(all.prefix(20).joined(separator: ", "))\(rest)"
                        : "several beacons are called \(name); use their ids: "
                            + found.map { "\($0.thing)" }.joined(separator: ", "),
                    .usage
                )
            }
            return beacon
        }
    }

    private func measure(
        _ beacons: [BeaconMap.Beacon],
        _ map: BeaconMap,
        _ heard: SensorSources,
        exponent: Double
    ) async throws -> [Result] {
        try await GuidedSurvey<SensorReading>.run { take in
            await heard.run(take)
            return nil
        } _: { stops in
            var results: [FlareID: Result] = [:]
            try await stops.walk(through: beacons.count) {
                "hold it \(metres) from \(beacons[$0].name)"
            } visit: { stops, index in
                let beacon = beacons[index]
                var samples = BeaconPowerSamples()
                var loudest: [FlareID: Int] = [:]
                let isWhole = try await stops.gather(beacon.name, for: seconds) { reading in
                    guard let (other, rssi) = Self.sighting(reading, map) else { return }
                    if other.thing == beacon.thing { samples.add(rssi) }
                    loudest[other.thing] = max(loudest[other.thing] ?? .min, rssi)
                }
                guard isWhole else { return .end }
                switch samples.measurement(at: distance, exponent: exponent) {
                case .success(let measured):
                    results[beacon.thing] = Result(beacon: beacon, measured: measured)
                    let before = beacon.powerAtOneMetre.map { ", so far \(Int($0.rounded()))" } ?? ""
                    StandardError.print(
                        "\(beacon.name): \(measured.power) dBm at one metre\(before); spread "
                            + "\((measured.spread * 10).rounded() / 10) dB, \(measured.packets) packets"
                    )
                    return .next
                case .failure(let problem):
                    StandardError.report("\(beacon.name): \(problem)")
                    if let nearer = loudest.max(by: { $0.value < $1.value })?.key, nearer != beacon.thing,
                        let other = map.beacons.first(where: { $0.thing == nearer })
                    {
                        StandardError.report("the loudest one here is \(other.name)")
                    }
                    return .stay
                }
            }
            return beacons.compactMap { results[$0.thing] }
        }
    }

    private static func sighting(_ reading: SensorReading, _ map: BeaconMap) -> (BeaconMap.Beacon, Int)? {
        let sighting: BeaconSighting? =
            switch reading {
            case .beacon(let sighting): sighting
            case .receiver(let sighting): map.sighting(sighting)
            case .heading, .location, .telemetry, .moving, .tick: nil
            }
        guard let sighting, let beacon = map.beacon(sighting.identity) else { return nil }
        return (beacon, sighting.rssi)
    }

    /// Puts what was measured into the things, when that is wanted.
    private func store(_ results: [Result], in visit: inout FlareSession) async throws {
        guard !results.isEmpty else {
            throw VerbError("nothing was measured, and nothing was changed", .dataError)
        }
        if json {
            try StandardOutput.print(JSONValue.array(results.map(Self.json)).text)
        } else {
            try StandardOutput.print(
                TextTable(
                    header: ["THING", "POWER"],
                    rows: results.map { [$0.beacon.name, "\($0.measured.power)"] }
                )
            )
        }
        guard try await yes ? true : wantsToStore(results.count) else {
            return StandardError.report("nothing was changed")
        }
        for result in results {
            _ = try await visit.ask(
                .setData(
                    ObjectReference(.thing, result.beacon.thing),
                    values: ["power": .number(Double(result.measured.power))],
                    sender: nil
                )
            )
        }
        StandardError.report("stored as data.power of \(results.count) things")
    }

    private func wantsToStore(_ count: Int) async throws -> Bool {
        guard StandardInput.canAsk else {
            StandardError.report("--yes stores them")
            return false
        }
        return try await StandardInput.confirms("Store them as data.power of \(count) things?")
    }

    private static func json(_ result: Result) -> JSONValue {
        [
            "id": .string("\(result.beacon.thing)"), "name": .string(result.beacon.name),
            "power": JSONValue(result.measured.power), "spread_db": .number(result.measured.spread),
            "packets": JSONValue(result.measured.packets),
        ]
    }

    private var metres: String { distance == 1 ? "1 metre" : "\(distance) metres" }

    /// Where the place is kept.
    private func flareServer(_ flare: TrilateralConfiguration.Platform) throws -> FlareClientConfiguration {
        var remote = flare.remote
        if let server {
            remote.url = server
        } else if flare.mode == .embedded {
            guard flare.isServing, flare.listen.port != 0 else {
                let why = flare.isServing ? "listens on a free port" : "is not open to others"
                throw VerbError("the daemon's Flare server \(why); give its address with --server", .usage)
            }
            remote.url = "http://\(flare.listen.onThisMachine)"
        }
        guard let configuration = FlareClientConfiguration(remote) else {
            throw VerbError("--server must be http://HOST[:PORT] or https://HOST[:PORT]", .usage)
        }
        return configuration
    }

    /// A token of the owner if the server is that of a daemon that runs here and lets this user administer.
    private func temporaryToken(of owner: String, for flare: FlareClientConfiguration) async
        -> TemporaryToken?
    {
        guard token.tokenFile == nil else { return nil }
        let daemon = DaemonLocator(ProcessInfo.processInfo.environment).running.first { daemon in
            let isHere =
                flare.host == "localhost"
                || FlareAccess.isOwnMachine(flare.host, connectedTo: daemon.flare?.host)
            return isHere && daemon.flare?.port == flare.port
        }
        guard let daemon else { return nil }
        return await TemporaryToken(of: owner, in: daemon.stateFolder, for: "calibrate")
    }
}
