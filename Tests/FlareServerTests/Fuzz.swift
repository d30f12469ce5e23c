import Foundation
import SeededRandom
import TestSupport

/// Inputs for a decoder: valid ones that were cut, changed, joined and repeated, and random bytes.
struct Fuzz {
    /// How many inputs a decoder gets: 20,000, or what `TRILATERAL_FUZZ` says.
    static let count = ProcessInfo.processInfo.environment["TRILATERAL_FUZZ"].flatMap(Int.init) ?? 20_000

    private var random: SplitMix64
    private let corpus: [[UInt8]]
    private let interesting: [UInt8] =
        Array("0123456789%&=?/+.-,:[]{}\"\\eEuntf".utf8) + [0, 0x7F, 0x80, 0xC3, 0xFF]

    init(seed: UInt64, corpus: [String]) {
        random = SplitMix64(seed: seed)
        self.corpus = corpus.map { Array($0.utf8) }
    }

    mutating func next() -> [UInt8] {
        var bytes = random.pick(corpus)
        if random.next() % 8 == 0 { bytes = bytes.map { _ in UInt8(truncatingIfNeeded: random.next()) } }
        for _ in 0..<random.next() % 5 { change(&bytes) }
        return bytes
    }

    private mutating func change(_ bytes: inout [UInt8]) {
        let place = Int(random.next() % UInt64(bytes.count + 1))
        switch random.next() % 8 {
        case 0: bytes.removeSubrange(place...)
        case 1: bytes.removeSubrange(..<place)
        case 2: bytes += random.pick(corpus)
        case 3: bytes.insert(contentsOf: repeatElement(random.pick(interesting), count: 300), at: place)
        case 4, 5: bytes.insert(random.pick(interesting), at: place)
        default: if place < bytes.count { bytes[place] = random.pick(interesting) }
        }
    }
}
