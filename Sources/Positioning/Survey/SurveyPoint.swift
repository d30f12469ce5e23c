package import Flare

/// What a receiver heard while a person stood at a known point of the place.
/// - Source: contrib/contract/positioning.md, "6.10 Survey".
package struct SurveyPoint: Sendable, Hashable {
    /// How one beacon was heard there.
    package struct Level: Sendable, Hashable {
        /// The mean, dB over the beacon's level at one metre.
        package let decibels: Double
        package let packets: Double
        /// The standard deviation of single packets, dB; `nil` when that is not known.
        package let spread: Double?

        package init(decibels: Double, packets: Double, spread: Double? = nil) {
            self.decibels = decibels
            self.packets = packets
            self.spread = spread
        }
    }

    package let name: String
    package let environment: FlareID
    /// Index into ``BeaconMap/floors``.
    package let floor: Int
    /// In the plane, metres.
    package let position: Point3D
    /// The receiver that heard it; `nil` when only one is meant.
    package let receiver: String?
    /// How long it was heard; `nil` when that is not known.
    package let seconds: Double?
    /// When it was taken, milliseconds since 1970 UTC; `nil` when that is not known.
    package let takenAt: Int64?
    /// By the beacon's thing.
    package var levels: [FlareID: Level]

    package init(
        name: String,
        environment: FlareID,
        floor: Int = 0,
        position: Point3D,
        receiver: String? = nil,
        seconds: Double? = nil,
        takenAt: Int64? = nil,
        levels: [FlareID: Level]
    ) {
        self.name = name
        self.environment = environment
        self.floor = floor
        self.position = position
        self.receiver = receiver
        self.seconds = seconds
        self.takenAt = takenAt
        self.levels = levels
    }

    /// Heard for less than this, a point makes positions worse.
    package static let leastSeconds = 12.0
    /// A survey of another receiver counts from so many points on.
    package static let leastFromOthers = 20
    /// The levels of a mean, dB over that at one metre.
    package static let plausibleLevels = -150.0...60.0

    /// Whether it was heard for long enough, at a plausible point.
    package var isUsable: Bool {
        position.isPlausible && seconds.map { $0 >= Self.leastSeconds } ?? true
    }
}

extension [SurveyPoint] {
    /// The points that count for a receiver: its own, or if it has too few, the most that another one made, when
    /// these are many.
    ///
    /// Receivers hear differently, so that few points of another one are worse than few of one's own.
    package func counting(for receiver: String?) -> [SurveyPoint] {
        let own = filter { $0.receiver == receiver }
        guard own.filter(\.isUsable).count < RadioMap.leastPoints else { return own }
        let others = Dictionary(grouping: filter { $0.receiver != receiver }, by: \.receiver)
        let most = others.sorted { ($0.key ?? "") < ($1.key ?? "") }.map(\.value)
            .max { $0.filter(\.isUsable).count < $1.filter(\.isUsable).count }
        guard let most, most.filter(\.isUsable).count >= SurveyPoint.leastFromOthers else { return own }
        return most
    }

    /// The points without the levels of beacons that are gone, or whose position or power has changed.
    package func dropping(changesFrom old: BeaconMap, to new: BeaconMap) -> [SurveyPoint] {
        let before = Dictionary(old.beacons.map { ($0.thing, $0) }) { first, _ in first }
        let now = Dictionary(new.beacons.map { ($0.thing, $0) }) { first, _ in first }
        let changed = Set(
            before.compactMap { thing, beacon in
                now[thing].map { $0.isHeardLike(beacon) } == true ? nil : thing
            }
        )
        return map { point in
            var point = point
            point.levels = point.levels.filter { !changed.contains($0.key) }
            return point
        }
    }

    /// Some points that cover the place: the one nearest to the middle, then always the one farthest from those
    /// chosen.
    package func covering(_ count: Int) -> [SurveyPoint] {
        guard count < self.count else { return self }
        guard count > 0 else { return [] }
        let middle = Point3D(
            x: reduce(0) { $0 + $1.position.x } / Double(self.count),
            y: reduce(0) { $0 + $1.position.y } / Double(self.count)
        )
        var squares = map { $0.position.squareInPlane(to: middle) }
        var chosen = squares.indices.min { squares[$0] < squares[$1] }
        squares = squares.map { _ in .infinity }
        var result: [SurveyPoint] = []
        while let point = chosen, result.count < count {
            result.append(self[point])
            for index in indices {
                squares[index] = Swift.min(
                    squares[index],
                    self[index].position.squareInPlane(to: self[point].position)
                )
            }
            chosen = nil
            for index in indices where squares[index] > chosen.map({ squares[$0] }) ?? -1 { chosen = index }
        }
        return result
    }
}

extension BeaconMap.Beacon {
    /// Whether levels of the one are levels of the other.
    package func isHeardLike(_ other: Self) -> Bool {
        position == other.position && powerAtOneMetre == other.powerAtOneMetre && floor == other.floor
    }
}

extension Point3D {
    /// The square of the distance as seen from above, m².
    package func squareInPlane(to other: Point3D) -> Double {
        (x - other.x) * (x - other.x) + (y - other.y) * (y - other.y)
    }
}
