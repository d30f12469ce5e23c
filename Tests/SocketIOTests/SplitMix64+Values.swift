import SeededRandom

extension SplitMix64 {
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
