import Flare
import Positioning
import Testing

@Suite struct WalkSimulatorTests {
    private func still(
        at metres: Double,
        walls: WallPlan = WallPlan(rooms: []),
        seed: UInt64 = 1,
        seconds: Double = 600,
        _ change: (inout RadioSettings) -> Void = { _ in }
    ) -> [Advertisement] {
        var settings = RadioSettings()
        settings.receiverOffsetDecibels = 0
        settings.beaconOffsetDecibels = 0
        settings.shadowingDecibels = 0
        settings.bodyLossDecibels = 0
        settings.ricianFactor = 1e9
        change(&settings)
        let beacon = WalkSimulator.Beacon(
            address: DeviceAddress(bits: 1, isRandom: true),
            payload: [1, 2, 3],
            position: .zero,
            powerAtOneMetre: -59
        )
        let point = WalkRoute.WayPoint(Point3D(x: metres, y: 0), staySeconds: seconds)
        return WalkSimulator(
            beacons: [beacon],
            walls: walls,
            route: WalkRoute(wayPoints: [point], isClosed: true),
            settings: settings,
            seed: seed
        ).advertisements()
    }

    private func mean(_ packets: [Advertisement]) -> Double {
        packets.reduce(0) { $0 + Double($1.rssi) } / Double(packets.count)
    }

    @Test func `the same seed gives the same packets and another seed different ones`() {
        #expect(still(at: 3, seed: 7) == still(at: 3, seed: 7))
        #expect(still(at: 3, seed: 7) != still(at: 3, seed: 8))
    }

    @Test func `about a third of the packets are lost`() {
        let packets = still(at: 3)
        let sent = 600 / 0.355
        #expect((0.6...0.7).contains(Double(packets.count) / sent))
        #expect(packets.map(\.time) == packets.map(\.time).sorted())
        #expect(packets.allSatisfy { (0..<600).contains($0.time) })
    }

    @Test func `power falls by 22 dB at ten times the distance`() {
        #expect(abs(mean(still(at: 1)) - -59) < 0.5)
        #expect(abs(mean(still(at: 10)) - -81) < 0.5)
    }

    @Test func `each wall costs 4 dB, up to four walls`() {
        let rooms = (0..<7).map { Box(origin: Point3D(x: Double($0), y: -1), width: 1, height: 2) }
        #expect(abs(mean(still(at: 2.5, walls: WallPlan(rooms: rooms))) - mean(still(at: 2.5)) - -8) < 0.6)
        #expect(abs(mean(still(at: 6.5, walls: WallPlan(rooms: rooms))) - mean(still(at: 6.5)) - -16) < 0.6)
    }

    @Test func `the walker's body costs 5 dB`() {
        let clear = mean(still(at: 2))
        #expect(abs(mean(still(at: 2) { $0.bodyLossDecibels = 5 }) - (clear - 5)) < 0.6)
    }

    @Test func `fading and shadowing vary the power within limits`() {
        let packets = still(at: 5) { $0.ricianFactor = 4 }
        let deviation =
            (packets.reduce(0) { $0 + pow2(Double($1.rssi) - mean(packets)) } / Double(packets.count))
            .squareRoot()
        #expect((1...6).contains(deviation))
        let means = (1...60).map { seed in
            mean(still(at: 5, seed: seed, seconds: 20) { $0.shadowingDecibels = 4 })
        }
        let middle = means.reduce(0, +) / 60
        let spread = (means.reduce(0) { $0 + pow2($1 - middle) } / 60).squareRoot()
        #expect((2.5...5.5).contains(spread))
    }

    @Test func `packets below the sensitivity are not received`() {
        #expect(still(at: 60).isEmpty)
        #expect(still(at: 30).allSatisfy { $0.rssi >= -94 })
    }

    @Test func `extreme settings terminate`() {
        let packets = still(at: 1, seconds: 10) {
            $0.intervalSeconds = -1
            $0.packetLoss = .nan
            $0.shadowingMetres = 0
            $0.jitterSeconds = 0
        }
        #expect(packets.count <= 500)
    }

    private func pow2(_ value: Double) -> Double { value * value }
}

@Suite struct WallPlanTests {
    private let plan = WallPlan(rooms: [
        Box(origin: Point3D(x: 0, y: 0), width: 5, height: 4),
        Box(origin: Point3D(x: 5, y: 0), width: 5, height: 4),
        Box(origin: Point3D(x: 0, y: 4.1), width: 10, height: 4),
    ])

    @Test(arguments: [
        (Point3D(x: 1, y: 1), Point3D(x: 4, y: 3), 0), (Point3D(x: 1, y: 1), Point3D(x: 9, y: 1), 1),
        (Point3D(x: 1, y: 1), Point3D(x: 1, y: 7), 1), (Point3D(x: 1, y: 1), Point3D(x: 20, y: 1), 2),
        (Point3D(x: 1, y: 1), Point3D(x: 1, y: 1), 0), (Point3D(x: 1, y: 1), Point3D(x: .nan, y: 1), 0),
        (Point3D(x: 4, y: 2), Point3D(x: 6, y: 7), 1), (Point3D(x: 4, y: 2), Point3D(x: 7, y: 5), 2),
    ])
    func `each wall between two points is counted once`(_ start: Point3D, _ end: Point3D, _ count: Int) {
        #expect(plan.walls(from: start, to: end) == count)
        #expect(plan.walls(from: end, to: start) == count)
    }
}

@Suite struct WalkRouteTests {
    @Test func `a closed route walks, stays and returns`() {
        let route = WalkRoute(
            wayPoints: [.init(.zero), .init(Point3D(x: 4, y: 0), staySeconds: 5)],
            isClosed: true,
            metresPerSecond: 2
        )
        #expect(route.durationSeconds == 9)
        #expect(route.pose(at: 1)?.position == Point3D(x: 2, y: 0))
        #expect(route.pose(at: 1)?.isMoving == true)
        #expect(route.pose(at: 4)?.position == Point3D(x: 4, y: 0))
        #expect(route.pose(at: 4)?.isMoving == false)
        #expect(route.pose(at: 8)?.position == Point3D(x: 2, y: 0))
        #expect(route.pose(at: 8)?.facingX == -1)
        #expect(route.pose(at: 99)?.position == .zero)
        #expect(route.pose(at: -1)?.position == .zero)
        #expect(WalkRoute(wayPoints: [], isClosed: true).pose(at: 0) == nil)
    }

    @Test(arguments: 0...5) func `visits stop near each place and stay within the bounds`(_ count: Int) {
        let places = (0..<count).map { Point3D(x: Double($0 * 3 % 7), y: Double($0 * 5 % 7), z: 2) }
        let bounds = Box(origin: .zero, width: 7, height: 7)
        let route = WalkRoute(visiting: places, within: bounds, floor: 0)
        let poses = stride(from: 0, to: route.durationSeconds, by: 0.25).compactMap(route.pose)
        #expect(poses.allSatisfy { bounds.contains($0.position) && $0.position.z == 1.1 })
        for place in places {
            let near = poses.filter {
                !$0.isMoving && Point3D(x: place.x, y: place.y, z: 1.1).distance(to: $0.position) <= 0.5
            }
            #expect(near.count >= 4 * 14)
        }
        #expect((count == 0) == poses.isEmpty)
    }
}
