import ArgumentParser
import Daemon
import Flare
import Foundation
import JSON
import MQTT
import Messages
import OperatingSystem
import Positioning

/// `trilateral survey`: measures the error of the daemon's positions, and teaches it what is heard where.
struct SurveyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "survey",
        abstract: "Measure how exact positions are at marked spots, and make them more exact.",
        discussion: """
            "trilateral survey spots.csv" measures the error of positions; with --learn the daemon stores what it hears \
            at each spot, and uses that from then on. The other verbs show and keep what it has stored.
            """,
        subcommands: [
            SurveySpotsCommand.self, SurveyListCommand.self, SurveyShowCommand.self,
            SurveyForgetCommand.self, SurveyExportCommand.self, SurveyImportCommand.self,
        ],
        defaultSubcommand: SurveySpotsCommand.self
    )
}

/// `trilateral survey SPOTS`: the person goes from spot to spot.
struct SurveySpotsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "spots",
        abstract: "Go to marked spots: measure the error there, or learn what is heard (the default).",
        discussion: """
            Mark some spots and write them into a CSV file: the line name,x,y and then one line for each spot, in metres. \
            While the daemon runs, carry the device to each spot, press Enter, and stand still. It prints the error \
            there and the median so far, and a summary at the end; --output writes all spots to a file. Exit code 69: \
            the daemon does not answer.

            With --learn it does not measure errors: the daemon of this machine stores what it hears at each spot. \
            From three spots on it uses that for its positions; 8 to 10 spots give most of the gain. Spread them over \
            the place. A place with floors needs the column z, the height of the spot: name,x,y,z.
            """
    )

    @Argument(file: "The spots, CSV: name,x,y or name,x,y,z.", name: "spots.csv")
    var spots: String

    @Flag(help: "Store what is heard at each spot, so that positions become more exact.")
    var learn = false

    @Option(
        help: ArgumentHelp(
            "How long each spot is measured: 1 to 600 seconds, 10 when left out; with --learn 12 to 45, 20 when left out.",
            valueName: "n"
        )
    )
    var seconds: Double?

    @Option(file: "A CSV file to write; it must not exist yet.")
    var output: String?

    @Flag(help: "Print the summary as JSON.")
    var json = false

    @OptionGroup var broker: BrokerOptions
    @OptionGroup var state: StateOption

    private static let usualSeconds = 10.0

    func validate() throws {
        if learn {
            guard output == nil, !json else {
                throw ValidationError("--learn measures no errors: leave out --output and --json")
            }
            let allowed = SurveyService.allowedSeconds
            if let seconds, !allowed.contains(Int(exactly: seconds) ?? 0) {
                throw ValidationError(
                    "--seconds must be \(allowed.lowerBound) to \(allowed.upperBound) with --learn (is \(seconds))"
                )
            }
        } else if let seconds, !(1...600).contains(seconds) {
            throw ValidationError("--seconds must be 1 to 600 (is \(seconds))")
        }
        guard spots != "-" else {
            throw ValidationError("the spots must be in a file, because standard input is used for your keys")
        }
    }

    /// A position that the daemon published.
    struct PublishedPosition: Sendable {
        let position: Point3D
        let accuracy: Double?
        let isLost: Bool
    }

    func run() async throws {
        let spots = try CSVInput.read(spots, PositionSurvey.spots)
        if learn {
            let daemon = SurveyDaemon(folder: try state.location().path)
            return try await SurveyLearning(
                spots: spots,
                seconds: seconds.map { Int($0) } ?? SurveyService.usualSeconds,
                daemon: daemon
            ).run()
        }
        if let output, access(output, F_OK) == 0 {
            throw VerbError("\(output) cannot be made: \(systemMessage(EEXIST))", .cannotCreate)
        }
        let daemon = try await broker.runningDaemon(timeout: .seconds(10))
        StandardError.report("the daemon is online at \(daemon.root)")
        let survey = try await GuidedSurvey<PublishedPosition>.run { take in
            await Self.listen(daemon, take)
        } _: { stops in
            try await walk(to: spots, &stops)
        }
        guard !survey.findings.isEmpty else { throw VerbError("nothing was measured", .dataError) }
        if let output { try OutputFile(output).write(Self.csv(survey)) }
        try StandardOutput.print(json ? Self.json(survey).text : summary(survey))
    }

    /// Delivers each new position.
    ///
    /// - Returns: Why it ended, when it was not cancelled.
    private static func listen(
        _ daemon: (link: MQTTConfiguration, root: String),
        _ take: @escaping @Sendable (PublishedPosition) -> Void
    ) async -> String? {
        let (position, status) = (Topics(root: daemon.root).devicePosition, Topics(root: daemon.root).status)
        return await BrokerSession(daemon.link).run(filters: [position, status], timeout: nil) { visit in
            for await event in visit.events {
                switch event {
                case .link(.disconnected(let error)) where error.isFinal: return "\(error)"
                case .link(.disconnected(let error)): StandardError.report("\(error)")
                case .message(let message) where message.topic == status:
                    if message.payload == Array("offline".utf8) {
                        StandardError.report("the daemon at \(daemon.root) is offline")
                    }
                // A retained position is an old one.
                case .message(let message) where !message.isRetained:
                    guard let json = try? JSONValue(parsing: message.payload),
                        let position = PublishedPosition(json)
                    else {
                        continue
                    }
                    take(position)
                case .message, .link, .woken, .deadline, .signal, .acknowledged: break
                }
            }
            return nil
        }
    }

    private func walk(
        to spots: [PositionSurvey.Spot],
        _ stops: inout GuidedSurvey<PublishedPosition>
    ) async throws -> PositionSurvey {
        var survey = PositionSurvey()
        try await stops.walk(through: spots.count) { index in
            let place = spots[index].position
            return "go to \(spots[index].name) (\(Self.metres(place.x)), \(Self.metres(place.y)))"
        } visit: { stops, index in
            let spot = spots[index]
            var published: [PublishedPosition] = []
            guard
                try await stops.gather(spot.name, for: seconds ?? Self.usualSeconds, { published.append($0) })
            else {
                return .end
            }
            let known = published.filter { !$0.isLost }.map { ($0.position, $0.accuracy) }
            if let finding = survey.record(known, at: spot) {
                let accuracy = finding.accuracy.map { ", stated accuracy ±\(Self.metres($0)) m" } ?? ""
                StandardError.print(
                    "\(spot.name): \(Self.metres(finding.error)) m off\(accuracy); median so far "
                        + "\(Self.metres(survey.error(share: 0.5))) m of \(survey.findings.count)"
                )
            } else {
                StandardError.print(
                    published.isEmpty
                        ? "\(spot.name): the daemon published no position; does the device hear beacons?"
                        : "\(spot.name): the position is lost; no beacon is heard"
                )
            }
            return .next
        }
        return survey
    }

    // MARK: Results

    private func summary(_ survey: PositionSurvey) -> String {
        let within = survey.withinAccuracy.map {
            "; \(Int(($0 * 100).rounded())) % within the stated accuracy (67 % expected)"
        }
        return """
            \(survey.findings.count == 1 ? "1 spot" : "\(survey.findings.count) spots"): median \(Self.metres(survey.error(share: 0.5))) m, 75 % \
            \(Self.metres(survey.error(share: 0.75))) m, 95 % \(Self.metres(survey.error(share: 0.95))) m\(within ?? "")
            """
    }

    private static func json(_ survey: PositionSurvey) -> JSONValue {
        let spots = survey.findings.map { finding -> JSONValue in
            var members: JSONObject = [
                "name": .string(finding.spot.name), "x": .number(finding.spot.position.x),
                "y": .number(finding.spot.position.y), "told_x": .number(finding.position.x),
                "told_y": .number(finding.position.y), "error_m": .number(finding.error),
                "positions": JSONValue(finding.positions),
            ]
            members["accuracy_m"] = finding.accuracy.map { .number($0) }
            return .object(members)
        }
        return [
            "spots": .array(spots), "median_m": .number(survey.error(share: 0.5)),
            "p75_m": .number(survey.error(share: 0.75)), "p95_m": .number(survey.error(share: 0.95)),
        ]
    }

    private static func csv(_ survey: PositionSurvey) -> String {
        survey.findings.reduce(into: "name,x,y,told_x,told_y,error_m,accuracy_m,positions\n") {
            text,
            finding in
            let numbers = [
                finding.spot.position.x, finding.spot.position.y, finding.position.x, finding.position.y,
                finding.error,
            ]
            let accuracy = finding.accuracy.map(metres) ?? ""
            let fields = [finding.spot.name] + numbers.map(metres) + [accuracy, "\(finding.positions)"]
            text += fields.joined(separator: ",") + "\n"
        }
    }

    /// In hundredths.
    static func metres(_ value: Double) -> String { "\((value * 100).rounded() / 100)" }
}

extension SurveySpotsCommand.PublishedPosition {
    /// Reads `device/position`; `nil` for anything else.
    fileprivate init?(_ json: JSONValue) {
        guard let x = json["x"]?.number, let y = json["y"]?.number else { return nil }
        position = Point3D(x: x, y: y)
        accuracy = json["accuracy_m"]?.number
        isLost = json["quality"]?.string == "lost"
    }
}
