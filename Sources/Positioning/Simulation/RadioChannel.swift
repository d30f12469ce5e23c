import Flare
import Glibc

/// The radio path from one simulated beacon to the walker.
struct RadioChannel {
    private let settings: RadioSettings
    private let place: Point3D
    private let power: Double
    private let shadow: [Wave]
    /// For each of the three advertising channels.
    private let reflections: [[Wave]]

    /// A plane wave over the floor.
    private struct Wave {
        let kx: Double
        let ky: Double
        let phase: Double

        func angle(at point: Point3D) -> Double { kx * point.x + ky * point.y + phase }
    }

    private static let wavelengthMetres = 0.1225
    /// Lower limit of the distance in the path loss, metres.
    private static let nearestMetres = 0.1

    init(
        beacon: WalkSimulator.Beacon,
        settings: RadioSettings,
        receiverOffset: Double,
        generator: inout SeededGenerator
    ) {
        self.settings = settings
        place = beacon.position
        let offset = generator.normal(deviation: settings.beaconOffsetDecibels)
        power = Double(beacon.powerAtOneMetre) + offset + receiverOffset
        let length = max(settings.shadowingMetres, 0.1)
        shadow = (0..<24).map { _ in
            Wave(
                kx: generator.normal(deviation: 1 / length),
                ky: generator.normal(deviation: 1 / length),
                phase: 2 * .pi * generator.unit()
            )
        }
        reflections = (0..<3).map { _ in
            (0..<8).map { _ in
                let direction = 2 * .pi * generator.unit()
                let k = 2 * .pi / Self.wavelengthMetres
                return Wave(
                    kx: k * cos(direction),
                    ky: k * sin(direction),
                    phase: 2 * .pi * generator.unit()
                )
            }
        }
    }

    /// Received power in dBm on one of the three advertising channels.
    func power(at antenna: Point3D, pose: WalkRoute.Pose, walls: WallPlan, channel: Int) -> Double {
        let distance = max(place.distance(to: antenna), Self.nearestMetres)
        let path = 10 * settings.pathLossExponent * log10(distance)
        let inWalls =
            settings.wallLossDecibels * Double(min(walls.walls(from: antenna, to: place), settings.mostWalls))
        return power - path - inWalls - shadowing(at: antenna) - bodyLoss(pose)
            + fading(at: antenna, reflections[channel % reflections.count])
    }

    /// A sum of waves of random direction and length: a field that is correlated over a distance.
    private func shadowing(at point: Point3D) -> Double {
        let sum = shadow.reduce(0) { $0 + cos($1.angle(at: point)) }
        return settings.shadowingDecibels * (2 / Double(shadow.count)).squareRoot() * sum
    }

    private func bodyLoss(_ pose: WalkRoute.Pose) -> Double {
        let (dx, dy) = (place.x - pose.position.x, place.y - pose.position.y)
        let length = hypot(dx, dy)
        guard length > 0 else { return 0 }
        let cosine = (dx * pose.facingX + dy * pose.facingY) / length
        return settings.bodyLossDecibels * (1 - cosine) / 2
    }

    /// Rician fading: one direct wave and eight reflected ones, relative to their mean, dB.
    private func fading(at point: Point3D, _ waves: [Wave]) -> Double {
        let direct = (settings.ricianFactor / (settings.ricianFactor + 1)).squareRoot()
        let each = (1 / (settings.ricianFactor + 1) / Double(waves.count)).squareRoot()
        var (real, imaginary) = (direct, 0.0)
        for wave in waves {
            let angle = wave.angle(at: point)
            real += each * cos(angle)
            imaginary += each * sin(angle)
        }
        return 10 * log10(max(real * real + imaginary * imaginary, 1e-6))
    }
}
