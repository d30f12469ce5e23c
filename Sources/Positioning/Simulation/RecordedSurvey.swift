import Flare

/// A survey from a CSV file: `point,x,y,beacon_id,level_db,packets`, a row for each beacon heard at a point.
package struct RecordedSurvey: Sendable {
    package private(set) var points: [SurveyPoint] = []
    /// Levels of beacons that are not in the list: their number, and the first.
    package private(set) var unknown: (count: Int, first: (line: Int, id: String)?) = (0, nil)

    private static let mostRows = 200_000
    private static let columns = ["point", "x", "y", "beacon_id", "level_db", "packets"]
    /// The first line of a file.
    package static let header = columns.joined(separator: ",")

    /// - Parameter beacons: The beacons of the place, named by their id.
    package init(beacons: [BeaconMap.Beacon], csv: [UInt8]) throws(CSVError) {
        let thingOfID = Dictionary(beacons.map { ($0.name, $0.thing) }) { first, _ in first }
        var (points, unknown) = (points, unknown)
        var numberOfPoint: [String: (index: Int, line: Int)] = [:]
        try CSVRow.read(csv, columns: Self.columns, atMost: Self.mostRows) { row throws(CSVError) in
            let name = try row.name(0)
            let range = -Point3D.farthest...Point3D.farthest
            let place = Point3D(x: try row.number(1, in: range), y: try row.number(2, in: range))
            let id = try row.name(3)
            let level = SurveyPoint.Level(
                decibels: try row.number(4, in: SurveyPoint.plausibleLevels),
                packets: try row.number(5, in: 0...1e9)
            )
            let (index, line) = numberOfPoint[name] ?? (points.count, row.line)
            if index == points.count {
                numberOfPoint[name] = (index, line)
                points.append(
                    SurveyPoint(
                        name: name,
                        environment: FlareID(high: 0, low: 0),
                        position: place,
                        levels: [:]
                    )
                )
            }
            guard points[index].position == place else {
                throw CSVError(line: row.line, "\(name) has other coordinates than in line \(line)")
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
}
