import ArgumentParser
import JSON
import OperatingSystem
import People
import Positioning

struct SurveyListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Print the points of the survey of the daemon's place."
    )

    @OptionGroup var list: ListOption
    @OptionGroup var state: StateOption

    func run() async throws {
        let answer = try await SurveyDaemon(folder: try state.location().path).ask(.get)
        if list.json { return try StandardOutput.print(answer.text) }
        try list.write(
            answer["points"] ?? .array([]),
            ["name", "x", "y", "floor", "beacons", "receiver", "taken_at"],
            header: ["POINT", "X", "Y", "FLOOR", "BEACONS", "RECEIVER", "TAKEN"]
        )
        for receiver in answer["receivers"]?.array ?? [] {
            if let problem = receiver["problem"]?.string { StandardError.report(problem) }
        }
    }
}

struct SurveyShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Print a point: how strongly each beacon was heard there.",
        discussion: """
            A level is the mean, less the beacon's power at one metre. MISFIT says how badly the point fits the others: \
            up to 1.9 is right; measure again above 2.5.
            """
    )

    @Argument(help: "The point's name.")
    var point: String

    @OptionGroup var list: ListOption
    @OptionGroup var state: StateOption

    func run() async throws {
        let answer = try await SurveyDaemon(folder: try state.location().path).ask(.get, ["points", point])
        if list.json { return try StandardOutput.print(answer.text) }
        var record = answer.object ?? [:]
        record["levels"] = nil
        try list.write(
            record: .object(record),
            ["name", "x", "y", "floor", "receiver", "taken_at", "misfit"]
        )
        try list.write(
            answer["levels"] ?? .array([]),
            ["beacon", "level_db", "packets", "spread_db"],
            header: ["BEACON", "LEVEL", "PACKETS", "SPREAD"]
        )
    }
}

struct SurveyForgetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget",
        abstract: "Remove points of the survey.",
        discussion: """
            With --all the daemon estimates positions as it did before the survey. Of several points, those that are there \
            are removed even if others are not; the exit code is then 66.
            """
    )

    @Argument(help: "The points' names.")
    var points: [String] = []

    @Flag(help: "Remove all points of the place.")
    var all = false

    @Option(help: ArgumentHelp("With --all: only those of this receiver.", valueName: "receiver"))
    var receiver: String?

    @OptionGroup var state: StateOption

    func validate() throws {
        guard points.isEmpty == all else {
            throw ValidationError(all ? "name points, or give --all, not both" : "name points, or give --all")
        }
        guard receiver == nil || all else { throw ValidationError("--receiver needs --all") }
    }

    func run() async throws {
        let daemon = SurveyDaemon(folder: try state.location().path)
        var count = 0
        if all {
            let query = receiver.map { ["receiver": $0] } ?? [:]
            count = Self.count(try await daemon.ask(.delete, ["points"], query: query))
        }
        var failure: ExitCode?
        for point in points {
            do throws(VerbError) {
                count += Self.count(try await daemon.ask(.delete, ["points", point]))
            } catch {
                // A daemon that is gone, or cannot store, does not remove the others either.
                guard [.noInput, .dataError].contains(error.code) else { throw error }
                StandardError.report(error.message)
                failure = failure ?? error.code
            }
        }
        StandardError.tellPerson("Removed \(count == 1 ? "1 point" : "\(count) points").")
        if let failure { throw failure }
    }

    private static func count(_ answer: JSONValue) -> Int {
        answer["forgotten"]?.number.flatMap { Int(exactly: $0) } ?? 0
    }
}

struct SurveyExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write the points of a receiver as CSV.",
        discussion: """
            The file is as "estimate --survey" and "survey import" read it: \
            point,x,y,beacon_id,level_db,packets,z,seconds,taken_ms,spread_db. beacon_id is the name of the beacon's \
            thing, or its identifier where names are not unique. taken_ms is the time at which the point was taken, in \
            milliseconds since 1970.
            """
    )

    @Argument(file: "The file to write; - writes to standard output.")
    var file: String

    @Option(
        help: ArgumentHelp(
            "Whose points; those of the one with most of them when left out.",
            valueName: "receiver"
        )
    )
    var receiver: String?

    @Option(help: ArgumentHelp("The floor, from 0; needed if the points are on several.", valueName: "n"))
    var floor: Int?

    @Flag(help: "Replace the file if it is there.")
    var force = false

    @OptionGroup var state: StateOption

    func run() async throws {
        var query: [String: String] = [:]
        query["receiver"] = receiver
        query["floor"] = floor.map(String.init)
        let answer = try await SurveyDaemon(folder: try state.location().path)
            .ask(.get, ["export"], query: query)
        let csv = answer["csv"]?.string ?? ""
        guard file != "-" else { return try StandardOutput.write(csv) }
        try OutputFile(file, replaces: force, by: "--force").write(csv)
        StandardError.tellPerson("Wrote \(answer["points"]?.text ?? "0") points to \(file).")
    }
}

struct SurveyImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Store points of a CSV file.",
        discussion: """
            The file is as "survey export" writes it. It needs the columns point,x,y,beacon_id,level_db,packets; \
            z,seconds,taken_ms,spread_db may follow, and may be empty. Points without a time are taken now. Points of the \
            same names and receiver are replaced. Nothing is stored if one point is wrong.
            """
    )

    @Argument(file: "The file; - reads standard input.")
    var file: String

    @Option(
        help: ArgumentHelp(
            "Which receiver heard them; the one that hears now when left out.",
            valueName: "receiver"
        )
    )
    var receiver: String?

    @Option(help: ArgumentHelp("The floor on which they are, from 0.", valueName: "n"))
    var floor = 0

    /// As JSON it is longer, and the daemon takes 16 MiB.
    private static let mostBytes = 12 << 20

    @OptionGroup var state: StateOption

    /// What is wrong with a file, with its name: the daemon knows only the line.
    private static func located(_ message: String, in file: String) -> String {
        let words = message.split(separator: " ", maxSplits: 2)
        guard file != "-", words.count == 3, words[0] == "line", let number = Int(words[1].dropLast()),
            words[1].hasSuffix(":")
        else { return message }
        return "\(file):\(number): \(words[2])"
    }

    func run() async throws {
        let csv = try CSVInput.read(file, upTo: Self.mostBytes) { bytes throws(CSVError) in
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw CSVError(line: nil, "must be UTF-8 text")
            }
            return text
        }
        var body: JSONObject = ["csv": .string(csv), "floor": JSONValue(floor)]
        body["receiver"] = receiver.map { .string($0) }
        let daemon = SurveyDaemon(folder: try state.location().path)
        let answer: JSONValue
        do throws(VerbError) {
            answer = try await daemon.ask(.post, ["import"], body: body)
        } catch {
            throw VerbError(Self.located(error.message, in: file), error.code)
        }
        if let ignored = answer["ignored"]?.number, ignored > 0 {
            StandardError.report(
                "\(ListOption.text(.number(ignored))) levels of unknown beacons were ignored"
            )
        }
        let doubtful = (answer["doubtful"]?.array ?? []).compactMap(\.string)
        if !doubtful.isEmpty {
            StandardError.report("these points do not fit the others: \(doubtful.joined(separator: ", "))")
        }
        StandardError.tellPerson(
            "Stored \(answer["points"]?.text ?? "0") points: \(answer["message"]?.string ?? "")."
        )
    }
}
