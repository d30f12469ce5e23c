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
        /// Errors of the reference implementation with no survey, with 10 points of it, and with all, metres.
        let reference: [Score.Figures]
        /// Errors of the original's centroid of one second.
        let centroid: Score.Figures

        var description: String { name }
    }

    static let groups: [Group] = [
        office(
            "tetam tracks",
            ["rectangular", "straight", "zigzagging"],
            [.init(2.25, 3.16, 4.39), .init(1.89, 2.79, 4.63), .init(1.70, 2.49, 3.49)],
            centroid: .init(2.46, 3.64, 6.14)
        ),
        office(
            "tetam still",
            ["still"],
            [.init(2.86, 3.71, 4.68), .init(1.76, 2.68, 6.36), .init(2.19, 3.00, 5.88)],
            centroid: .init(4.68, 6.58, 8.00)
        ),
        Group(
            name: "flat robot",
            folder: "flat",
            runs: ["robot"],
            deviceZ: 1.3,
            bounds: Box(origin: .zero, width: 9.1, height: 7.1),
            reference: [.init(1.07, 1.72, 2.60), .init(0.88, 1.46, 2.63), .init(0.72, 1.42, 2.36)],
            centroid: .init(1.29, 2.42, 4.36)
        ),
        phone(
            "geo power 1",
            "geo_phone1_power1",
            "campaign1",
            [.init(1.35, 2.16, 3.29), .init(1.31, 2.11, 3.33), .init(1.21, 2.02, 3.05)],
            centroid: .init(2.55, 4.62, 8.23)
        ),
        phone(
            "geo power 3",
            "geo_phone1_power3",
            "campaign1",
            [.init(1.44, 2.14, 3.46), .init(1.47, 2.01, 3.23), .init(1.31, 1.91, 3.30)],
            centroid: .init(3.00, 4.77, 8.17)
        ),
        phone(
            "lib phone 1",
            "lib_phone1_power2",
            "campaign3",
            [.init(1.26, 1.56, 2.16), .init(1.05, 1.46, 2.25), .init(1.05, 1.48, 2.28)],
            centroid: .init(3.45, 4.53, 6.76)
        ),
        phone(
            "lib phone 3",
            "lib_phone3_power2",
            "campaign3",
            [.init(1.23, 1.54, 2.06), .init(0.77, 1.32, 1.96), .init(0.93, 1.34, 2.00)],
            centroid: .init(1.83, 10.13, 11.38)
        ),
    ]

    private static func office(
        _ name: String,
        _ runs: [String],
        _ reference: [Score.Figures],
        centroid: Score.Figures
    ) -> Group {
        Group(
            name: name,
            folder: "tetam",
            runs: runs,
            // According to the data set's notes these do not match their labels.
            besides: ["still_0.21_0.27", "still_20.45_16.89"],
            deviceZ: 1.85,
            bounds: Box(origin: Point3D(x: -0.2, y: -0.3), width: 21.1, height: 18.3),
            reference: reference,
            centroid: centroid
        )
    }

    private static func phone(
        _ name: String,
        _ set: String,
        _ run: String,
        _ reference: [Score.Figures],
        centroid: Score.Figures
    ) -> Group {
        Group(
            name: name,
            folder: "uji_\(set)",
            runs: [run],
            deviceZ: -1.4,
            isStanding: true,
            reference: reference,
            centroid: centroid
        )
    }

    /// Scores an estimator on the walks of a group.
    func score(
        _ group: Group,
        _ change: ((Int, Double) -> Int)? = nil,
        _ estimator: (BeaconMap, Group) throws -> any PositionEstimator
    ) throws -> Score {
        var score = Score()
        for walk in try follow(group, change, estimator) {
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
        _ change: ((Int, Double) -> Int)? = nil,
        _ estimator: (BeaconMap, Group) throws -> any PositionEstimator
    ) throws -> [[(estimate: PositionEstimate, truth: (x: Double, y: Double))]] {
        let place = folder.appending(path: group.folder)
        let beacons = try RecordedWalk.beacons(bytes(place.appending(path: "beacons.csv")))
        return try runs(of: group, in: place).map { run in
            let walk = try RecordedWalk(beacons: beacons, scans: bytes(run.appending(path: "scans.csv")))
            let truth = try Truth(csv: bytes(run.appending(path: "truth.csv")))
            guard let times = walk.times else { return [] }
            let changed: any PositionEstimator = try estimator(walk.map(perimeter: group.bounds), group)
            return walk.estimates(changed) { rssi, time in
                let part = (time - times.lowerBound) / max(times.upperBound - times.lowerBound, 1)
                return change?(rssi, part) ?? rssi
            }.compactMap { estimate in
                guard estimate.time >= times.lowerBound + 2, estimate.time <= truth.end,
                    !group.isStanding || truth.isStanding(at: estimate.time),
                    let place = truth.place(at: estimate.time)
                else { return nil }
                return (estimate, place)
            }
        }
    }

    /// The survey of a group's place, made on another day or walk.
    func survey(of group: Group) throws -> [SurveyPoint] {
        let place = folder.appending(path: group.folder)
        let beacons = try RecordedWalk.beacons(bytes(place.appending(path: "beacons.csv")))
        return try RecordedSurvey(beacons: beacons, csv: bytes(place.appending(path: "survey.csv"))).points
    }

    /// Scores the grid estimator with so many points of the survey.
    ///
    /// - Parameter change: Changes a packet's RSSI, by the part of the walk that is over.
    func score(_ group: Group, points: Int, _ change: ((Int, Double) -> Int)? = nil) throws -> Score {
        let survey = try survey(of: group).covering(points)
        var settings = GridEstimator.Settings()
        settings.deviceZ = group.deviceZ
        var radio: RadioMap?
        return try score(group, change) { map, _ in
            var estimator = GridEstimator(map: map, settings: settings)
            if radio == nil, !survey.isEmpty {
                radio = try RadioMap(survey: survey, map: map, settings: settings)
            }
            estimator.radioMaps.device = radio
            return estimator
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
