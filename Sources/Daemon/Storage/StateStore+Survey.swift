import Flare
import GRDB
package import Positioning

/// A point of a survey as it is stored.
package struct StoredSurveyPoint: Sendable, Hashable {
    package let id: Int64
    package let point: SurveyPoint
}

/// Surveys: what was heard at known points of the environments.
///
/// Of each beacon it is stored where it was and how strong, so that its levels go when that changes, also while the
/// daemon does not run.
extension StateStore {
    /// The points of an environment, in the order in which they were taken.
    package func surveyPoints(of map: BeaconMap) throws(StateStoreError) -> [StoredSurveyPoint] {
        try read { database in
            let environment = "\(map.environment)"
            var levels: [Int64: [FlareID: SurveyPoint.Level]] = [:]
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT survey_level.* FROM survey_level JOIN survey_point ON point = id WHERE environment = ?
                    """,
                arguments: [environment]
            )
            for row in rows {
                guard let thing = FlareID(row["thing"]) else { continue }
                levels[row["point"], default: [:]][thing] = SurveyPoint.Level(
                    decibels: row["level_db"],
                    packets: row["packets"],
                    spread: row["spread_db"]
                )
            }
            return try Row.fetchAll(
                database,
                sql: "SELECT * FROM survey_point WHERE environment = ? ORDER BY id",
                arguments: [environment]
            ).map { row in
                StoredSurveyPoint(
                    id: row["id"],
                    point: SurveyPoint(
                        name: row["name"],
                        environment: map.environment,
                        floor: row["floor"],
                        position: Point3D(x: row["x"], y: row["y"], z: row["z"]),
                        receiver: row["receiver"],
                        seconds: row["seconds"],
                        takenAt: row["taken_at"],
                        levels: levels[row["id"]] ?? [:]
                    )
                )
            }
        }
    }

    /// Stores points; each replaces that of its receiver with the same name.
    ///
    /// - Parameter map: The place in which they were taken.
    package func save(_ points: [SurveyPoint], of map: BeaconMap) throws(StateStoreError) {
        let beacons = Dictionary(map.beacons.map { ($0.thing, $0) }) { first, _ in first }
        try write { database in
            for point in points { try Self.save(point, beacons, database) }
        }
    }

    private static func save(
        _ point: SurveyPoint,
        _ beacons: [FlareID: BeaconMap.Beacon],
        _ database: Database
    ) throws {
        let environment = "\(point.environment)"
        let (name, receiver) = (point.name, point.receiver ?? "")
        let former = try Int64.fetchAll(
            database,
            sql: "SELECT id FROM survey_point WHERE environment = ? AND receiver = ? AND name = ?",
            arguments: [environment, receiver, name]
        )
        for id in former { try remove(surveyPoint: id, database) }
        try database.execute(
            sql: """
                INSERT INTO survey_point (environment, floor, name, x, y, z, receiver, taken_at, seconds)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                environment, point.floor, name, point.position.x, point.position.y, point.position.z,
                receiver,
                point.takenAt ?? 0, point.seconds,
            ]
        )
        let id = database.lastInsertedRowID
        for (thing, level) in point.levels {
            guard let beacon = beacons[thing] else { continue }
            try database.execute(
                sql:
                    "INSERT INTO survey_level (point, thing, level_db, packets, spread_db) VALUES (?, ?, ?, ?, ?)",
                arguments: [id, "\(thing)", level.decibels, level.packets, level.spread]
            )
            let place = beacon.position
            try database.execute(
                sql: """
                    INSERT OR REPLACE INTO survey_beacon (environment, thing, x, y, z, power_dbm, floor)
                    VALUES (?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    environment, "\(thing)", place.x, place.y, place.z, beacon.powerAtOneMetre, beacon.floor,
                ]
            )
        }
    }

    /// Removes the levels of beacons that are at another place, or of another power, than when they were measured.
    ///
    /// Those of a beacon that is not there stay: a place that is being loaded has not all of them yet.
    /// - Returns: The names of the beacons.
    package func removeChangedSurveyLevels(in map: BeaconMap) throws(StateStoreError) -> [String] {
        try write { database in
            let environment = "\(map.environment)"
            let rows = try Row.fetchAll(
                database,
                sql: "SELECT * FROM survey_beacon WHERE environment = ?",
                arguments: [environment]
            )
            let former = Dictionary(rows.map { ($0["thing"] as String, $0) }) { first, _ in first }
            var changed: [String] = []
            for beacon in map.beacons {
                guard let row = former["\(beacon.thing)"] else { continue }
                let place = Point3D(x: row["x"], y: row["y"], z: row["z"])
                let power: Double? = row["power_dbm"]
                let floor: Int = row["floor"]
                guard place != beacon.position || power != beacon.powerAtOneMetre || floor != beacon.floor
                else { continue }
                changed.append(beacon.name)
                try database.execute(
                    sql: """
                        DELETE FROM survey_level WHERE thing = ?
                        AND point IN (SELECT id FROM survey_point WHERE environment = ?)
                        """,
                    arguments: ["\(beacon.thing)", environment]
                )
                try database.execute(
                    sql: "DELETE FROM survey_beacon WHERE environment = ? AND thing = ?",
                    arguments: [environment, "\(beacon.thing)"]
                )
            }
            return changed
        }
    }

    /// Removes points.
    package func remove(surveyPoints ids: [Int64]) throws(StateStoreError) {
        try write { database in
            for id in ids { try Self.remove(surveyPoint: id, database) }
        }
    }

    private static func remove(surveyPoint id: Int64, _ database: Database) throws {
        try database.execute(sql: "DELETE FROM survey_level WHERE point = ?", arguments: [id])
        try database.execute(sql: "DELETE FROM survey_point WHERE id = ?", arguments: [id])
    }
}
