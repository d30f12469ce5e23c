package import Flare

/// A survey from a CSV file: `point,x,y,beacon_id,level_db,packets`, a row for each beacon heard at a point.
///
/// The columns `z,seconds,taken_ms,spread_db` may follow, as the daemon writes them; their fields may be empty.
package struct RecordedSurvey: Sendable {
    package private(set) var points: [SurveyPoint] = []
    /// Levels of beacons that are not in the list: their number, and the first.
    package private(set) var unknown: (count: Int, first: (line: Int, id: String)?) = (0, nil)

    private static let mostRows = 200_000
    private static let columns = ["point", "x", "y", "beacon_id", "level_db", "packets"]
    private static let more = ["z", "seconds", "taken_ms", "spread_db"]
    /// The years 1970 to 9999.
    private static let times = 0...253_402_300_799_999.0
    /// The first line of a file, at least.
    package static let header = columns.joined(separator: ",")

    /// - Parameter beacons: The beacons of the place, named by their id.
    package init(beacons: [BeaconMap.Beacon], csv: [UInt8]) throws(CSVError) {
        let thingOfID = Dictionary(beacons.map { ($0.name, $0.thing) }) { first, _ in first }
        var (points, unknown) = (points, unknown)
        var numberOfPoint: [String: (index: Int, line: Int)] = [:]
        try CSVRow.read(csv, columns: Self.columns, more: Self.more, atMost: Self.mostRows) {
            row throws(CSVError) in
            let point = try Self.point(row)
            let id = try row.name(3)
            let level = SurveyPoint.Level(
                decibels: try row.number(4, in: SurveyPoint.plausibleLevels),
                packets: try row.number(5, in: 0...1e9),
                spread: try row.number(named: "spread_db", in: 0...1e9)
            )
            let name = point.name
            let (index, line) = numberOfPoint[name] ?? (points.count, row.line)
            if index == points.count {
                numberOfPoint[name] = (index, line)
                points.append(point)
            }
            guard points[index].position == point.position else {
                throw CSVError(line: row.line, "\(name) has other coordinates than in line \(line)")
            }
            guard points[index].seconds == point.seconds, points[index].takenAt == point.takenAt else {
                throw CSVError(line: row.line, "\(name) has another time or duration than in line \(line)")
            }
            guard let thing = thingOfID[id] else {
                unknown.count += 1
                unknown.first = unknown.first ?? (row.line, id)
                return
            }
            guard points[index].levels.updateValue(level, forKey: thing) == nil else {
                throw CSVError(line: row.line, "\(id) has a level at \(name) already")
            }
        }
        self.points = points
        self.unknown = unknown
    }

    /// The point of a row, without its levels.
    private static func point(_ row: CSVRow) throws(CSVError) -> SurveyPoint {
        let range = -Point3D.farthest...Point3D.farthest
        let taken = try row.number(named: "taken_ms", in: times)
        return SurveyPoint(
            name: try row.name(0),
            environment: FlareID(high: 0, low: 0),
            position: Point3D(
                x: try row.number(1, in: range),
                y: try row.number(2, in: range),
                z: try row.number(named: "z", in: range) ?? 0
            ),
            seconds: try row.number(named: "seconds", in: 0...1e9),
            takenAt: taken.map { Int64($0.rounded()) },
            levels: [:]
        )
    }

    /// The text of a file with all that is known of the points.
    ///
    /// - Parameter names: The ids of the beacons, by their things.
    package static func csv(_ points: [SurveyPoint], names: [FlareID: String]) -> String {
        var csv = (columns + more).joined(separator: ",") + "\n"
        for point in points {
            let place = point.position
            let about = [
                "\(place.z)", point.seconds.map { "\($0)" } ?? "", point.takenAt.map(String.init) ?? "",
            ].joined(separator: ",")
            for (thing, level) in point.levels.sorted(by: { $0.key < $1.key }) {
                let spread = level.spread.map { "\($0)" } ?? ""
                csv +=
                    "\(point.name),\(place.x),\(place.y),\(names[thing] ?? "\(thing)"),\(level.decibels),"
                    + "\(level.packets),\(about),\(spread)\n"
            }
        }
        return csv
    }
}
