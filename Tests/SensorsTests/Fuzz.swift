import Foundation
import Positioning

/// Inputs for a parser: random bytes, and good inputs that were cut, changed, joined and lengthened.
struct Fuzz {
    private var random: SeededGenerator
    private let corpus: [[UInt8]]

    init(seed: UInt64, corpus: [[UInt8]]) {
        random = SeededGenerator(seed: seed)
        self.corpus = corpus
    }

    /// How many inputs a parser gets: 20,000, or what `TRILATERAL_FUZZ` says.
    static let count = ProcessInfo.processInfo.environment["TRILATERAL_FUZZ"].flatMap(Int.init) ?? 20_000

    mutating func next() -> [UInt8] {
        if number(below: 10) == 0 { return (0..<number(below: 80)).map { _ in byte() } }
        var bytes = sample()
        for _ in 0...number(below: 4) { change(&bytes) }
        return bytes
    }

    mutating func number(below bound: Int) -> Int { Int(random.next() % UInt64(max(bound, 1))) }

    private mutating func byte() -> UInt8 { UInt8(truncatingIfNeeded: random.next()) }
    private mutating func sample() -> [UInt8] { corpus[number(below: corpus.count)] }

    private mutating func change(_ bytes: inout [UInt8]) {
        let place = number(below: bytes.count + 1)
        switch number(below: 8) {
        case 0: bytes.removeSubrange(place...)
        case 1: bytes.insert(byte(), at: place)
        case 2: bytes += sample()
        case 3: bytes.insert(contentsOf: repeatElement(byte(), count: number(below: 20)), at: place)
        default:
            guard place < bytes.count else { return }
            let edges: [UInt8] = [0, 1, 0x7F, 0x80, 0xFF, 0x1A, 0x16]
            bytes[place] =
                number(below: 2) == 0 ? edges[number(below: edges.count)] : bytes[place] ^ 1 << (byte() & 7)
        }
    }
}
