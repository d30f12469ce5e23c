/// A row of the table: what, floor, ours, ratio, aim, met.
struct Row {
    let what: String
    /// Nanoseconds.
    let floor: Double
    let ours: Double
    /// The largest ratio that is aimed at.
    var aim: Double?
    /// The longest time that is aimed at, nanoseconds; without a ratio.
    var limit: Double?

    init(_ what: String, floor: Double, ours: Double, aim: Double? = nil, limit: Double? = nil) {
        self.what = what
        self.floor = floor
        self.ours = ours
        self.aim = aim
        self.limit = limit
    }

    func print() {
        let ratio = floor > 0 ? ours / floor : 0
        let isMet = aim.map { ratio < $0 } ?? limit.map { ours < $0 }
        let verdict = isMet.map { $0 ? "yes" : "**no**" } ?? "–"
        let goal = aim.map { "< \(Self.text($0))" } ?? limit.map { "< \(Self.time($0))" } ?? "–"
        Swift.print(
            "| \(what) | \(Self.time(floor)) | \(Self.time(ours)) | \(Self.text(ratio)) | \(goal) | \(verdict) |"
        )
    }

    /// What has no floor, and perhaps an aim in nanoseconds.
    static func print(_ what: String, _ ours: Double, aim: Double? = nil) {
        let goal = aim.map { "< \(time($0))" } ?? "–"
        let verdict = aim.map { ours < $0 ? "yes" : "**no**" } ?? "–"
        Swift.print("| \(what) | – | \(time(ours)) | – | \(goal) | \(verdict) |")
    }

    /// Values of another unit, whose ratio may be so large at most.
    static func print(_ what: String, unit: String, floor: Double, ours: Double, atMost aim: Double) {
        let ratio = floor > 0 ? ours / floor : 0
        let verdict = ratio <= aim ? "yes" : "**no**"
        Swift.print(
            "| \(what) | \(text(floor)) \(unit) | \(text(ours)) \(unit) | \(text(ratio)) | ≤ \(text(aim)) | \(verdict) |"
        )
    }

    /// Values of another unit, of which ours must be so large.
    static func print(_ what: String, unit: String, floor: Double, ours: Double, atLeast aim: Double) {
        let ratio = floor > 0 ? ours / floor : 0
        let verdict = ours >= aim ? "yes" : "**no**"
        Swift.print(
            "| \(what) | \(text(floor)) \(unit) | \(text(ours)) \(unit) | \(text(ratio)) | ≥ \(text(aim)) \(unit) | \(verdict) |"
        )
    }

    private static func time(_ nanoseconds: Double) -> String {
        switch nanoseconds {
        case ..<1_000: "\(Int(nanoseconds.rounded())) ns"
        case ..<10_000_000: "\(text(nanoseconds / 1_000)) µs"
        default: "\(text(nanoseconds / 1_000_000)) ms"
        }
    }

    /// With two digits after the point.
    private static func text(_ value: Double) -> String {
        let hundredths = Int((value * 100).rounded())
        let rest = hundredths % 100
        return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
    }
}

extension Duration {
    var nanoseconds: Double { self / .nanoseconds(1) }
}

extension [Double] {
    var median: Double {
        guard !isEmpty else { return 0 }
        return sorted()[count / 2]
    }

    /// The value that a part of all values does not exceed.
    func share(_ part: Double) -> Double {
        guard !isEmpty else { return 0 }
        return sorted()[Swift.min(Int(part * Double(count)), count - 1)]
    }
}
