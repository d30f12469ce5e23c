import Glibc

/// An ellipsoid fitted to the measurements of a magnetometer that was turned in all directions.
///
/// - Source: least squares of x'Qx + 2 g'x = 1, contrib/contract/positioning.md, "8. Compass and GPS"; NXP
///   AN4246.
struct Ellipsoid {
    let centre: Vector3
    /// Maps the ellipsoid, relative to its centre, to a sphere.
    let stretch: Matrix3
    /// The sphere's radius; it has the ellipsoid's volume.
    let radius: Double
    /// The longest axis divided by the shortest.
    let ratio: Double

    init?(fitting samples: [Vector3]) {
        guard !samples.isEmpty else { return nil }
        // Normalised to mean 0 and size 1, so that all terms have similar weight.
        let mean = samples.reduce(.zero, +) / Double(samples.count)
        let size = samples.reduce(0) { $0 + ($1 - mean).length } / Double(samples.count)
        guard size > 0 else { return nil }
        var equations = LeastSquares(unknowns: 9)
        for sample in samples {
            let p = (sample - mean) / size
            equations.add(
                [
                    p.x * p.x, p.y * p.y, p.z * p.z, 2 * p.x * p.y, 2 * p.x * p.z, 2 * p.y * p.z, 2 * p.x,
                    2 * p.y, 2 * p.z,
                ],
                equals: 1
            )
        }
        guard let q = equations.solved() else { return nil }
        let form = Matrix3(Vector3(q[0], q[3], q[4]), Vector3(q[3], q[1], q[5]), Vector3(q[4], q[5], q[2]))
        guard let inverse = form.inverse else { return nil }
        let shift = -1 * (inverse * Vector3(q[6], q[7], q[8]))
        let scale = 1 + shift.dot(form * shift)
        guard scale > 0, shift.length < 10 else { return nil }
        // (m - h)' Q' (m - h) = 1, in microtesla.
        let unit = (1 / (scale * size * size)) * form
        let eigenvalues = unit.symmetricEigen.values
        guard let root = unit.symmetricRoot else { return nil }
        radius = pow(eigenvalues.x * eigenvalues.y * eigenvalues.z, -1.0 / 6)
        stretch = radius * root
        centre = mean + size * shift
        ratio = (eigenvalues.z / eigenvalues.x).squareRoot()
        guard centre.isFinite, stretch.isFinite, ratio.isFinite else { return nil }
    }

    func corrected(_ measured: Vector3) -> Vector3 { stretch * (measured - centre) }
}

/// A circle fitted to the measurements of a magnetometer that was turned about one axis.
struct Circle {
    /// The centre's component in the circle's plane; a turn about one axis does not determine the rest.
    let offset: Vector3
    let radius: Double
    private let along: Vector3
    private let across: Vector3

    init?(fitting samples: [Vector3]) {
        guard samples.count >= 3 else { return nil }
        let mean = samples.reduce(.zero, +) / Double(samples.count)
        let scatter = samples.reduce(Matrix3(diagonal: .zero)) {
            $0 + Matrix3(outer: $1 - mean, $1 - mean)
        }
        let (values, axes) = scatter.symmetricEigen
        // Points on a line or in a ball form no circle.
        guard values.isFinite, values.y > 0, max(values.x, 0) < 0.1 * values.y, values.z < 20 * values.y
        else {
            return nil
        }
        along = axes.z
        across = axes.y
        var equations = LeastSquares(unknowns: 3)
        for sample in samples {
            let (u, v) = ((sample - mean).dot(along), (sample - mean).dot(across))
            equations.add([2 * u, 2 * v, 1], equals: u * u + v * v)
        }
        guard let found = equations.solved() else { return nil }
        let squared = found[2] + found[0] * found[0] + found[1] * found[1]
        guard squared > 0 else { return nil }
        radius = squared.squareRoot()
        let centre = mean + found[0] * along + found[1] * across
        offset = centre - centre.dot(axes.x) * axes.x
    }

    /// Radians, -π to π, around the circle.
    func angle(_ measured: Vector3) -> Double {
        let arm = measured - offset
        return atan2(arm.dot(across), arm.dot(along))
    }

    /// From the centre, in the circle's plane.
    func distance(_ measured: Vector3) -> Double {
        let arm = measured - offset
        let (u, v) = (arm.dot(along), arm.dot(across))
        return (u * u + v * v).squareRoot()
    }
}
