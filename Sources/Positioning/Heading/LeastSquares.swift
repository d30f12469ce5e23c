/// Solves an overdetermined system of linear equations by least squares.
struct LeastSquares {
    private let count: Int
    /// The normal equations, with the right-hand side as last column.
    private var rows: [[Double]]

    init(unknowns count: Int) {
        self.count = count
        rows = Array(repeating: Array(repeating: 0, count: count + 1), count: count)
    }

    /// Adds the equation `coefficients` · unknowns = `value`.
    mutating func add(_ coefficients: [Double], equals value: Double) {
        guard coefficients.count == count else { return }
        for (row, left) in coefficients.enumerated() {
            for (column, right) in coefficients.enumerated() { rows[row][column] += left * right }
            rows[row][count] += left * value
        }
    }

    /// The solution; `nil` when the equations do not determine every unknown.
    func solved() -> [Double]? {
        var rows = rows
        let largest = rows.flatMap { $0.dropLast() }.map(\.magnitude).max() ?? 0
        guard largest.isFinite, largest > 0 else { return nil }
        for column in 0..<count {
            let pivot = (column..<count).max { rows[$0][column].magnitude < rows[$1][column].magnitude }
            guard let pivot, rows[pivot][column].magnitude > 1e-11 * largest else { return nil }
            rows.swapAt(column, pivot)
            for row in 0..<count where row != column {
                let factor = rows[row][column] / rows[column][column]
                guard factor != 0 else { continue }
                for index in column...count { rows[row][index] -= factor * rows[column][index] }
            }
        }
        let solution = (0..<count).map { rows[$0][count] / rows[$0][$0] }
        return solution.allSatisfy(\.isFinite) ? solution : nil
    }
}
