import ArgumentParser
import Flare
import Foundation
import OperatingSystem
import Rules
import Settings
import Text
import Things

/// `trilateral rule simulate`: when rules would fire.
struct RuleSimulateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Print when rules would fire, as CSV.",
        discussion: """
            Runs the rules on a clock of its own, without a daemon, and does nothing else. The columns are time (local, \
            with its offset), rule (its short name) and why. A time is a date, a local time, a time with an offset, or \
            milliseconds since 1970: 2026-03-29, 2026-03-29T08:00:00, 2026-03-29T08:00:00+02:00. Problems of the files are \
            printed as FILE:LINE:COLUMN: error|warning: CODE: MESSAGE on standard error. Exits with 65 if a file has errors, \
            and with 66 if one cannot be read.
            """
    )

    @Argument(
        help: ArgumentHelp("The files with rules, JSON; - reads standard input.", valueName: "file"),
        completion: .file()
    )
    var files: [String]

    @Option(help: ArgumentHelp("The first moment; what is due then fires.", valueName: "time"))
    var from: String

    @Option(help: ArgumentHelp("The end: nothing fires then any more.", valueName: "time"))
    var until: String

    @Option(
        help: ArgumentHelp(
            "The time zone, such as Europe/Berlin; without it that of the place, or else that of this machine.",
            valueName: "name"
        )
    )
    var zone: String?

    // Negative numbers are values, not options.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Where the sun rises and sets, in degrees; without it the geofence of the place.",
            valueName: "lat,lon"
        )
    )
    var position: String?

    @Option(file: "A model with the things and zones that there are; without it each name is one.")
    var place: String?

    @Option(
        file:
            "What happens meanwhile: CSV with the header time,kind,subject,value. What is before --from has happened already."
    )
    var events: String?

    @Option(help: ArgumentHelp("The thing that is meant where a rule names none.", valueName: "name"))
    var thing: String?

    /// The most bytes of a file of events.
    private static let mostBytes = 128 * 1024 * 1024

    func validate() throws {
        let inputs = files + [place, events].compactMap { $0 }
        if inputs.count(where: { $0 == "-" }) > 1 {
            throw ValidationError("- can be given once, as standard input can be read once")
        }
        if let position, GeoPoint(argument: position) == nil {
            throw ValidationError(
                "--position must be a latitude from -90 to 90 and a longitude from -180 to 180, such as 52.5,13.4 "
                    + "(is \(QuotedValue.of(position)))"
            )
        }
        try RuleFiles.check(thing: thing)
    }

    func run() throws {
        let zones = SimulationZones(TimeZoneDatabase(ProcessInfo.processInfo.environment))
        // Wrong options are found before any file is read, if no file has the zone.
        let givenZone = try zone.map { name throws(VerbError) in try zones.zone(named: name, from: "--zone") }
        let place = try self.place.map { path in try PlaceOfSimulation(path: path) }
        let usual = try givenZone ?? zones.usualZone(of: place, from: self.place ?? "")
        let times = try times(in: usual)
        let rules = try RuleFiles(paths: files, thing: thing).read()
        let point = position.flatMap { GeoPoint(argument: $0) } ?? place?.centre
        let calendar = RuleCalendar(usual, named: try zones.zones(of: rules), place: point)
        let objects = place?.objects ?? SimulatedPlace()
        try Self.check(rules, in: calendar, objects)
        let events = try readEvents(in: usual, objects)
        let simulation = try Self.simulation(of: rules, in: calendar, objects)
        var writer = SimulationWriter(simulation, times, in: usual)
        try writer.run(events)
    }

    // MARK: Times

    /// Milliseconds since 1970 UTC; zones are known up to a year, and the first day begins before 1970 UTC in the east.
    private static let legalTimes: Range<Int64> =
        -86_400_000..<Int64(CivilTime.day(ZoneTable.lastYear + 1, 1, 1)) * 86_400_000

    private func times(in zone: ZoneTable) throws(VerbError) -> Range<Int64> {
        let from = try Self.time(from, "--from", in: zone)
        let until = try Self.time(until, "--until", in: zone)
        guard from < until else {
            throw VerbError("--until must be after --from", .usage)
        }
        return from..<until
    }

    private static func time(
        _ text: String,
        _ option: String,
        in zone: ZoneTable
    ) throws(VerbError) -> Int64 {
        let isNumber = text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        let time = isNumber ? Int64(text) : SimulatedEvent.instant(text, in: zone)
        guard let time, legalTimes.contains(time) else {
            throw VerbError(
                "\(option) must be a time from 1970 to \(ZoneTable.lastYear), such as 2026-03-29, 2026-03-29T08:00:00 or "
                    + "2026-03-29T08:00:00+02:00, or milliseconds since 1970 (is \(QuotedValue.of(text)))",
                .usage
            )
        }
        return time
    }

    /// - Throws: ``VerbError`` if it cannot be read; the exit code 65 if it has an error, which goes to standard error.
    private func readEvents(in zone: ZoneTable, _ place: SimulatedPlace) throws -> [SimulatedEvent] {
        guard let path = events else { return [] }
        switch FileContents.readInput(path, upTo: Self.mostBytes).flatMap(\.text) {
        case .failure(let error): throw VerbError("\(path) \(error.message)", ExitCode(error))
        case .success(let text):
            do throws(Refusal) {
                let events = try SimulatedEvent.read(text, in: zone)
                // Before any row is printed.
                try SimulatedEvent.check(events, in: place)
                return events
            } catch {
                let line = error.field.flatMap { Int($0.trimmingPrefix("line ")) } ?? 1
                let problem = RuleProblem(
                    file: path,
                    position: FilePosition(line: line, column: 1),
                    severity: .error,
                    code: error.code.rawValue,
                    message: error.message
                )
                StandardError.print("\(problem)")
                throw ExitCode.dataError
            }
        }
    }

    // MARK: Rules

    /// Checks what a rule needs of the place; problems go to standard error.
    ///
    /// - Throws: The exit code 65 if there is one.
    private static func check(
        _ rules: [RuleOfFile],
        in calendar: RuleCalendar,
        _ place: SimulatedPlace
    ) throws {
        var problems: [RuleProblem] = []
        for rule in rules {
            if rule.rule.needsSun, calendar.place == nil {
                let text = "sunrise and sunset need a position; give --position, or a --place with a geofence"
                problems.append(rule.problem(.invalidValue, text))
            }
            do throws(Refusal) {
                _ = try RuleSimulation([(slug: rule.slug, rule: rule.rule)], in: calendar, place: place)
            } catch {
                problems.append(rule.problem(error.code, error.message))
            }
        }
        guard problems.isEmpty else {
            for problem in problems { StandardError.print("\(problem)") }
            throw ExitCode.dataError
        }
    }

    private static func simulation(
        of rules: [RuleOfFile],
        in calendar: RuleCalendar,
        _ place: SimulatedPlace
    ) throws(VerbError) -> RuleSimulation {
        do throws(Refusal) {
            let named = rules.map { (slug: $0.slug, rule: $0.rule) }
            return try RuleSimulation(named, in: calendar, place: place)
        } catch {
            throw VerbError(error.message, .dataError)
        }
    }
}

extension Rule {
    /// Whether it has a schedule that follows the sun.
    fileprivate var needsSun: Bool {
        let starts = triggers.contains { $0.schedule?.needsPlace ?? false }
        return starts
            || conditions.contains { condition in
                if case .during(let schedule) = condition { schedule.needsPlace } else { false }
            }
    }
}

extension GeoPoint {
    /// A place as two numbers with a comma: `LAT,LON`.
    ///
    /// - Returns: `nil` unless both are numbers of degrees.
    fileprivate init?(argument: String) {
        let numbers = argument.split(separator: ",", omittingEmptySubsequences: false).map {
            Double($0.trimmingPrefix { $0 == " " })
        }
        guard numbers.count == 2, let latitude = numbers[0], let longitude = numbers[1] else { return nil }
        self.init(latitude: latitude, longitude: longitude)
        guard isValid else { return nil }
    }
}
