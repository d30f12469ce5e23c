/// A regular expression for the names of access points, matched in linear time.
///
/// It has literals, `.`, classes such as `[0-9A-F]`, groups, alternatives, `*` `+` `?` `{n,m}`, the anchors `^` and
/// `$`, and `\d` `\w` `\s` `\b` with their opposites. It has no look-around, back references and flags. Like the
/// expressions of other programs it is found anywhere in a name unless it is anchored.
/// - Source: Thompson, Regular Expression Search Algorithm, 1968; the states are simulated side by side.
package struct SSIDExpression: Sendable {
    /// Most bytes of a pattern.
    package static let longestPattern = 200

    package let pattern: String
    private let program: [Instruction]

    /// One step of the compiled expression.
    enum Instruction: Sendable {
        case scalars(ScalarSet)
        /// Goes on in both places.
        case fork(Int, Int)
        case jump(Int)
        case assertion(Assertion)
        case match
    }

    /// What must hold between two characters.
    enum Assertion: Sendable {
        case start, end, wordBoundary, noWordBoundary
    }

    /// - Throws: What is wrong with the pattern, as a part of a sentence.
    package init(_ pattern: String) throws(SSIDExpressionError) {
        guard pattern.utf8.count <= Self.longestPattern else {
            throw SSIDExpressionError(
                "it has \(pattern.utf8.count) bytes, at most \(Self.longestPattern) are read"
            )
        }
        var parser = SSIDExpressionParser(pattern)
        var compiler = SSIDExpressionCompiler()
        try compiler.compile(parser.expression())
        self.pattern = pattern
        program = compiler.program
    }

    /// Whether the expression is found in a name.
    package func matches(_ name: String) -> Bool {
        let scalars = Array(name.unicodeScalars)
        var current = StateSet(count: program.count)
        var next = StateSet(count: program.count)
        for position in 0...scalars.count {
            // It may begin anywhere.
            if enter(0, at: position, in: scalars, &current) { return true }
            guard position < scalars.count else { return false }
            next.removeAll()
            for state in current.members {
                guard case .scalars(let set) = program[state], set.contains(scalars[position]) else {
                    continue
                }
                if enter(state + 1, at: position + 1, in: scalars, &next) { return true }
            }
            swap(&current, &next)
        }
        return false
    }

    /// Adds a state and all that follow it without a character.
    /// - Returns: Whether the match is reached.
    private func enter(_ first: Int, at position: Int, in name: [Unicode.Scalar], _ states: inout StateSet)
        -> Bool
    {
        var open = [first]
        while let state = open.popLast() {
            guard states.insert(state) else { continue }
            switch program[state] {
            case .match: return true
            case .scalars: break
            case .jump(let target): open.append(target)
            case .fork(let one, let other): open += [other, one]
            case .assertion(let assertion):
                if assertion.holds(at: position, in: name) { open.append(state + 1) }
            }
        }
        return false
    }
}

extension SSIDExpression: Hashable {
    package static func == (left: Self, right: Self) -> Bool { left.pattern == right.pattern }
    package func hash(into hasher: inout Hasher) { hasher.combine(pattern) }
}

/// What is wrong with a pattern: a part of a sentence.
package struct SSIDExpressionError: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}

extension SSIDExpression.Assertion {
    fileprivate func holds(at position: Int, in name: [Unicode.Scalar]) -> Bool {
        switch self {
        case .start: position == 0
        case .end: position == name.count
        case .wordBoundary: isBoundary(position, in: name)
        case .noWordBoundary: !isBoundary(position, in: name)
        }
    }

    private func isBoundary(_ position: Int, in name: [Unicode.Scalar]) -> Bool {
        let before = position > 0 && ScalarSet.word.contains(name[position - 1])
        let after = position < name.count && ScalarSet.word.contains(name[position])
        return before != after
    }
}

/// Numbers below a count, each at most once, in the order of insertion.
private struct StateSet {
    private(set) var members: [Int] = []
    private var isMember: [Bool]

    init(count: Int) { isMember = Array(repeating: false, count: count) }

    /// - Returns: Whether it was new.
    mutating func insert(_ state: Int) -> Bool {
        guard isMember.indices.contains(state), !isMember[state] else { return false }
        isMember[state] = true
        members.append(state)
        return true
    }

    mutating func removeAll() {
        for state in members { isMember[state] = false }
        members.removeAll(keepingCapacity: true)
    }
}
