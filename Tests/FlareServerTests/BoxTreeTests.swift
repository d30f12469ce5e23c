import Flare
import FlareServer
import SeededRandom
import TestSupport
import Testing

@Suite struct BoxTreeTests {
    struct Entry {
        var id: FlareID
        var order: Int
        var low: Point3D
        var high: Point3D
    }

    private func coordinate(_ scale: Int, _ generator: inout SplitMix64) -> Double {
        switch scale {
        case 0: Double(Int.random(in: 0...3, using: &generator))
        case 1: Double.random(in: -20...20, using: &generator)
        case 2: Double.random(in: -1...1, using: &generator) * 1e300
        default: [0, 1, -1, 1e9, -1e9, 1e300, 1.7e308].randomElement(using: &generator) ?? 0
        }
    }

    private func point(_ scale: Int, _ generator: inout SplitMix64) -> Point3D {
        Point3D(
            x: coordinate(scale, &generator),
            y: coordinate(scale, &generator),
            z: scale == 1 ? 0 : coordinate(scale, &generator)
        )
    }

    private func nearest(_ entries: [Entry], _ point: Point3D, _ limit: Double) -> (FlareID, Double)? {
        entries.map { ($0.id, $0.low.distance(to: point), $0.order) }
            .filter { $0.1 < limit }
            .min { ($0.1, $0.2) < ($1.1, $1.2) }
            .map { ($0.0, $0.1) }
    }

    private func first(_ entries: [Entry], _ point: Point3D) -> FlareID? {
        entries.filter {
            point.x >= $0.low.x && point.x <= $0.high.x && point.y >= $0.low.y && point.y <= $0.high.y
                && point.z >= $0.low.z && point.z <= $0.high.z
        }.min { $0.order < $1.order }?.id
    }

    @Test(arguments: 0..<4)
    func `the nearest object equals a linear search after any changes`(scale: Int) {
        var generator = SplitMix64(seed: UInt64(scale) + 1)
        for _ in 0..<500 {
            var tree = BoxTree()
            var entries: [Entry] = []
            for step in 0..<Int.random(in: 1...60, using: &generator) {
                if Int.random(in: 0..<4, using: &generator) == 0,
                    let victim = entries.indices.randomElement(using: &generator)
                {
                    if Bool.random(using: &generator) {
                        tree.remove(entries.remove(at: victim).id)
                        continue
                    }
                    let place = point(scale, &generator)
                    entries[victim].low = place
                    entries[victim].high = place
                    tree.insert(entries[victim].id, order: entries[victim].order, from: place, to: place)
                } else {
                    let place = point(scale, &generator)
                    let order = Int.random(in: 0...1000, using: &generator) * 100 + step
                    let entry = Entry(
                        id: FlareID(high: 1, low: UInt32(step)),
                        order: order,
                        low: place,
                        high: place
                    )
                    entries.append(entry)
                    tree.insert(entry.id, order: order, from: place, to: place)
                }
                let asked = point(scale, &generator)
                let limit = [1.5, 0, -1, 40, 1e9, 1e301, .infinity].randomElement(using: &generator) ?? 1
                let (found, expected) = (
                    tree.nearest(to: asked, within: limit), nearest(entries, asked, limit)
                )
                #expect(found?.id == expected?.0)
                #expect(found?.distance == expected?.1)
            }
        }
    }

    @Test(arguments: 0..<4)
    func `the first box around a point equals a linear search after any changes`(scale: Int) {
        var generator = SplitMix64(seed: UInt64(scale) + 100)
        for _ in 0..<300 {
            var tree = BoxTree()
            var entries: [Entry] = []
            for step in 0..<Int.random(in: 1...40, using: &generator) {
                let (low, high) = (point(scale, &generator), point(scale, &generator))
                let id = FlareID(high: 1, low: UInt32.random(in: 0..<20, using: &generator))
                entries.removeAll { $0.id == id }
                tree.insert(id, order: step, from: low, to: high)
                if low.x <= high.x, low.y <= high.y, low.z <= high.z {
                    entries.append(Entry(id: id, order: step, low: low, high: high))
                }
                let asked = point(scale, &generator)
                #expect(tree.first(containing: asked) == first(entries, asked))
            }
        }
    }

    @Test func `NaN coordinates are neither stored nor found`() {
        var tree = BoxTree()
        let id = FlareID(high: 0, low: 1)
        tree.insert(id, order: 1, from: Point3D(x: .nan, y: 0), to: Point3D(x: .nan, y: 0))
        #expect(tree.nearest(to: .zero, within: .infinity) == nil)
        tree.insert(id, order: 1, from: .zero, to: .zero)
        #expect(tree.nearest(to: Point3D(x: .nan, y: 0), within: 1e9) == nil)
        #expect(tree.nearest(to: Point3D(x: .infinity, y: 0), within: 1e9) == nil)
        #expect(tree.nearest(to: .zero, within: .nan) == nil)
        #expect(tree.first(containing: Point3D(x: .nan, y: 0)) == nil)
    }

    /// Arrangements of many things.
    enum Layout: CaseIterable, Sendable {
        case plan, row, cluster, samePlace

        func place(_ number: Int, of count: Int) -> Point3D {
            let side = Int(Double(count).squareRoot())
            return switch self {
            case .plan: Point3D(x: Double(number % side) * 2, y: Double(number / side) * 2)
            case .row: Point3D(x: Double(number), y: 0)
            case .cluster:
                Point3D(x: Double(number % side) / Double(side), y: Double(number / side) / Double(side))
            case .samePlace: Point3D(x: 1, y: 1)
            }
        }
    }

    @Test(arguments: Layout.allCases)
    func `a query among ten thousand objects visits few more boxes than among ten`(layout: Layout) {
        func visits(_ count: Int, limit: Double) -> Double {
            var tree = BoxTree()
            for number in 0..<count {
                let place = layout.place(number, of: count)
                tree.insert(FlareID(high: 1, low: UInt32(number)), order: number, from: place, to: place)
            }
            var visits = 0
            var generator = SplitMix64(seed: 7)
            for _ in 0..<200 {
                let number = Int.random(in: 0..<count, using: &generator)
                var asked = layout.place(number, of: count)
                asked.x += Double.random(in: -0.4...0.4, using: &generator)
                asked.y += Double.random(in: -0.4...0.4, using: &generator)
                _ = tree.nearest(to: asked, within: limit, visits: &visits)
            }
            return Double(visits) / 200
        }
        for limit in [1.5, 1e9] {
            #expect(visits(10_000, limit: limit) < 150)
            #expect(visits(10, limit: limit) >= 1)
        }
    }

    @Test func `the nearest in the plane is found among those that are included`() {
        var tree = BoxTree()
        var points: [Point3D] = []
        for row in 0..<10 {
            for column in 0..<20 {
                let height = Double((row + column) % 7)
                points.append(Point3D(x: Double(column), y: Double(row), z: height))
            }
        }
        for (index, point) in points.enumerated() {
            tree.insert(FlareID(high: 1, low: UInt32(index)), order: index, from: point, to: point)
        }
        func isIncluded(_ id: FlareID) -> Bool { id.description.last != "0" }
        for here in points {
            let place = Point3D(x: here.x + 0.3, y: here.y + 0.2, z: 50)
            let found = tree.nearest(inPlane: place, within: 3, where: isIncluded)
            var nearest = Double.infinity
            for (index, point) in points.enumerated() where isIncluded(FlareID(high: 1, low: UInt32(index))) {
                nearest = min(nearest, point.planeDistance(to: place))
            }
            #expect(found?.distance == nearest)
        }
    }
}
