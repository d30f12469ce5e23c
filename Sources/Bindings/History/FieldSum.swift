package import JSON

/// The least or greatest value of a field, and when it was reported.
package struct Extreme<Value: Comparable & Hashable & Sendable>: Sendable, Hashable {
    package let value: Value
    /// The time of the first sample that has it, milliseconds since 1970.
    package let at: Int64

    package init(_ value: Value, at: Int64) { (self.value, self.at) = (value, at) }

    func isBefore(_ other: Extreme, _ precedes: (Value, Value) -> Bool) -> Bool {
        precedes(value, other.value) || value == other.value && at < other.at
    }
}

/// How often a kind of number was reported, and the least and the greatest of them.
package struct NumberSum<Value: Comparable & Hashable & Sendable, Total: Hashable & Sendable>: Sendable,
    Hashable
{
    package private(set) var count: Int
    package private(set) var total: Total
    package private(set) var least: Extreme<Value>?
    package private(set) var greatest: Extreme<Value>?

    package init(count: Int = 0, total: Total, least: Extreme<Value>? = nil, greatest: Extreme<Value>? = nil)
    {
        (self.count, self.total, self.least, self.greatest) = (count, total, least, greatest)
    }

    mutating func add(
        _ count: Int,
        least: Extreme<Value>?,
        greatest: Extreme<Value>?,
        _ add: (inout Total) -> Void
    ) {
        self.count = Count.sum(self.count, count)
        add(&total)
        if let least, self.least.map({ least.isBefore($0, <) }) ?? true { self.least = least }
        if let greatest, self.greatest.map({ greatest.isBefore($0, >) }) ?? true { self.greatest = greatest }
    }
}

extension NumberSum<Int64, Int128> {
    /// Integers whose sums were stored, with the value and the time of the least and of the greatest one.
    ///
    /// Not generic, as the other one is: what is generic finds its types while it runs if another module calls it.
    package init(
        count: Int,
        total: Int128,
        least: (value: Int64, at: Int64)?,
        greatest: (value: Int64, at: Int64)?
    ) {
        self.init(
            count: count,
            total: total,
            least: least.map { Extreme($0.value, at: $0.at) },
            greatest: greatest.map { Extreme($0.value, at: $0.at) }
        )
    }

    /// The nearest decimal of the total.
    var decimal: Double {
        // Nearly all have 64 bits, of which it is made much faster.
        let low = Int64(truncatingIfNeeded: total)
        return Int128(low) == total ? Double(low) : Double(total)
    }
}

extension NumberSum<Double, DecimalSum> {
    /// Decimals whose sums were stored; see that of integers.
    package init(
        count: Int,
        total: DecimalSum,
        least: (value: Double, at: Int64)?,
        greatest: (value: Double, at: Int64)?
    ) {
        self.init(
            count: count,
            total: total,
            least: least.map { Extreme($0.value, at: $0.at) },
            greatest: greatest.map { Extreme($0.value, at: $0.at) }
        )
    }
}

/// Counts that stay at the largest number instead of trapping, also when a damaged file says nonsense.
enum Count {
    static func sum(_ left: Int, _ right: Int) -> Int {
        let (sum, overflows) = left.addingReportingOverflow(right)
        return overflows ? .max : sum
    }
}

/// What is known of the values of one field in a group of samples.
///
/// Every value that is not null is counted once, by its kind. The sums of two sets of samples merge to those of both, in any
/// order.
/// - Source: contrib/contract/bindings.md, "Aggregations".
package struct FieldSum: Sendable, Hashable {
    /// Whole numbers that fit 64 bits.
    package private(set) var integers: NumberSum<Int64, Int128>
    /// All other finite numbers.
    package private(set) var decimals: NumberSum<Double, DecimalSum>
    package private(set) var booleans: Int
    package private(set) var objects: Int
    package private(set) var arrays: Int
    /// Texts, and numbers beyond the range of a double.
    package private(set) var others: Int

    package init(
        integers: NumberSum<Int64, Int128> = NumberSum(total: 0),
        decimals: NumberSum<Double, DecimalSum> = NumberSum(total: DecimalSum()),
        booleans: Int = 0,
        objects: Int = 0,
        arrays: Int = 0,
        others: Int = 0
    ) {
        (self.integers, self.decimals) = (integers, decimals)
        (self.booleans, self.objects, self.arrays, self.others) = (booleans, objects, arrays, others)
    }

    /// How many values there are.
    package var count: Int {
        [integers.count, decimals.count, booleans, objects, arrays, others].reduce(0, Count.sum)
    }

    /// Adds a value of a sample; null is none.
    package mutating func add(_ value: JSONValue, at time: Int64) {
        switch value {
        case .null: break
        case .bool: booleans = Count.sum(booleans, 1)
        case .object: objects = Count.sum(objects, 1)
        case .array: arrays = Count.sum(arrays, 1)
        case .string: others = Count.sum(others, 1)
        case .number, .numeral:
            if let integer = value.integer {
                let number = Int64(integer)
                let extreme = Extreme(number, at: time)
                integers.add(1, least: extreme, greatest: extreme) { $0 &+= Int128(number) }
            } else if let number = value.number, number.isFinite {
                let extreme = Extreme(number, at: time)
                decimals.add(1, least: extreme, greatest: extreme) { $0.add(number) }
            } else {
                others = Count.sum(others, 1)
            }
        }
    }

    /// Adds what is known of other samples.
    package mutating func merge(_ other: FieldSum) {
        integers.add(
            other.integers.count,
            least: other.integers.least,
            greatest: other.integers.greatest
        ) { $0 &+= other.integers.total }
        decimals.add(
            other.decimals.count,
            least: other.decimals.least,
            greatest: other.decimals.greatest
        ) { $0.merge(other.decimals.total) }
        booleans = Count.sum(booleans, other.booleans)
        objects = Count.sum(objects, other.objects)
        arrays = Count.sum(arrays, other.arrays)
        others = Count.sum(others, other.others)
    }
}
