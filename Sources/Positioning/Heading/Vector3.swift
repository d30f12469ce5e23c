/// Three components along the axes of a device: x to the right, y forward, z up out of its screen.
package typealias Vector3 = SIMD3<Double>

extension Vector3 {
    package func dot(_ other: Vector3) -> Double { (self * other).sum() }

    package func cross(_ other: Vector3) -> Vector3 {
        Vector3(
            y * other.z - z * other.y,
            z * other.x - x * other.z,
            x * other.y - y * other.x
        )
    }

    package var length: Double { dot(self).squareRoot() }

    /// The unit vector; `nil` for a zero or infinite vector.
    package var direction: Vector3? {
        let length = length
        return length > 1e-12 && length.isFinite ? self / length : nil
    }

    package var isFinite: Bool { x.isFinite && y.isFinite && z.isFinite }
}
