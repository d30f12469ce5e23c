import Bindings
import JSON

/// A clause whose fields are numbered: each is looked up once for many samples, however many clauses name it.
struct NumberedClause {
    private indirect enum Node {
        case all
        case equals(Int, JSONValue)
        case not(Node)
        case range(Int, StateClause.NumberRange)
        case and([Node])
        case or([Node])
        case time(ClosedRange<Int64>)
    }

    /// The names of the fields, each once; their places are the numbers.
    private(set) var fields: [String] = []
    private var root = Node.all

    init(_ clause: StateClause) { root = node(clause) }

    private mutating func node(_ clause: StateClause) -> Node {
        switch clause {
        case .all: return .all
        case .equals(let field, let value): return .equals(number(of: field), value)
        case .not(let clause): return .not(node(clause))
        case .range(let field, let range): return .range(number(of: field), range)
        case .and(let clauses): return .and(nodes(clauses))
        case .or(let clauses): return .or(nodes(clauses))
        case .time(let range): return .time(range)
        }
    }

    private mutating func nodes(_ clauses: [StateClause]) -> [Node] {
        var nodes: [Node] = []
        for clause in clauses { nodes.append(node(clause)) }
        return nodes
    }

    private mutating func number(of field: String) -> Int {
        // Names differ by their bytes, while equal strings may have different ones.
        if let number = fields.firstIndex(where: { $0.utf8.elementsEqual(field.utf8) }) { return number }
        fields.append(field)
        return fields.count - 1
    }

    func matches(_ sample: Sample) -> Bool {
        let values = fields.map { sample.state[$0] }
        return matches(at: sample.at) { values[$0] }
    }

    /// Whether a sample meets the clause, as ``StateClause/matches(_:at:)`` says.
    ///
    /// - Parameter value: Gives the sample's value of the field with a number; `nil` if it lacks the field.
    func matches(at time: Int64, _ value: (Int) -> JSONValue?) -> Bool { Self.matches(root, time, value) }

    private static func matches(_ node: Node, _ time: Int64, _ value: (Int) -> JSONValue?) -> Bool {
        switch node {
        case .all: return true
        case .equals(let field, let wanted): return value(field)?.isSame(as: wanted) ?? false
        case .not(let node): return !matches(node, time, value)
        case .range(let field, let range): return value(field)?.number.map(range.contains) ?? false
        case .and(let nodes):
            for node in nodes where !matches(node, time, value) { return false }
            return true
        case .or(let nodes):
            for node in nodes where matches(node, time, value) { return true }
            return false
        case .time(let range): return range.contains(time)
        }
    }
}
