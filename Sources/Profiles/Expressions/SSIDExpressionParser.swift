/// The parts of an expression.
indirect enum ExpressionNode {
    case empty
    case scalars(ScalarSet)
    case assertion(SSIDExpression.Assertion)
    case sequence([ExpressionNode])
    case choice([ExpressionNode])
    /// Without an upper bound: any number.
    case repetition(ExpressionNode, least: Int, most: Int?)
}

/// Reads a pattern; its 200 bytes bound the depth.
struct SSIDExpressionParser {
    private let scalars: [Unicode.Scalar]
    private var position = 0

    init(_ pattern: String) { scalars = Array(pattern.unicodeScalars) }

    private static let largestCount = 1000

    mutating func expression() throws(SSIDExpressionError) -> ExpressionNode {
        let node = try choice()
        guard position == scalars.count else {
            throw SSIDExpressionError("the ) at \(position + 1) closes no group")
        }
        return node
    }

    private var next: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

    private mutating func read() -> Unicode.Scalar? {
        guard let scalar = next else { return nil }
        position += 1
        return scalar
    }

    private mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
        guard next == scalar else { return false }
        position += 1
        return true
    }

    private mutating func choice() throws(SSIDExpressionError) -> ExpressionNode {
        var choices = [try sequence()]
        while skip("|") { choices.append(try sequence()) }
        return choices.count == 1 ? choices[0] : .choice(choices)
    }

    private mutating func sequence() throws(SSIDExpressionError) -> ExpressionNode {
        var parts: [ExpressionNode] = []
        while let scalar = next, scalar != "|", scalar != ")" {
            parts.append(try repetition(of: try atom()))
        }
        return parts.isEmpty ? .empty : .sequence(parts)
    }

    private mutating func repetition(of atom: ExpressionNode) throws(SSIDExpressionError) -> ExpressionNode {
        let counts: (least: Int, most: Int?)
        switch next {
        case "*": counts = (0, nil)
        case "+": counts = (1, nil)
        case "?": counts = (0, 1)
        case "{":
            guard let read = try bounds() else { return atom }
            counts = read
            position -= 1
        default: return atom
        }
        position += 1
        // Whether it takes as much or as little as possible does not matter for a yes or no.
        _ = skip("?")
        if let scalar = next, "*+?".unicodeScalars.contains(scalar) {
            throw SSIDExpressionError("the \(scalar) at \(position + 1) repeats a repetition")
        }
        return .repetition(atom, least: counts.least, most: counts.most)
    }

    /// `{3}`, `{3,}` or `{3,5}`; `nil` for a brace that begins none, which is a literal then.
    private mutating func bounds() throws(SSIDExpressionError) -> (least: Int, most: Int?)? {
        let start = position
        position += 1
        let least = number()
        var most = least
        if skip(",") { most = number() }
        guard let least, skip("}") else {
            position = start
            return nil
        }
        let largest = most ?? least
        guard least <= largest, largest <= Self.largestCount else {
            throw SSIDExpressionError(
                "the counts in braces at \(start + 1) must rise, up to \(Self.largestCount)"
            )
        }
        return (least, most)
    }

    /// Digits as a number; one that is too large is more than the largest count.
    private mutating func number() -> Int? {
        var value: Int?
        while let digit = next, ScalarSet.digit.contains(digit) {
            value = min((value ?? 0) * 10 + Int(digit.value - 48), Self.largestCount + 1)
            position += 1
        }
        return value
    }

    private mutating func atom() throws(SSIDExpressionError) -> ExpressionNode {
        let start = position
        switch read() {
        case "."?: return .scalars(.any)
        case "^"?: return .assertion(.start)
        case "$"?: return .assertion(.end)
        case "("?: return try group(from: start)
        case "["?: return .scalars(try characterClass(from: start))
        case "\\"?: return try escaped(from: start)
        case "{"? where isBounds(at: start): throw nothingToRepeat(at: start)
        case "*"?, "+"?, "?"?: throw nothingToRepeat(at: start)
        case let scalar?: return .scalars(ScalarSet(scalar))
        case nil: return .empty
        }
    }

    private func nothingToRepeat(at start: Int) -> SSIDExpressionError {
        SSIDExpressionError("the \(scalars[start]) at \(start + 1) has nothing to repeat")
    }

    private func isBounds(at start: Int) -> Bool {
        var copy = self
        copy.position = start
        return ((try? copy.bounds()) ?? nil) != nil
    }

    private mutating func group(from start: Int) throws(SSIDExpressionError) -> ExpressionNode {
        if skip("?") {
            switch read() {
            case ":"?: break
            case "="?, "!"?: throw Self.lookAround(start)
            case "<"? where next == "=" || next == "!": throw Self.lookAround(start)
            case "<"?: try name(from: start)
            case "P"? where skip("<"): try name(from: start)
            default:
                throw SSIDExpressionError(
                    "the group at \(start + 1) is of a kind that is not read; write (…) or (?:…)"
                )
            }
        }
        let inner = try choice()
        guard skip(")") else {
            throw SSIDExpressionError("the group that begins at \(start + 1) is not closed")
        }
        return inner
    }

    private mutating func name(from start: Int) throws(SSIDExpressionError) {
        while let scalar = read() {
            if scalar == ">" { return }
            guard ScalarSet.word.contains(scalar) else { break }
        }
        throw SSIDExpressionError("the name of the group at \(start + 1) does not end")
    }

    private static func lookAround(_ start: Int) -> SSIDExpressionError {
        SSIDExpressionError("look-around, at \(start + 1), is not read")
    }

    private mutating func escaped(from start: Int) throws(SSIDExpressionError) -> ExpressionNode {
        guard let letter = read() else {
            throw SSIDExpressionError("the \\ at its end stands before nothing")
        }
        if let set = ScalarSet(escape: letter) { return .scalars(set) }
        switch letter {
        case "b": return .assertion(.wordBoundary)
        case "B": return .assertion(.noWordBoundary)
        case "A": return .assertion(.start)
        case "z", "Z": return .assertion(.end)
        case "1"..."9", "k": throw SSIDExpressionError("a back reference, at \(start + 1), is not read")
        default: return .scalars(ScalarSet(try literal(letter, from: start)))
        }
    }

    /// The character that a backslash and a letter mean.
    private mutating func literal(
        _ letter: Unicode.Scalar,
        from start: Int
    ) throws(SSIDExpressionError) -> Unicode.Scalar {
        switch letter {
        case "t": return "\t"
        case "n": return "\n"
        case "r": return "\r"
        case "f": return "\u{C}"
        case "v": return "\u{B}"
        case "0": return "\0"
        case "x": return try hexadecimal(digits: 2, from: start)
        case "u": return try hexadecimal(digits: 4, from: start)
        default:
            guard !ScalarSet.word.contains(letter) else {
                throw SSIDExpressionError("\\\(letter), at \(start + 1), means nothing here")
            }
            return letter
        }
    }

    private mutating func hexadecimal(digits: Int, from start: Int) throws(SSIDExpressionError)
        -> Unicode.Scalar
    {
        var value: UInt32 = 0
        for _ in 0..<digits {
            guard let digit = read().flatMap({ Character($0).hexDigitValue }) else {
                throw SSIDExpressionError("the escape at \(start + 1) needs \(digits) hexadecimal digits")
            }
            value = value * 16 + UInt32(digit)
        }
        guard let scalar = Unicode.Scalar(value) else {
            throw SSIDExpressionError("the escape at \(start + 1) is no character")
        }
        return scalar
    }

    private mutating func characterClass(from start: Int) throws(SSIDExpressionError) -> ScalarSet {
        let isInverted = skip("^")
        var ranges: [ClosedRange<UInt32>] = []
        // A bracket that closes is a literal when it comes first.
        var isFirst = true
        while let scalar = read() {
            if scalar == "]", !isFirst { return ScalarSet(ranges, isInverted: isInverted) }
            isFirst = false
            guard let low = try member(scalar, &ranges) else { continue }
            guard next == "-", position + 1 < scalars.count, scalars[position + 1] != "]" else {
                ranges.append(low.value...low.value)
                continue
            }
            position += 1
            guard let upper = read(), let high = try member(upper, &ranges), low <= high else {
                throw SSIDExpressionError("the range before \(position + 1) does not rise")
            }
            ranges.append(low.value...high.value)
        }
        throw SSIDExpressionError("the class that begins at \(start + 1) is not closed")
    }

    /// A character of a class; a whole set is added to the ranges.
    private mutating func member(
        _ scalar: Unicode.Scalar,
        _ ranges: inout [ClosedRange<UInt32>]
    ) throws(SSIDExpressionError) -> Unicode.Scalar? {
        guard scalar == "\\" else { return scalar }
        let start = position - 1
        guard let letter = read() else {
            throw SSIDExpressionError("the \\ at its end stands before nothing")
        }
        if let set = ScalarSet(escape: letter) {
            ranges += set.members
            return nil
        }
        return letter == "b" ? "\u{8}" : try literal(letter, from: start)
    }
}
