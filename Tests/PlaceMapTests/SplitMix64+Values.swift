import SeededRandom

extension SplitMix64 {
    /// A number from 0 to `limit` - 1.
    mutating func next(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }
}
