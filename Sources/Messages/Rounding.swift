import Flare

extension Double {
    /// Rounded to a whole number of parts, 100 for two decimals; what is not finite stays as it is.
    func rounded(to parts: Double) -> Double {
        let rounded = (self * parts).rounded() / parts
        // Not "-0": readers compare texts.
        return rounded == 0 ? 0 : rounded.isFinite ? rounded : self
    }

    /// Whole degrees, 0…359; `nil` for what is not finite.
    var compassDegrees: Int? {
        guard isFinite else { return nil }
        let turned = truncatingRemainder(dividingBy: 360).rounded()
        let degrees = Int(turned)
        return degrees < 0 ? degrees + 360 : degrees % 360
    }
}

extension Point3D {
    /// Rounded to the millimetre.
    var toMillimetres: Point3D {
        Point3D(x: x.rounded(to: 1000), y: y.rounded(to: 1000), z: z.rounded(to: 1000))
    }
}
