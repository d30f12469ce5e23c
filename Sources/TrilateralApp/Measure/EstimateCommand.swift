import ArgumentParser
import Flare
import OperatingSystem
import Positioning
import Settings

/// `trilateral estimate`: positions from recorded packets.
struct EstimateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "estimate",
        abstract: "Estimate positions from recorded packets.",
        discussion: """
            BEACONS.csv has the beacons: id,x,y,z,tx_power (metres; dBm at one metre). SCANS.csv has what was heard, \
            one row for each packet: time_s,beacon_id,rssi_dbm. Both begin with that header line. The output is CSV, one \
            row for each second of the recording: time_s,x,y,z,accuracy_m,quality (good, fair, coarse or lost).

            SURVEY.csv has what was heard at known points: point,x,y,beacon_id,level_db,packets. level_db is the mean \
            level less the beacon's tx_power. Three points or more make positions better.
            """
    )

    @Argument(file: "Where the beacons are, CSV; - reads standard input.", name: "beacons.csv")
    var beacons: String

    @Argument(file: "What was heard, CSV; - reads standard input.", name: "scans.csv")
    var scans: String

    // Negative numbers are values, not options.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The height of the device in the beacons' coordinates, metres.", valueName: "z")
    )
    var deviceZ: Double

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Where the device may be, metres; the beacons' box and 1.5 m around it when left out.",
            valueName: "x0,y0,x1,y1"
        )
    )
    var bounds: EstimateBounds?

    @Option(help: "How positions are estimated.")
    var estimator = TrilateralConfiguration().positioning.estimator

    @Option(file: "What was heard at known points, CSV; - reads standard input.")
    var survey: String?

    @Option(
        help: ArgumentHelp(
            "How many points of the survey are used, chosen to cover the place; all when left out.",
            valueName: "number"
        )
    )
    var points: Int?

    func validate() throws {
        if let points {
            guard survey != nil else { throw ValidationError("--points needs --survey") }
            guard points >= 0 else { throw ValidationError("--points must be 0 or more (is \(points))") }
        }
        guard survey == nil || estimator == .grid else {
            throw ValidationError("--survey needs --estimator grid")
        }
        guard abs(deviceZ) <= Point3D.farthest else {
            throw ValidationError("--device-z must be a number from -100000000 to 100000000 (is \(deviceZ))")
        }
    }

    func run() throws {
        let places = try CSVInput.read(beacons, RecordedWalk.beacons)
        if let box = bounds?.box, !places.contains(where: { box.contains($0.position.inPlane) }) {
            throw VerbError("none of the beacons in \(beacons) is within --bounds", .usage)
        }
        let walk = try CSVInput.read(scans) { bytes throws(CSVError) in
            try RecordedWalk(beacons: places, scans: bytes)
        }
        if let first = walk.unknown.first {
            let count = walk.unknown.count
            StandardError.report(
                "\(scans):\(first.line): \(first.id) is not in \(beacons); "
                    + (count == 1 ? "1 packet" : "\(count) packets") + " of such beacons ignored"
            )
        }
        let map = walk.map(perimeter: bounds?.box)
        let estimates = walk.estimates(try made(for: map))
        try StandardOutput.write(Self.text(estimates))
        if estimates.isEmpty { StandardError.report("no position: \(Self.reason(walk))") }
    }

    /// Why there is no estimate.
    private static func reason(_ walk: RecordedWalk) -> String {
        guard let times = walk.times else { return "there are no packets" }
        guard times.upperBound < times.lowerBound.rounded(.up) + 1 else {
            return "the packets of the known beacons are too few, or too weak"
        }
        return
            "the packets are from \(whole(times.lowerBound)) to \(whole(times.upperBound)) s, and positions are "
            + "estimated at whole seconds, the first at \(whole(times.lowerBound.rounded(.up) + 1)) s"
    }

    private func made(for map: BeaconMap) throws -> any PositionEstimator {
        switch estimator {
        case .grid:
            var settings = GridEstimator.Settings()
            settings.deviceZ = deviceZ
            var estimator = GridEstimator(map: map, settings: settings)
            estimator.radioMaps.device = try radioMap(for: map, settings)
            return estimator
        case .centroid:
            return CentroidEstimator(map: map)
        }
    }

    /// What the survey found out; one that cannot be used is reported, and positions are those without it.
    private func radioMap(for map: BeaconMap, _ settings: GridEstimator.Settings) throws -> RadioMap? {
        guard let survey else { return nil }
        let recorded = try CSVInput.read(survey) { bytes throws(CSVError) in
            try RecordedSurvey(beacons: map.beacons, csv: bytes)
        }
        if let first = recorded.unknown.first {
            let count = recorded.unknown.count
            StandardError.report(
                "\(survey):\(first.line): \(first.id) is not in \(beacons); "
                    + (count == 1 ? "1 level" : "\(count) levels") + " of such beacons ignored"
            )
        }
        let used = points.map { recorded.points.covering($0) } ?? recorded.points
        guard !used.isEmpty || points != 0 else { return nil }
        do throws(SurveyError) {
            let radio = try RadioMap(survey: used, map: map, settings: settings)
            for finding in SurveyCheck(survey: used, map: map, settings: settings).findings
            where finding.isDoubtful {
                StandardError.report(
                    "\(survey): \(finding.point) does not fit the other points: measure it again"
                )
            }
            return radio
        } catch {
            StandardError.report("\(survey): \(error); positions are estimated without it")
            return nil
        }
    }

    private static func text(_ estimates: [PositionEstimate]) -> String {
        var text = "time_s,x,y,z,accuracy_m,quality\n"
        for estimate in estimates {
            let position = estimate.position
            let numbers = [position.x, position.y, position.z, estimate.accuracyMetres].map {
                WatchText.decimal($0, 2)
            }
            text +=
                ([whole(estimate.time)] + numbers + [estimate.quality.rawValue]).joined(separator: ",") + "\n"
        }
        return text
    }

    private static func whole(_ seconds: Double) -> String {
        Int(exactly: seconds).map(String.init) ?? String(seconds)
    }
}

