import Flare
import Positioning
import Testing

@Suite struct RecordedWalkTests {
    private static let beacons = "id,x,y,z,tx_power\na,0,0,2,-59\nb,6.5,-1,2,-60.8\nc,3,4,2,-59\n"
    private static let scans = "time_s,beacon_id,rssi_dbm\n0.2,a,-60\n0.9,b,-70\n1.5,c,-65\n3.1,a,-61\n"

    private func walk(_ beacons: String = beacons, _ scans: String = scans) throws(CSVError) -> RecordedWalk {
        try RecordedWalk(beacons: RecordedWalk.beacons(Array(beacons.utf8)), scans: Array(scans.utf8))
    }

    private func problem(_ beacons: String = beacons, _ scans: String = scans) throws -> CSVError {
        try #require(throws: CSVError.self) { _ = try walk(beacons, scans) }
    }

    private func estimates(_ walk: RecordedWalk) -> [PositionEstimate] {
        walk.estimates(GridEstimator(map: walk.map(perimeter: nil)))
    }

    @Test func `beacons and packets are read and estimated once a second`() throws {
        let walk = try walk()
        #expect(walk.beacons.map(\.name) == ["a", "b", "c"])
        #expect(walk.beacons.map(\.powerAtOneMetre) == [-59, -60.8, -59])
        #expect(walk.beacons[1].position == Point3D(x: 6.5, y: -1, z: 2))
        #expect(walk.times == 0.2...3.1)
        #expect(estimates(walk).map(\.time) == [2, 3])
        #expect(estimates(walk).map(\.beaconsHeard) == [3, 3])
    }

    @Test func `line ends, blanks, empty lines and a byte order mark are accepted`() throws {
        let plain = try walk()
        let windows = Self.scans.split(separator: "\n").joined(separator: "\r\n")
        let spaced = Self.beacons.split(separator: "\n").map {
            " \($0.split(separator: ",").joined(separator: " , ")) "
        }
        let odd = try walk("\u{FEFF}\n" + spaced.joined(separator: "\r\n\r\n"), windows)
        #expect(estimates(odd) == estimates(plain))
    }

    @Test func `the order of the rows does not matter`() throws {
        let lines = Self.scans.split(separator: "\n")
        let turned = ([lines[0]] + lines.dropFirst().reversed()).joined(separator: "\n")
        #expect(estimates(try walk(Self.beacons, turned)) == estimates(try walk()))
    }

    @Test func `packets of unknown beacons are counted and impossible ones ignored`() throws {
        let more = Self.scans + "1.6,stranger,-40\n1.7,a,127\n1.8,b,42\n1.9,other,-50\n"
        let walk = try walk(Self.beacons, more)
        #expect(walk.unknown.count == 2)
        #expect(walk.unknown.first?.line == 6 && walk.unknown.first?.id == "stranger")
        #expect(estimates(walk) == estimates(try self.walk()))
    }

    @Test(
        arguments: [
            ("", nil, "is empty"), ("id,x,y,z\n", 1, "must be id,x,y,z,tx_power"),
            ("x,id,y,z,tx_power\n", 1, "must be id,x,y,z,tx_power"),
            ("id,x,y,z,tx_power\n", nil, "has no beacons"),
            ("id,x,y,z,tx_power\na,0,0,2,-59\nb,0,0,-59\n", 3, "must have 5 fields (has 4)"),
            ("id,x,y,z,tx_power\na,0,0,2,-59\n\na,1,0,2,-59\n", 4, "a is already in line 2"),
            ("id,x,y,z,tx_power\n,0,0,2,-59\n", 2, "id must be 1 to 128 bytes"),
            ("id,x,y,z,tx_power\na,nan,0,2,-59\n", 2, "x must be a number"),
            ("id,x,y,z,tx_power\na,0,1e9,2,-59\n", 2, "y must be a number from -100000000 to 100000000"),
            ("id,x,y,z,tx_power\na,0,0,0x2,-59\n", 2, "z must be a number"),
            ("id,x,y,z,tx_power\na,0,0,2,5\n", 2, "tx_power must be a number from -127 to -1 (is \"5\")"),
        ] as [(String, Int?, String)]
    )
    func `invalid beacons are refused with the line`(_ csv: String, _ line: Int?, _ words: String)
        throws
    {
        let problem = try problem(csv)
        #expect(problem.line == line)
        #expect(problem.message.contains(words), "\(problem.message)")
    }

    @Test(
        arguments: [
            ("", nil, "is empty"), ("time,beacon_id,rssi_dbm\n", 1, "must be time_s,beacon_id,rssi_dbm"),
            ("time_s,beacon_id,rssi_dbm\n1,a\n", 2, "must have 3 fields"),
            ("time_s,beacon_id,rssi_dbm\n1,a,-60\nsoon,a,-60\n", 3, "time_s must be a number"),
            ("time_s,beacon_id,rssi_dbm\n1,a,loud\n", 2, "rssi_dbm must be a number"),
            ("time_s,beacon_id,rssi_dbm\n1,a,-60,\n", 2, "must have 3 fields (has 4)"),
            ("time_s,beacon_id,rssi_dbm\n0,a,-60\n9e8,a,-60\n", nil, "at most 7 days"),
        ] as [(String, Int?, String)]
    )
    func `invalid packets are refused with the line`(_ csv: String, _ line: Int?, _ words: String)
        throws
    {
        let problem = try problem(Self.beacons, csv)
        #expect(problem.line == line)
        #expect(problem.message.contains(words), "\(problem.message)")
    }

    @Test func `invalid UTF-8 and overlong lines are refused`() throws {
        let bytes = Array("time_s,beacon_id,rssi_dbm\n1,".utf8) + [0xFF, 0xFE] + Array(",-60\n".utf8)
        let beacons = try RecordedWalk.beacons(Array(Self.beacons.utf8))
        let problem = #expect(throws: CSVError.self) {
            _ = try RecordedWalk(beacons: beacons, scans: bytes)
        }
        #expect(problem?.line == 2)
        let long = "time_s,beacon_id,rssi_dbm\n1," + String(repeating: "a", count: 5000) + ",-60\n"
        #expect(try self.problem(Self.beacons, long).line == 2)
    }

    @Test func `a walk without packets has no estimates`() throws {
        let walk = try walk(Self.beacons, "time_s,beacon_id,rssi_dbm\n")
        #expect(walk.times == nil)
        #expect(estimates(walk).isEmpty)
    }

    @Test func `damaged files never trap`() throws {
        var generator = SeededGenerator(seed: 11)
        let whole = Array(Self.scans.utf8)
        let beacons = try RecordedWalk.beacons(Array(Self.beacons.utf8))
        for _ in 0..<3000 {
            var bytes = whole
            for _ in 0...Int(generator.next() % 4) {
                let place = Int(generator.next() % UInt64(bytes.count))
                if generator.unit() < 0.3 {
                    bytes.removeSubrange(place..<min(place + 3, bytes.count))
                } else {
                    bytes[place] =
                        generator.unit() < 0.5
                        ? UInt8(truncatingIfNeeded: generator.next()) : bytes[bytes.count / 2]
                }
            }
            if let walk = try? RecordedWalk(beacons: beacons, scans: bytes), let times = walk.times,
                times.upperBound - times.lowerBound < 50
            {
                #expect(estimates(walk).allSatisfy { $0.position.isFinite })
            }
            _ = try? RecordedWalk.beacons(bytes)
        }
    }
}
