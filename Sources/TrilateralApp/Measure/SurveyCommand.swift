import ArgumentParser
import Flare
import Foundation
import JSON
import MQTT
import Messages
import OperatingSystem
import Positioning

/// `trilateral survey`: measures the error of the daemon's positions.
struct SurveyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "survey",
        abstract: "Measure how exact positions are at marked spots.",
        discussion: """
            Mark some spots and write them into a CSV file: the line name,x,y and then one line for each spot, in metres. \
            While the daemon runs, carry the device to each spot, press Enter, and stand still. It prints the error \
            there and the median so far, and a summary at the end; --output writes all spots to a file. Exit code 69: \
            the daemon does not answer.
            """
    )

    @Argument(file: "The spots, CSV: name,x,y.", name: "spots.csv")
    var spots: String

    @Option(help: ArgumentHelp("How long each spot is measured, 1 to 600 seconds.", valueName: "n"))
    var seconds = 10.0

    @Option(file: "A CSV file to write; it must not exist yet.")
    var output: String?

    @Flag(help: "Print the summary as JSON.")
    var json = false

    @OptionGroup var broker: BrokerOptions

    func validate() throws {
        guard (1...600).contains(seconds) else {
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
            guard try await stops.gather(spot.name, for: seconds, { published.append($0) }) else {
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
            \(survey.findings.count) spots: median \(Self.metres(survey.error(share: 0.5))) m, 75 % \
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
    private static func metres(_ value: Double) -> String { "\((value * 100).rounded() / 100)" }
}

extension SurveyCommand.PublishedPosition {
    /// Reads `device/position`; `nil` for anything else.
    fileprivate init?(_ json: JSONValue) {
        guard let x = json["x"]?.number, let y = json["y"]?.number else { return nil }
        position = Point3D(x: x, y: y)
        accuracy = json["accuracy_m"]?.number
        isLost = json["quality"]?.string == "lost"
    }
}
