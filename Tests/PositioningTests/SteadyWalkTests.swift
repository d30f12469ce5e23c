import Flare
import Foundation
import Positioning
import Testing

/// Compares how often zone and proximity change on recorded walks with how often they truly do.
/// - Source: contrib/contract/positioning.md, "7. Zones and the nearest thing".
@Suite(.enabled(if: RecordedSets.areExpected)) struct SteadyWalkTests {
    /// How a group's place is divided into rooms.
    struct Case: Sendable, CustomStringConvertible {
        let group: String
        let columns: Int
        let rows: Int

        var description: String { group }
    }

    private static let cases = [
        Case(group: "tetam tracks", columns: 3, rows: 3),
        Case(group: "flat robot", columns: 2, rows: 2),
        Case(group: "geo power 1", columns: 2, rows: 2),
        Case(group: "lib phone 1", columns: 2, rows: 2),
        Case(group: "lib phone 3", columns: 2, rows: 2),
    ]

    /// Rooms of equal size that fill a box, and things at the places of beacons, seen from above.
    private struct Place {
        let rooms: [Box]
        let things: [Point3D]
        let limit = 2.0

        init(_ bounds: Box, columns: Int, rows: Int, things: [Point3D]) {
            let (width, height) = (bounds.width / Double(columns), bounds.height / Double(rows))
            rooms = (0..<(columns * rows)).map { index in
                let (column, row) = (Double(index % columns), Double(index / columns))
                let origin = Point3D(x: bounds.origin.x + column * width, y: bounds.origin.y + row * height)
                return Box(origin: origin, width: width, height: height)
            }
            self.things = things.map { Point3D(x: $0.x, y: $0.y) }
        }

        static func id(_ index: Int) -> FlareID { FlareID(high: 1, low: UInt32(index)) }

        func room(at point: Point3D) -> Int? { rooms.firstIndex { $0.contains(point) } }

        private func distances(to point: Point3D) -> [(id: FlareID, distance: Double)] {
            things.indices.map { (Self.id($0), things[$0].distance(to: point)) }
        }

        func nearest(to point: Point3D) -> (id: FlareID, distance: Double)? {
            distances(to: point).filter { $0.distance <= limit }.min { $0.distance < $1.distance }
        }

        func surroundings(
            of point: Point3D,
            _ presence: SteadyPresence,
            _ settings: SteadyPresence.Settings
        ) -> SteadyPresence.Surroundings {
            let around = presence.zone.flatMap { zone in rooms.indices.first { Self.id($0) == zone } }
            return .init(
                zone: room(at: point).map(Self.id),
                isAroundZone: around.map { rooms[$0].grown(by: settings.zoneMargin).contains(point) }
                    ?? false,
                nearest: nearest(to: point),
                thingDistance: distances(to: point).first { $0.id == presence.thing }?.distance,
                limit: limit
            )
        }
    }

    private struct Tally {
        var told = 0
        var real = 0
        var nearness = 0
        /// By the simple rule, from the true positions.
        var trueNearness = 0
        var seconds = 0
        var right = 0
        /// Delay between truly entering a room and reporting it, seconds.
        var delays: [Double] = []
    }

    private static func tally(_ test: Case) throws -> Tally {
        let sets = try #require(RecordedSets.found, "TRILATERAL_POSITIONING_DATA names no recorded walks")
        let group = try #require(RecordedSets.groups.first { $0.name == test.group })
        let beacons = try sets.beacons(of: group)
        let place = Place(
            group.bounds ?? box(around: beacons),
            columns: test.columns,
            rows: test.rows,
            things: beacons
        )
        let settings = SteadyPresence.Settings()
        var tally = Tally()
        for walk in try sets.follow(
            group,
            nil,
            { map, group in
                var settings = GridEstimator.Settings()
                settings.deviceZ = group.deviceZ
                return GridEstimator(map: map, settings: settings)
            }
        ) {
            var presence = SteadyPresence()
            var room: Int?
            var thing: FlareID?
            var enteredAt: Double?
            for (estimate, truth) in walk {
                let before = presence
                let point = Point3D(x: estimate.position.x, y: estimate.position.y)
                presence.update(place.surroundings(of: point, presence, settings), settings: settings)
                if before.zone != nil, presence.zone != before.zone { tally.told += 1 }
                if presence.thing != before.thing { tally.nearness += 1 }
                let now = place.room(at: Point3D(x: truth.x, y: truth.y))
                if room != nil, now != room {
                    tally.real += 1
                    enteredAt = estimate.time
                }
                room = now
                let nearest = place.nearest(to: Point3D(x: truth.x, y: truth.y))?.id
                if nearest != thing { tally.trueNearness += 1 }
                thing = nearest
                tally.seconds += 1
                if let now, presence.zone == Place.id(now) {
                    tally.right += 1
                    if let entered = enteredAt { tally.delays.append(estimate.time - entered) }
                    enteredAt = nil
                }
            }
        }
        return tally
    }

    private static func box(around points: [Point3D]) -> Box {
        let (xs, ys) = (points.map(\.x), points.map(\.y))
        let (x, y) = ((xs.min() ?? 0) - 1.5, (ys.min() ?? 0) - 1.5)
        return Box(
            origin: Point3D(x: x, y: y),
            width: (xs.max() ?? 0) + 1.5 - x,
            height: (ys.max() ?? 0) + 1.5 - y
        )
    }

    @Test(arguments: cases)
    func `zone and nearest thing change hardly more often than in truth`(test: Case) throws {
        let tally = try Self.tally(test)
        let delay = tally.delays.sorted()
        let words =
            "\(test): told \(tally.told), true \(tally.real), near \(tally.nearness) of \(tally.trueNearness), "
            + "\(tally.seconds) s, right \(tally.right), delays \(delay)"
        #expect(tally.real > 2, "\(words)")
        #expect(Double(tally.told) <= 1.4 * Double(tally.real), "\(words)")
        #expect(Double(tally.nearness) <= 1.4 * Double(tally.trueNearness), "\(words)")
    }
}
