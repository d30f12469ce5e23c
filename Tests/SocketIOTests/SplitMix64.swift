/// A generator whose numbers follow from its seed alone.
struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    mutating func chance(_ oneIn: UInt64) -> Bool { next() % oneIn == 0 }

    mutating func number(below bound: Int) -> Int { Int(next() % UInt64(max(1, bound))) }

    mutating func bytes(upTo count: Int) -> [UInt8] {
        (0..<number(below: count + 1)).map { _ in UInt8(truncatingIfNeeded: next()) }
    }

    /// Text of one to four bytes a character.
    mutating func text(upTo count: Int) -> [UInt8] {
        let characters: [Unicode.Scalar] = [
            "a", "7", "\"", "[", "{", ",", ":", "\n", "é", "ÿ", "障", "😀", "\u{1}",
        ]
        var text = ""
        for _ in 0..<number(below: count + 1) {
            text.unicodeScalars.append(characters[number(below: characters.count)])
        }
        return Array(text.utf8)
    }
}
