import SeededRandom

extension SplitMix64 {
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
