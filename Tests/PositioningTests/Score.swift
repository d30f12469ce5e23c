import Foundation

/// The errors of estimates.
struct Score: Sendable {
    var errors: [Double] = []
    var accuracies: [Double] = []

    /// The 50th, 75th and 95th percentile of the errors, metres.
    struct Figures: Sendable, Equatable {
        var median: Double
        var of75: Double
        var of95: Double

        var all: [Double] { [median, of75, of95] }

        init(_ median: Double, _ of75: Double, _ of95: Double) {
            (self.median, self.of75, self.of95) = (median, of75, of95)
        }
    }

    var figures: Figures {
        let sorted = errors.sorted()
        return Figures(
            Self.quantile(sorted, 0.5),
            Self.quantile(sorted, 0.75),
            Self.quantile(sorted, 0.95)
        )
    }

    /// The fraction of errors within a multiple of the stated accuracy.
    func share(within times: Double) -> Double {
        let inside = zip(errors, accuracies).filter { $0 <= $1 * times }.count
        return Double(inside) / Double(max(errors.count, 1))
    }

    static func += (score: inout Score, other: Score) {
        score.errors += other.errors
        score.accuracies += other.accuracies
    }

    /// Linear interpolation between two values.
    private static func quantile(_ sorted: [Double], _ part: Double) -> Double {
        guard let last = sorted.indices.last else { return .nan }
        let place = part * Double(last)
        let below = Int(place)
        let above = min(below + 1, last)
        return sorted[below] + (place - Double(below)) * (sorted[above] - sorted[below])
    }
}

/// The true positions of the device.
struct Truth {
    private var rows: [(time: Double, x: Double, y: Double)] = []

    /// From `time_s,x,y,z`.
    init(csv: [UInt8]) {
        for line in String(decoding: csv, as: UTF8.self).split(whereSeparator: \.isNewline).dropFirst() {
            let fields = line.split(separator: ",").compactMap { Double($0) }
            if fields.count == 4 { rows.append((fields[0], fields[1], fields[2])) }
        }
    }

    var end: Double { rows.last?.time ?? 0 }

    func place(at time: Double) -> (x: Double, y: Double)? {
        guard let first = rows.first, let last = rows.last else { return nil }
        guard time > first.time else { return (first.x, first.y) }
        guard let next = rows.firstIndex(where: { $0.time >= time }), next > 0 else {
            return (last.x, last.y)
        }
        let (before, after) = (rows[next - 1], rows[next])
        let part = after.time > before.time ? (time - before.time) / (after.time - before.time) : 1
        return (before.x + part * (after.x - before.x), before.y + part * (after.y - before.y))
    }

    /// Whether the person has stood for 3 s, which is between rows with the same position.
    func isStanding(at time: Double) -> Bool {
        var start = 0
        while start < rows.count {
            var end = start
            while end + 1 < rows.count, rows[end + 1].x == rows[start].x, rows[end + 1].y == rows[start].y {
                end += 1
            }
            if time >= rows[start].time + 3, time <= rows[end].time { return true }
            start = end + 1
        }
        return false
    }
}
