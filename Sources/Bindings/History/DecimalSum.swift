/// A sum of decimals that loses next to nothing by rounding, and does not overflow while it is made.
///
/// - Source: Neumaier, "Rundungsfehleranalyse einiger Verfahren zur Summation endlicher Summen", ZAMM 54, 1974.
package struct DecimalSum: Sendable, Hashable {
    /// The sum so far; a part of 2^64 of it if it is scaled.
    package private(set) var total: Double
    /// What the total lost by rounding.
    package private(set) var lost: Double
    /// Whether the total is a part of 2^64 of the sum, because the sum went beyond the range of a double.
    ///
    /// Fewer than 2^63 doubles then cannot overflow it, and what their smallest digits lose is nothing beside them.
    package private(set) var isScaled: Bool

    private static let scale = 0x1p-64

    package init(total: Double = 0, lost: Double = 0, isScaled: Bool = false) {
        (self.total, self.lost, self.isScaled) = (total, lost, isScaled)
    }

    package mutating func add(_ number: Double) {
        var sum = self
        sum.addUnscaled(isScaled ? number * Self.scale : number)
        if !sum.total.isFinite || !sum.lost.isFinite, !isScaled {
            sum = scaled
            sum.addUnscaled(number * Self.scale)
        }
        self = sum
    }

    private mutating func addUnscaled(_ number: Double) {
        let sum = total + number
        lost += total.magnitude >= number.magnitude ? (total - sum) + number : (number - sum) + total
        total = sum
    }

    package mutating func merge(_ other: DecimalSum) {
        if other.isScaled { self = scaled }
        let other = isScaled ? other.scaled : other
        var sum = self
        sum.addUnscaled(other.total)
        sum.addUnscaled(other.lost)
        if !sum.total.isFinite || !sum.lost.isFinite, !isScaled {
            sum = scaled
            sum.merge(other.scaled)
        }
        self = sum
    }

    private var scaled: DecimalSum {
        isScaled ? self : DecimalSum(total: total * Self.scale, lost: lost * Self.scale, isScaled: true)
    }

    /// The sum; `nil` if it is beyond the range of a double.
    package var value: Double? {
        let value = isScaled ? (total + lost) / Self.scale : total + lost
        return value.isFinite ? value : nil
    }

    /// The sum divided by how many numbers are in it.
    package func mean(of count: Int) -> Double? {
        guard count > 0 else { return nil }
        let part = (total + lost) / Double(count)
        let mean = isScaled ? part / Self.scale : part
        return mean.isFinite ? mean : nil
    }
}
