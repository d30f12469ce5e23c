import Foundation
import TestSupport
import Testing

/// `trilateral estimate` as a script uses it.
@Suite(.timeLimit(.minutes(1)))
struct EstimateTests {
    private struct End {
        let status: Int32?
        let output: String
        let errors: String

        var rows: [[String]] {
            output.split(separator: "\n").map { $0.split(separator: ",").map(String.init) }
        }
    }

    private func run(_ arguments: [String], in folder: TemporaryFolder) async throws -> End {
        let (output, errors) = ("output-\(UUID().uuidString)", "errors-\(UUID().uuidString)")
        let child = try Program.start(
            ["estimate"] + arguments,
            in: folder,
            shell: "exec 2>'\(folder.path(errors))'",
            output: folder.path(output)
        )
        let status = await child.end(within: .seconds(30))
        await child.destroy()
        return End(status: status, output: folder.read(output), errors: folder.read(errors))
    }

    private static func walk(_ name: String) -> String {
        URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "PositioningTests/Walks/\(name)").path(percentEncoded: false)
    }

    private static let files = [walk("beacons.csv"), walk("scans.csv")]

    @Test func `a recording becomes a row a second, as the reference has it, and nothing else`() async throws
    {
        try await withTemporaryFolder { folder in
            let end = try await run(Self.files + ["--device-z", "1.2"], in: folder)
            #expect(end.status == 0)
            #expect(end.errors.isEmpty)
            #expect(end.rows.first == ["time_s", "x", "y", "z", "accuracy_m", "quality"])
            let expected = try String(contentsOfFile: Self.walk("expected.csv"), encoding: .utf8)
                .split(separator: "\n").dropFirst().map { $0.split(separator: ",").compactMap { Double($0) } }
            try #require(end.rows.count == expected.count + 1)
            for (row, reference) in zip(end.rows.dropFirst(), expected) {
                try #require(row.count == 6)
                let numbers = row.prefix(5).compactMap { Double($0) }
                try #require(numbers.count == 5)
                #expect(numbers[0] == reference[0])
                #expect(abs(numbers[1] - reference[1]) <= 0.01 && abs(numbers[2] - reference[2]) <= 0.01)
                #expect(row[3] == "1.20")
                #expect(abs(numbers[4] - reference[3]) <= 0.01)
                #expect(["good", "fair", "coarse", "lost"].contains(row[5]))
            }
        }
    }

    @Test func `negative numbers are words of their own`() async throws {
        try await withTemporaryFolder { folder in
            let end = try await run(
                Self.files + ["--device-z", "-1.4", "--bounds", "-2,-1.5,10,8"],
                in: folder
            )
            #expect(end.status == 0, "\(end.errors)")
            #expect(end.rows.count > 50)
            #expect(end.rows.dropFirst().allSatisfy { $0[3] == "-1.40" })
            let joined = try await run(
                ["--bounds=-2,-1.5,10,8", "--device-z=-1.4", "--estimator", "grid"] + Self.files,
                in: folder
            )
            #expect(joined.output == end.output)
        }
    }

    @Test func `positions stay within the bounds, and the original's estimator can be had`() async throws {
        try await withTemporaryFolder { folder in
            let bounded = try await run(
                Self.files + ["--device-z", "1.2", "--bounds", "0,0,3,3"],
                in: folder
            )
            #expect(bounded.rows.count > 50)
            for row in bounded.rows.dropFirst() {
                #expect((0...3).contains(Double(row[1]) ?? -1) && (0...3).contains(Double(row[2]) ?? -1))
            }
            let centroid = try await run(
                Self.files + ["--device-z", "1.2", "--estimator", "centroid"],
                in: folder
            )
            #expect(centroid.status == 0)
            #expect(centroid.rows.count > 50)
            #expect(centroid.rows.first == bounded.rows.first)
        }
    }

    @Test(
        arguments: [
            (["--device-z", "1"], 64, "<beacons.csv>"), (["beacons.csv", "scans.csv"], 64, "device-z"),
            (["beacons.csv", "scans.csv", "--device-z", "high"], 64, "device-z"),
            (["beacons.csv", "scans.csv", "--device-z", "nan"], 64, "--device-z must be a number"),
            (["beacons.csv", "scans.csv", "--device-z", "1", "--bounds", "0,0,5"], 64, "bounds"),
            (["beacons.csv", "scans.csv", "--device-z", "1", "--bounds", "5,0,0,5"], 64, "bounds"),
            (
                ["beacons.csv", "scans.csv", "--device-z", "1", "--bounds", "50,50,60,60"], 64,
                "within --bounds"
            ),
            (["beacons.csv", "scans.csv", "--device-z", "1", "--estimator", "magic"], 64, "grid"),
            (
                ["beacons.csv", "scans.csv", "--device-z", "1", "--points", "3"], 64,
                "--points needs --survey"
            ),
            (
                ["beacons.csv", "scans.csv", "--device-z", "1", "--survey", "bad.csv"], 65,
                "bad.csv:1: the first line must be point,x,y,beacon_id,level_db,packets"
            ),
            (["nowhere.csv", "scans.csv", "--device-z", "1"], 66, "nowhere.csv cannot be read"),
            (["beacons.csv", "nowhere.csv", "--device-z", "1"], 66, "nowhere.csv cannot be read"),
            (
                ["scans.csv", "beacons.csv", "--device-z", "1"], 65,
                "scans.csv:1: the first line must be id,x,y,z,tx_power"
            ),
            (["beacons.csv", "bad.csv", "--device-z", "1"], 65, "bad.csv:3: rssi_dbm must be a number"),
            (["beacons.csv", "empty.csv", "--device-z", "1"], 65, "empty.csv: is empty"),
        ] as [([String], Int32, String)]
    )
    func `what is wrong is told with its place, and nothing is written`(
        _ arguments: [String],
        _ status: Int32,
        _ told: String
    ) async throws {
        try await withTemporaryFolder { folder in
            let files = [
                "beacons.csv": "id,x,y,z,tx_power\na,0,0,2,-59\n",
                "scans.csv": "time_s,beacon_id,rssi_dbm\n0,a,-60\n5,a,-60\n",
                "bad.csv": "time_s,beacon_id,rssi_dbm\n0,a,-60\n1,a,loud\n", "empty.csv": "",
            ]
            for (name, text) in files { try Data(text.utf8).write(to: URL(filePath: folder.path(name))) }
            let end = try await run(
                arguments.map { $0.hasSuffix(".csv") ? folder.path($0) : $0 },
                in: folder
            )
            #expect(end.status == status)
            #expect(end.output.isEmpty)
            #expect(end.errors.contains(told), "\(end.errors)")
        }
    }

    @Test func `packets of other beacons are told and passed over`() async throws {
        try await withTemporaryFolder { folder in
            let scans = "time_s,beacon_id,rssi_dbm\r\n0,a,-60\r\n1,b,-50\r\n2,a,-60\r\n2.5,b,-50\r\n"
            try Data("id,x,y,z,tx_power\r\na,0,0,2,-59\r\n".utf8).write(
                to: URL(filePath: folder.path("b.csv"))
            )
            try Data(scans.utf8).write(to: URL(filePath: folder.path("s.csv")))
            let end = try await run(
                [folder.path("b.csv"), folder.path("s.csv"), "--device-z", "1"],
                in: folder
            )
            #expect(end.status == 0)
            #expect(end.errors.contains("s.csv:3: b is not in"))
            #expect(end.errors.contains("2 packets"))
            #expect(end.rows.map { $0[0] } == ["time_s", "1", "2"])
            #expect(end.rows.dropFirst().allSatisfy { $0[5] == "coarse" })
        }
    }

    @Test func `packets that last too short give no position, and that is said`() async throws {
        try await withTemporaryFolder { folder in
            try folder.write("id,x,y,z,tx_power\na,0,0,2,-59\n", to: "b.csv")
            try folder.write("time_s,beacon_id,rssi_dbm\n0.2,a,-60\n1.4,a,-60\n", to: "s.csv")
            let end = try await run(
                [folder.path("b.csv"), folder.path("s.csv"), "--device-z", "1"],
                in: folder
            )
            #expect(end.status == 0 && end.rows.count == 1)
            #expect(end.errors.contains("no position: the packets are from 0.2 to 1.4 s"), "\(end.errors)")
            #expect(end.errors.contains("the first at 2 s"), "\(end.errors)")
        }
    }
}
