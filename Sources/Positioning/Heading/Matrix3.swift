/// A matrix of three rows and columns.
package struct Matrix3: Sendable, Hashable {
    package var x: Vector3
    package var y: Vector3
    package var z: Vector3

    /// - Parameters: The rows.
    package init(_ x: Vector3, _ y: Vector3, _ z: Vector3) {
        self.x = x
        self.y = y
        self.z = z
    }

    package static let identity = Matrix3(diagonal: Vector3(repeating: 1))

    package init(diagonal: Vector3) {
        self.init(Vector3(diagonal.x, 0, 0), Vector3(0, diagonal.y, 0), Vector3(0, 0, diagonal.z))
    }

    /// `a` times `b` transposed.
    package init(outer a: Vector3, _ b: Vector3) { self.init(a.x * b, a.y * b, a.z * b) }

    package static func * (matrix: Matrix3, vector: Vector3) -> Vector3 {
        Vector3(matrix.x.dot(vector), matrix.y.dot(vector), matrix.z.dot(vector))
    }

    package static func * (left: Matrix3, right: Matrix3) -> Matrix3 {
        let columns = right.transposed
        return Matrix3(columns * left.x, columns * left.y, columns * left.z)
    }

    package static func * (factor: Double, matrix: Matrix3) -> Matrix3 {
        Matrix3(factor * matrix.x, factor * matrix.y, factor * matrix.z)
    }

    package static func + (left: Matrix3, right: Matrix3) -> Matrix3 {
        Matrix3(left.x + right.x, left.y + right.y, left.z + right.z)
    }

    package var transposed: Matrix3 {
        Matrix3(Vector3(x.x, y.x, z.x), Vector3(x.y, y.y, z.y), Vector3(x.z, y.z, z.z))
    }

    package var determinant: Double { x.dot(y.cross(z)) }

    package var isFinite: Bool { x.isFinite && y.isFinite && z.isFinite }

    /// `nil` for a singular matrix.
    package var inverse: Matrix3? {
        let determinant = determinant
        guard determinant.isFinite, determinant.magnitude > 1e-300 else { return nil }
        return (1 / determinant) * Matrix3(y.cross(z), z.cross(x), x.cross(y)).transposed
    }

    /// The eigenvalues of a symmetric matrix, ascending, and their eigenvectors as the rows of `vectors`.
    /// - Source: cyclic Jacobi rotations.
    package var symmetricEigen: (values: Vector3, vectors: Matrix3) {
        var matrix = self
        var vectors = Matrix3.identity
        for _ in 0..<30 {
            for (p, q) in [(0, 1), (0, 2), (1, 2)] {
                let apart = matrix[p, q]
                guard apart.magnitude > 1e-300 else { continue }
                let theta = (matrix[q, q] - matrix[p, p]) / (2 * apart)
                let t = (theta < 0 ? -1.0 : 1.0) / (theta.magnitude + (theta * theta + 1).squareRoot())
                let c = 1 / (t * t + 1).squareRoot()
                var turn = Matrix3.identity
                turn[p, p] = c
                turn[q, q] = c
                turn[p, q] = -t * c
                turn[q, p] = t * c
                matrix = turn * matrix * turn.transposed
                vectors = turn * vectors
            }
        }
        let pairs = [(matrix.x.x, vectors.x), (matrix.y.y, vectors.y), (matrix.z.z, vectors.z)]
            .sorted { $0.0 < $1.0 }
        return (
            Vector3(pairs[0].0, pairs[1].0, pairs[2].0), Matrix3(pairs[0].1, pairs[1].1, pairs[2].1)
        )
    }

    /// The symmetric square root of a symmetric matrix; `nil` unless all eigenvalues are positive.
    package var symmetricRoot: Matrix3? {
        let (values, vectors) = symmetricEigen
        guard values.isFinite, values.x > 0 else { return nil }
        let roots = Matrix3(diagonal: values.squareRoot())
        return vectors.transposed * roots * vectors
    }

    private subscript(row: Int, column: Int) -> Double {
        get {
            switch row {
            case 0: x[column]
            case 1: y[column]
            default: z[column]
            }
        }
        set {
            switch row {
            case 0: x[column] = newValue
            case 1: y[column] = newValue
            default: z[column] = newValue
            }
        }
    }
}
