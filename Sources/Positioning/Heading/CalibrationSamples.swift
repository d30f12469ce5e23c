import Glibc

/// Collects measurements of a magnetometer while it is turned, spread over all directions, and computes a
/// calibration.
package struct CalibrationSamples: Sendable {
    /// Directions are divided into bands of equal area from straight down to straight up, and each band into
    /// cells around.
    package static let bands = 6
    package static let cells = 12

    static let neededSamples = 200
    static let neededCoverage = 0.6
    static let neededFlatSamples = 36
    static let neededFlatCoverage = 0.75
    static let allowedSpread = 0.06
    private static let mostPerCell = 8
    /// Largest plausible measurement, microtesla.
    private static let largest = 5000.0
    /// Least extent of the measurements that is not noise, microtesla.
    private static let leastExtent = 20.0
    /// Of the samples within a cube of this side only the first is kept, microtesla.
    private static let grain = 3.0

    private(set) var samples: [Vector3] = []
    private var cubes: Set<SIMD3<Int32>> = []
    private var low = Vector3(repeating: .infinity)
    private var high = Vector3(repeating: -.infinity)
    private var centre: Vector3?
    private var counts = [Int](repeating: 0, count: bands * cells)
    private var recountAt = 8

    package init() {}

    /// Adds a measurement, microtesla.
    /// - Returns: `true` when it was kept because it adds information.
    package mutating func add(_ measured: Vector3) -> Bool {
        guard measured.isFinite, measured.length < Self.largest else { return false }
        low = pointwiseMin(low, measured)
        high = pointwiseMax(high, measured)
        let cell = centre.flatMap { Self.cell(of: measured - $0) }
        if let cell, counts[cell] >= Self.mostPerCell { return false }
        guard samples.count < Self.bands * Self.cells * Self.mostPerCell * 2,
            cubes.insert(SIMD3<Int32>(measured / Self.grain, rounding: .down)).inserted
        else { return false }
        samples.append(measured)
        if let cell { counts[cell] += 1 }
        if samples.count >= recountAt {
            recountAt += max(8, samples.count / 8)
            recount()
        }
        return true
    }

    package var count: Int { samples.count }

    /// The fraction of all directions covered, around the centre as estimated so far.
    package var coverage: Double { Double(counts.count { $0 > 0 }) / Double(counts.count) }

    /// The fraction of a turn on the spot covered.
    package var flatCoverage: Double { Circle(fitting: samples).map(coverage) ?? 0 }

    private func coverage(of circle: Circle) -> Double {
        var seen = Set<Int>()
        for angle in samples.map(circle.angle) {
            seen.insert(min(Int((angle / (2 * .pi) + 0.5) * Double(Self.cells)), Self.cells - 1))
        }
        return Double(seen.count) / Double(Self.cells)
    }

    /// Whether a direction is covered, by band from straight down, and by cell clockwise from behind.
    package func isCovered(band: Int, cell: Int) -> Bool {
        let index = band * Self.cells + cell
        return counts.indices.contains(index) && counts[index] > 0
    }

    /// A calibration for every orientation of the device.
    package func full() -> Result<MagnetometerCalibration, CalibrationRefusal> {
        guard samples.count >= Self.neededSamples else {
            return .failure(.tooFew(samples: samples.count, needed: Self.neededSamples))
        }
        guard var ellipsoid = Ellipsoid(fitting: samples) else { return .failure(.noEllipsoid) }
        // Fit again without outliers: somebody may have walked by with keys.
        let errors = samples.map { (ellipsoid.corrected($0).length / ellipsoid.radius - 1).magnitude }
        let limit = 3 * (errors.reduce(0) { $0 + $1 * $1 } / Double(errors.count)).squareRoot()
        let kept = zip(samples, errors).filter { $0.1 <= limit }.map(\.0)
        if kept.count < samples.count, kept.count * 20 >= samples.count * 19,
            let better = Ellipsoid(fitting: kept)
        {
            ellipsoid = better
        }
        let corrected = kept.map(ellipsoid.corrected)
        var seen = Set<Int>()
        for sample in corrected { if let cell = Self.cell(of: sample) { seen.insert(cell) } }
        let coverage = Double(seen.count) / Double(counts.count)
        let spread = Self.spread(corrected.map(\.length))
        guard coverage >= Self.neededCoverage else {
            return .failure(.uncovered(coverage: coverage, needed: Self.neededCoverage))
        }
        guard ellipsoid.ratio <= 3 else { return .failure(.crooked(ratio: ellipsoid.ratio)) }
        guard spread < Self.allowedSpread else {
            return .failure(.uneven(spread: spread, allowed: Self.allowedSpread))
        }
        guard (5...500).contains(ellipsoid.radius) else { return .failure(.noField(ellipsoid.radius)) }
        return .success(
            MagnetometerCalibration(
                offset: ellipsoid.centre,
                stretch: ellipsoid.stretch,
                field: ellipsoid.radius,
                quality: .full,
                spread: spread,
                coverage: coverage,
                samples: kept.count
            )
        )
    }

    /// A calibration for a device that was turned on the spot, valid only in that orientation.
    package func partial() -> Result<MagnetometerCalibration, CalibrationRefusal> {
        guard samples.count >= Self.neededFlatSamples else {
            return .failure(.tooFew(samples: samples.count, needed: Self.neededFlatSamples))
        }
        guard let circle = Circle(fitting: samples), circle.radius >= 2 else {
            return .failure(.noEllipsoid)
        }
        let coverage = coverage(of: circle)
        guard coverage >= Self.neededFlatCoverage else {
            return .failure(.uncovered(coverage: coverage, needed: Self.neededFlatCoverage))
        }
        let spread = Self.spread(samples.map(circle.distance))
        guard spread < Self.allowedSpread else {
            return .failure(.uneven(spread: spread, allowed: Self.allowedSpread))
        }
        let lengths = samples.map { ($0 - circle.offset).length }
        return .success(
            MagnetometerCalibration(
                offset: circle.offset,
                stretch: .identity,
                field: lengths.reduce(0, +) / Double(lengths.count),
                quality: .partial,
                spread: spread,
                coverage: coverage,
                samples: samples.count
            )
        )
    }

    private mutating func recount() {
        guard let centre = roughCentre else { return }
        self.centre = centre
        counts = [Int](repeating: 0, count: counts.count)
        for sample in samples { if let cell = Self.cell(of: sample - centre) { counts[cell] += 1 } }
    }

    /// The approximate centre; `nil` while it cannot be estimated.
    private var roughCentre: Vector3? {
        let extent = high - low
        guard extent.max() >= Self.leastExtent else { return nil }
        let middle = (low + high) / 2
        // Samples in a plane, or nearly, fit many spheres.
        guard samples.count >= 20, extent.min() > 0.4 * extent.max() else { return middle }
        var sphere = LeastSquares(unknowns: 4)
        for sample in samples.map({ $0 - middle }) {
            sphere.add([2 * sample.x, 2 * sample.y, 2 * sample.z, 1], equals: sample.dot(sample))
        }
        guard let found = sphere.solved() else { return middle }
        let shift = Vector3(found[0], found[1], found[2])
        return shift.length < extent.max() ? middle + shift : middle
    }

    private static func cell(of vector: Vector3) -> Int? {
        guard let direction = vector.direction else { return nil }
        let band = Int((direction.z + 1) / 2 * Double(bands))
        let cell = Int((atan2(direction.x, direction.y) / (2 * .pi) + 0.5) * Double(cells))
        return min(max(band, 0), bands - 1) * cells + min(max(cell, 0), cells - 1)
    }

    private static func spread(_ lengths: [Double]) -> Double {
        let mean = lengths.reduce(0, +) / Double(lengths.count)
        let variance = lengths.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(lengths.count)
        return variance.squareRoot() / mean
    }
}
