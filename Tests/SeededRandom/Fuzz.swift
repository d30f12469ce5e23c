import Foundation

/// Inputs for a decoder: random bytes, and valid inputs that were cut, changed, joined and repeated.
package struct Fuzz {
    private var random: SplitMix64
    private let corpus: [[UInt8]]

    package init(seed: UInt64, corpus: [String]) {
        self.init(seed: seed, corpus: corpus.map { Array($0.utf8) })
    }

    package init(seed: UInt64, corpus: [[UInt8]]) {
        random = SplitMix64(seed: seed)
        self.corpus = corpus
    }

    /// How many inputs a decoder gets: 20,000, or what `TRILATERAL_FUZZ` says.
    package static let count =
        ProcessInfo.processInfo.environment["TRILATERAL_FUZZ"].flatMap(Int.init) ?? 20_000

    package mutating func next() -> [UInt8] {
        if random.chance(8) { return random.bytes(upTo: 40) }
        var bytes = sample()
        for _ in 0...random.number(below: 4) {
            change(&bytes)
        }
        return bytes
    }

    private mutating func sample() -> [UInt8] { corpus[random.number(below: corpus.count)] }

    private mutating func change(_ bytes: inout [UInt8]) {
        let place = random.number(below: bytes.count + 1)
        switch random.number(below: 8) {
        case 0: bytes.removeSubrange(place...)
        case 1: bytes.removeSubrange(..<place)
        case 2: bytes.insert(UInt8(truncatingIfNeeded: random.next()), at: place)
        case 3: bytes += sample()
        case 4:
            bytes.insert(
                contentsOf: repeatElement(UInt8(ascii: "9"), count: random.number(below: 400)),
                at: place
            )
        case 5: bytes.insert(interesting[random.number(below: interesting.count)], at: place)
        default:
            guard place < bytes.count else { return }
            bytes[place] =
                random.chance(2)
                ? interesting[random.number(below: interesting.count)]
                : bytes[place] ^ (1 << (random.next() & 7))
        }
    }

    /// What has a meaning in text, JSON, addresses and binary packets.
    private let interesting: [UInt8] =
        Array("0123456789%&=?/+.-,:[]{}\"\\eEuntfb".utf8)
        + [0, 1, 6, 9, 0x16, 0x1A, 0x1E, 0x7F, 0x80, 0xC2, 0xC3, 0xE2, 0xFF]
}
