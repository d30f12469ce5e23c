import Flare
import Foundation
import Positioning

/// Recorded walks with known positions, if present on this machine; they are not part of the repository.
struct RecordedSets {
    private let folder: URL

    /// The folder that `TRILATERAL_POSITIONING_DATA` names, else the one beside the repository.
    static let found: RecordedSets? = {
        let named = ProcessInfo.processInfo.environment["TRILATERAL_POSITIONING_DATA"]
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let beside = root.deletingLastPathComponent().appending(path: "shared/positioning-data")
        let folder = named.map { URL(filePath: $0) } ?? beside
        let list = folder.appending(path: "tetam/beacons.csv").path(percentEncoded: false)
        return FileManager.default.fileExists(atPath: list) ? RecordedSets(folder: folder) : nil
    }()

    /// Whether tests that need them must run: always in CI, elsewhere only if they are present.
    static var areExpected: Bool { found != nil || ProcessInfo.processInfo.environment["CI"] == "true" }

    /// Walks of one kind, scored together.
    struct Group: Sendable, CustomStringConvertible {
        let name: String
        let folder: String
        /// Prefix of the walks' names, and the walks to leave out.
        let runs: [String]
        var besides: Set<String> = []
        let deviceZ: Double
        var bounds: Box?
        /// Whether to score only times after standing for 3 s.
        var isStanding = false
        /// Errors of the reference implementation, metres.
        let reference: Score.Figures

        var description: String { name }
    }

    static let groups: [Group] = [
        office(
            "tetam tracks",
            ["rectangular", "straight", "zigzagging"],
            .init(median: 2.42, of75: 3.24, of95: 4.51)
        ),
        office("tetam still", ["still"], .init(median: 2.60, of75: 3.65, of95: 4.83)),
        Group(
            name: "flat robot",
            folder: "flat",
            runs: ["robot"],
            deviceZ: 1.3,
            bounds: Box(origin: .zero, width: 9.1, height: 7.1),
            reference: .init(median: 1.07, of75: 1.72, of95: 2.70)
        ),
        phone("geo power 1", "geo_phone1_power1", "campaign1", .init(median: 1.59, of75: 2.26, of95: 3.46)),
        phone("geo power 3", "geo_phone1_power3", "campaign1", .init(median: 1.49, of75: 2.28, of95: 3.48)),
        phone("lib phone 1", "lib_phone1_power2", "campaign3", .init(median: 1.46, of75: 1.87, of95: 2.56)),
        phone("lib phone 3", "lib_phone3_power2", "campaign3", .init(median: 1.36, of75: 1.80, of95: 2.27)),
    ]

    private static func office(_ name: String, _ runs: [String], _ reference: Score.Figures) -> Group {
        Group(
            name: name,
            folder: "tetam",
            runs: runs,
            // According to the data set's notes these do not match their labels.
            besides: ["still_0.21_0.27", "still_20.45_16.89"],
            deviceZ: 1.85,
            bounds: Box(origin: Point3D(x: -0.2, y: -0.3), width: 21.1, height: 18.3),
            reference: reference
        )
    }

    private static func phone(
        _ name: String,
        _ set: String,
        _ run: String,
        _ reference: Score.Figures
    ) -> Group {
        Group(
            name: name,
            folder: "uji_\(set)",
            runs: [run],
            deviceZ: -1.4,
            isStanding: true,
            reference: reference
        )
    }

    /// Scores an estimator on the walks of a group.
    func score(
        _ group: Group,
        _ estimator: (BeaconMap, Group) -> any PositionEstimator
    ) throws -> Score {
        var score = Score()
        for walk in try follow(group, estimator) {
            for (estimate, truth) in walk {
                let position = estimate.position
                score.errors.append(hypot(position.x - truth.x, position.y - truth.y))
                score.accuracies.append(estimate.accuracyMetres)
            }
        }
        return score
    }

    /// The estimates of each walk of a group, with the true positions.
    func follow(
        _ group: Group,
        _ estimator: (BeaconMap, Group) -> any PositionEstimator
    ) throws -> [[(estimate: PositionEstimate, truth: (x: Double, y: Double))]] {
        let place = folder.appending(path: group.folder)
        let beacons = try RecordedWalk.beacons(bytes(place.appending(path: "beacons.csv")))
        return try runs(of: group, in: place).map { run in
            let walk = try RecordedWalk(beacons: beacons, scans: bytes(run.appending(path: "scans.csv")))
            let truth = try Truth(csv: bytes(run.appending(path: "truth.csv")))
            guard let times = walk.times else { return [] }
            return walk.estimates(estimator(walk.map(perimeter: group.bounds), group)).compactMap {
                estimate in
                guard estimate.time >= times.lowerBound + 2, estimate.time <= truth.end,
                    !group.isStanding || truth.isStanding(at: estimate.time),
                    let place = truth.place(at: estimate.time)
                else { return nil }
                return (estimate, place)
            }
        }
    }

    /// The beacons' positions of a group.
    func beacons(of group: Group) throws -> [Point3D] {
        try RecordedWalk.beacons(bytes(folder.appending(path: group.folder).appending(path: "beacons.csv")))
            .map(\.position)
    }

    private func runs(of group: Group, in place: URL) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(at: place, includingPropertiesForKeys: nil)
            .filter { run in
                group.runs.contains { run.lastPathComponent.hasPrefix($0) }
                    && !group.besides.contains(run.lastPathComponent)
            }
            .sorted { $0.lastPathComponent < $1.lastPathComponent }
    }

    private func bytes(_ file: URL) throws -> [UInt8] { try Array(Data(contentsOf: file)) }
}