/// A CSV file that a verb reads.
enum CSVInput {
    private static let mostBytes = 128 * 1024 * 1024

    /// - Parameters:
    ///   - path: `-` for standard input.
    ///   - limit: Bytes.
    /// - Throws: ``VerbError``, with the line of a mistake.
    static func read<Content>(
        _ path: String,
        upTo limit: Int = mostBytes,
        _ parse: ([UInt8]) throws(CSVError) -> Content
    ) throws -> Content {
        switch FileContents.readInput(path, upTo: limit) {
        case .failure(let fault):
            throw VerbError("\(path) \(fault.message)", ExitCode(fault))
        case .success(let contents):
            do throws(CSVError) {
                return try parse(contents.bytes)
            } catch {
                let place = error.line.map { "\(path):\($0): " } ?? "\(path): "
                throw VerbError("\(place)\(error.message)", .dataError)
            }
        }
    }
}

/// A rectangle as four numbers with commas: X0,Y0,X1,Y1.
struct EstimateBounds: ExpressibleByArgument {
    let box: Box

    init?(argument: String) {
        let numbers = argument.split(separator: ",", omittingEmptySubsequences: false).map {
            Double($0.trimmingPrefix { $0 == " " })
        }
        guard numbers.count == 4, let x0 = numbers[0], let y0 = numbers[1], let x1 = numbers[2],
            let y1 = numbers[3], [x0, y0, x1, y1].allSatisfy({ abs($0) <= Point3D.farthest }), x0 < x1,
            y0 < y1
        else { return nil }
        box = Box(origin: Point3D(x: x0, y: y0), width: x1 - x0, height: y1 - y0)
    }
}

extension Point3D {
    /// The same place on the floor.
    fileprivate var inPlane: Point3D { Point3D(x: x, y: y) }
}

extension TrilateralConfiguration.Positioning.Estimator: ExpressibleByArgument {}
