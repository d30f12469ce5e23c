/// Turns the parts of an expression into a program.
struct SSIDExpressionCompiler {
    /// Most steps of a program: the time for a name grows with them.
    static let mostSteps = 2000

    private(set) var program: [SSIDExpression.Instruction] = []

    mutating func compile(_ node: ExpressionNode) throws(SSIDExpressionError) {
        guard Self.size(of: node) < Self.mostSteps else {
            throw SSIDExpressionError("its repetitions come to more than \(Self.mostSteps) steps")
        }
        add(node)
        program.append(.match)
    }

    /// The number of steps, capped: nested repetitions multiply.
    private static func size(of node: ExpressionNode) -> Int {
        let size =
            switch node {
            case .empty: 0
            case .scalars, .assertion: 1
            case .sequence(let parts): parts.reduce(0) { min($0 + Self.size(of: $1), mostSteps) }
            case .choice(let choices): choices.reduce(0) { min($0 + Self.size(of: $1) + 2, mostSteps) }
            case .repetition(let part, let least, let most): (size(of: part) + 2) * max(most ?? least + 1, 1)
            }
        return min(size, mostSteps)
    }

    private mutating func add(_ node: ExpressionNode) {
        switch node {
        case .empty: break
        case .scalars(let set): program.append(.scalars(set))
        case .assertion(let assertion): program.append(.assertion(assertion))
        case .sequence(let parts): for part in parts { add(part) }
        case .choice(let choices): add(choices[...])
        case .repetition(let part, let least, let most):
            for _ in 0..<least { add(part) }
            if let most {
                addOptional(part, upTo: most - least)
            } else {
                addLoop(part)
            }
        }
    }

    private mutating func add(_ choices: ArraySlice<ExpressionNode>) {
        guard let first = choices.first else { return }
        guard choices.count > 1 else { return add(first) }
        let fork = program.count
        program.append(.jump(0))
        add(first)
        let jump = program.count
        program.append(.jump(0))
        program[fork] = .fork(fork + 1, program.count)
        add(choices.dropFirst())
        program[jump] = .jump(program.count)
    }

    private mutating func addLoop(_ part: ExpressionNode) {
        let fork = program.count
        program.append(.jump(0))
        add(part)
        program.append(.jump(fork))
        program[fork] = .fork(fork + 1, program.count)
    }

    private mutating func addOptional(_ part: ExpressionNode, upTo count: Int) {
        var forks: [Int] = []
        for _ in 0..<max(count, 0) {
            forks.append(program.count)
            program.append(.jump(0))
            add(part)
        }
        for fork in forks { program[fork] = .fork(fork + 1, program.count) }
    }
}
