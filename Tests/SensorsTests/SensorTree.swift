import Foundation
import Logging
import Positioning
import Sensors
import TestSupport

/// A directory like the kernel's sensor directory.
struct SensorTree: Sendable {
    let folder: TemporaryFolder

    /// Files of a device, by name: those of a new device appear at once, as the kernel's do.
    func put(_ number: Int, _ files: [String: String]) throws {
        let device = "iio:device\(number)"
        let isThere = FileManager.default.fileExists(atPath: folder.path(device))
        let place = isThere ? device : "new-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: folder.path(place),
            withIntermediateDirectories: true
        )
        for (name, text) in files { try set(place, name, text) }
        if !isThere {
            try FileManager.default.moveItem(atPath: folder.path(place), toPath: folder.path(device))
        }
    }

    /// Overwrites a file in place.
    func set(_ number: Int, _ name: String, _ text: String) throws {
        try set("iio:device\(number)", name, text)
    }

    private func set(_ device: String, _ name: String, _ text: String) throws {
        let path = folder.path("\(device)/\(name)")
        if let file = FileHandle(forWritingAtPath: path) {
            // Padded, so that no reader sees half of it.
            try file.write(
                contentsOf: Data((text + "\n").padding(toLength: 40, withPad: " ", startingAt: 0).utf8)
            )
            try file.close()
        } else {
            let padded = (text + "\n").padding(toLength: max(40, text.count + 1), withPad: " ", startingAt: 0)
            try Data(padded.utf8).write(to: URL(filePath: path))
        }
    }

    /// Removes a device's files at once.
    func remove(_ number: Int) throws {
        let gone = folder.path("gone-\(UUID().uuidString)")
        try FileManager.default.moveItem(atPath: folder.path("iio:device\(number)"), toPath: gone)
        try FileManager.default.removeItem(atPath: gone)
    }

    /// Three axes of a kind, such as `in_magn`.
    static func axes(_ kind: String, _ vector: Vector3, _ suffix: String = "raw") -> [String: String] {
        [
            "\(kind)_x_\(suffix)": "\(vector.x)", "\(kind)_y_\(suffix)": "\(vector.y)",
            "\(kind)_z_\(suffix)": "\(vector.z)",
        ]
    }

    /// A device that lies flat and points to a heading: magnetometer in gauss, accelerometer in m/s².
    static func flat(_ heading: Double) -> [String: String] {
        let angle = heading * .pi / 180
        let field = Vector3(-0.2 * sin(angle), 0.2 * cos(angle), -0.4)
        return axes("in_magn", field).merging(axes("in_accel", Vector3(0, 0, 9.81))) { $1 }
            .merging(["name": "chip"]) { $1 }
    }
}

/// Readings and conditions of a source so far.
actor Outbound<Condition: Sendable & Hashable> {
    private(set) var readings: [SensorReading] = []
    private(set) var conditions: [Condition] = []

    func hear(_ reading: SensorReading) { readings.append(reading) }
    func hear(_ condition: Condition) { conditions.append(condition) }

    var headings: [(degrees: Double, north: North)] {
        readings.compactMap {
            if case .heading(let degrees, let north, _) = $0 { (degrees, north) } else { nil }
        }
    }

    /// Whether the latest headings are within a limit of `degrees`.
    func points(to degrees: Double, within limit: Double = 1) -> Bool {
        guard let last = headings.last else { return false }
        return CompassAngle.difference(from: last.degrees, to: degrees).magnitude <= limit
    }

    func forget() {
        readings = []
        conditions = []
    }
}

/// Runs the body while the source runs.
func listening<Condition: Sendable & Hashable, Result: Sendable>(
    to make: (@escaping @Sendable (Condition) -> Void) -> SensorSource,
    _ body: (Outbound<Condition>) async throws -> Result
) async throws -> Result {
    let told = Outbound<Condition>()
    let (conditions, port) = AsyncStream.makeStream(of: Condition.self)
    let source = make { port.yield($0) }
    return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await source.run { for reading in $0 { await told.hear(reading) } } }
        group.addTask { for await condition in conditions { await told.hear(condition) } }
        defer { group.cancelAll() }
        return try await body(told)
    }
}

/// Seconds of a steady clock.
@Sendable func steadySeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
