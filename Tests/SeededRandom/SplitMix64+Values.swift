extension SplitMix64 {
    /// A number from 0 up to, not including, `bound`; 0 for a bound below 1.
    package mutating func number(below bound: Int) -> Int { Int(next() % UInt64(max(1, bound))) }

    package mutating func chance(_ oneIn: Int) -> Bool { number(below: oneIn) == 0 }

    package mutating func bytes(upTo count: Int) -> [UInt8] {
        (0..<number(below: count + 1)).map { _ in UInt8(truncatingIfNeeded: next()) }
    }

    /// One of the values; the other one when there are none.
    package mutating func pick<Value>(_ values: [Value], else other: Value) -> Value {
        values.randomElement(using: &self) ?? other
    }
}
