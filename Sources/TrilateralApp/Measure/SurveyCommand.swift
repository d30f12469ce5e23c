import ArgumentParser
import Flare
import Foundation
import MQTT
import Positioning
import Settings

/// `trilateral survey`: how far the positions that the daemon tells are off.
struct SurveyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "survey",
        abstract: "Walk to marked spots and see how far the daemon's positions are off.",
        discussion: """
            Mark some spots in the place and write them down: a CSV file with the line name,x,y and a line for each, in metres. \
            Carry the device to each, press Enter, and stand still: the error there is told, and the median so far. A summary \
            ends it; --output keeps every spot. The daemon runs meanwhile. Exit 69 when it does not answer.
            """
    )

    @Argument(help: ArgumentHelp("The spots, CSV: name,x,y; - reads standard input.", valueName: "spots.csv"))
    var spots: String

    @Option(help: ArgumentHelp("How long each spot is measured, seconds: 1 to 600.", valueName: "n"))
    var seconds = 10.0

    @Option(help: ArgumentHelp("A CSV file to write; it must not exist yet.", valueName: "file"))
    var output: String?

    @Flag(help: "Print the summary as JSON.")
    var json = false

    @OptionGroup var broker: BrokerOptions

    func validate() throws {
        guard (1...600).contains(seconds) else {
            throw ValidationError("--seconds must be 1 to 600 (is \(seconds))")
        }
        guard spots != "-" else {
            throw ValidationError("the spots must be a file: standard input is for your keys")
        }
    }

    /// A position as the daemon told it.
    struct Told: Sendable {
        let position: Point3D
        let accuracy: Double?
        let isLost: Bool
    }

    func run() async throws {
        let spots = try read()
        if let output, access(output, F_OK) == 0 {
            throw exit("\(output) cannot be made: \(String(cString: strerror(EEXIST)))", .cannotCreate)
        }
        let daemon = try await broker.runningDaemon(for: "survey", timeout: .seconds(10))
        StandardError.print("trilateral survey: the daemon is online at \(daemon.root)")
        let survey: PositionSurvey
        do {
            survey = try await GuidedSurvey<Told>.run("trilateral survey") { take in
                await Self.listen(daemon, take)
            } _: { stops in
                try await walk(to: spots, &stops)
            }
        } catch let ended as GuidedSurvey<Told>.SourceEnded {
            throw exit(ended.reason, .unavailable)
        }
        guard !survey.findings.isEmpty else { throw exit("nothing was measured", .dataError) }
        if let output {
            let file = try create(output)
            defer { close(file) }
            Terminal(descriptor: file).write(Self.csv(survey))
        }
        print(json ? Self.json(survey).text : summary(survey))
    }

    /// Tells each new position; why it ended, when it was not cancelled.
    private static func listen(
        _ daemon: (link: MQTTConfiguration, root: String),
        _ take: @escaping @Sendable (Told) -> Void
    ) async -> String? {
        let (position, status) = ("\(daemon.root)/device/position", "\(daemon.root)/status")
        return await BrokerSession(daemon.link).run(filters: [position, status], timeout: nil) { visit in
            for await event in visit.events {
                switch event {
                case .link(.disconnected(let error)) where error.isFinal: return "\(error)"
                case .link(.disconnected(let error)): StandardError.print("trilateral survey: \(error)")
                case .message(let message) where message.topic == status:
                    if message.payload == Array("offline".utf8) {
                        StandardError.print("trilateral survey: the daemon at \(daemon.root) is offline")
                    }
                // What is retained was so before.
                case .message(let message) where !message.isRetained:
                    guard let json = try? JSONValue(parsing: message.payload), let told = Told(json) else {
                        continue
                    }
                    take(told)
                case .message, .link, .woken, .deadline, .signal: break
                }
            }
            return nil
        }
    }

    private func walk(
        to spots: [PositionSurvey.Spot],
        _ stops: inout GuidedSurvey<Told>
    ) async throws -> PositionSurvey {
        var survey = PositionSurvey()
        try await stops.walk(through: spots.count) { index in
            let place = spots[index].position
            return "go to \(spots[index].name) (\(Self.metres(place.x)), \(Self.metres(place.y)))"
        } visit: { stops, index in
            let spot = spots[index]
            var told: [Told] = []
            guard try await stops.gather(spot.name, for: seconds, { told.append($0) }) else { return .end }
            let known = told.filter { !$0.isLost }.map { ($0.position, $0.accuracy) }
            if let finding = survey.record(known, at: spot) {
                let accuracy = finding.accuracy.map { ", told ±\(Self.metres($0)) m" } ?? ""
                StandardError.print(
                    "\(spot.name): \(Self.metres(finding.error)) m off\(accuracy); median so far "
                        + "\(Self.metres(survey.error(share: 0.5))) m of \(survey.findings.count)"
                )
            } else {
                StandardError.print(
                    told.isEmpty
                        ? "\(spot.name): no position was told; does the device hear beacons?"
                        : "\(spot.name): the position is lost; no beacon is heard"
                )
            }
            return .next
        }
        return survey
    }

    // MARK: What came of it

    private func summary(_ survey: PositionSurvey) -> String {
        let within = survey.withinAccuracy.map {
            "; \(Int(($0 * 100).rounded())) % within the accuracy told (67 % are meant to be)"
        }
        return """
            \(survey.findings.count) spots: median \(Self.metres(survey.error(share: 0.5))) m, 75 % \
            \(Self.metres(survey.error(share: 0.75))) m, 95 % \(Self.metres(survey.error(share: 0.95))) m\(within ?? "")
            """
    }

    private static func json(_ survey: PositionSurvey) -> JSONValue {
        let spots = survey.findings.map { finding -> JSONValue in
            var members: [String: JSONValue] = [
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

    // MARK: Files

    private func read() throws -> [PositionSurvey.Spot] {
        switch FileContents.read(spots, upTo: 1024 * 1024) {
        case .failure(let fault): throw exit("\(spots) \(fault.message)", .noInput)
        case .success(let contents):
            do throws(CSVError) {
                return try PositionSurvey.spots(contents.bytes)
            } catch {
                throw exit("\(spots):\(error.line.map { "\($0):" } ?? "") \(error.message)", .dataError)
            }
        }
    }

    private func create(_ path: String) throws -> Int32 {
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard file >= 0 else {
            throw exit("\(path) cannot be made: \(String(cString: strerror(errno)))", .cannotCreate)
        }
        return file
    }

    private func exit(_ text: String, _ code: ExitCode) -> ExitCode {
        StandardError.print("trilateral survey: \(text)")
        return code
    }
}

extension SurveyCommand.Told {
    /// Reads `device/position`; `nil` for anything else.
    fileprivate init?(_ json: JSONValue) {
        guard let x = json["x"]?.number, let y = json["y"]?.number else { return nil }
        position = Point3D(x: x, y: y)
        accuracy = json["accuracy_m"]?.number
        isLost = json["quality"]?.string == "lost"
    }
}
