import Foundation
import Positioning
import Sensors
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct IIOAccelerometerTests {
    private func withAccelerometer<Result: Sendable>(
        _ devices: [[String: String]] = [],
        _ change: (inout AccelerometerSettings) -> Void = { _ in },
        _ body: (SensorTree, Outbound<AccelerometerCondition>) async throws -> Result
    ) async throws -> Result {
        try await withTemporaryFolder { folder in
            let tree = SensorTree(folder: folder)
            for (number, files) in devices.enumerated() { try tree.put(number, files) }
            var settings = AccelerometerSettings()
            settings.folder = folder.path
            settings.rate = 50
            settings.searchSeconds = 0.02
            change(&settings)
            // Four seconds of the detector pass in one.
            return try await listening(to: { report in
                IIOAccelerometer(settings, clock: { 4 * steadySeconds() }, report: report).source
            }) { try await body(tree, $0) }
        }
    }

    private func files(_ name: String, gravity: Double = 9.81, _ more: [String: String] = [:])
        -> [String: String]
    {
        SensorTree.axes("in_accel", Vector3(0, 0, gravity)).merging(["name": name]) { $1 }
            .merging(more) { $1 }
    }

    @Test func `a machine at rest is said to rest, and one that is shaken to move`() async throws {
        try await withAccelerometer([files("chip")]) { tree, told in
            #expect(await eventually { await told.says(false) })
            #expect(await told.conditions.last?.device == "chip")
            #expect(await told.readings.allSatisfy { if case .moving(false, _) = $0 { true } else { false } })
            var turn = 0
            let isMoving = try await eventually {
                turn += 1
                try tree.set(0, "in_accel_z_raw", turn % 2 == 0 ? "7" : "13")
                return await told.says(true)
            }
            #expect(isMoving)
            try tree.set(0, "in_accel_z_raw", "9.81")
            #expect(await eventually { await told.says(false) })
        }
    }

    @Test func `the same is said again once a second, with the time since the start`() async throws {
        try await withAccelerometer([files("chip")]) { _, told in
            #expect(await eventually { await told.readings.count >= 3 })
            let times = await told.readings.map(\.time)
            #expect(times.allSatisfy { $0 >= 0.99 && $0 < 1000 })
            #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 >= 0.999 }, "\(times)")
        }
    }

    @Test func `the kernel's scale is applied`() async throws {
        let counts = files("chip", gravity: 1024, ["in_accel_scale": "0.00958"])
        try await withAccelerometer([counts]) { _, told in
            #expect(await eventually { await told.says(false) })
        }
    }

    @Test func `what does not measure gravity says nothing, and the condition says why`() async throws {
        try await withAccelerometer([files("raw", gravity: 256)]) { tree, told in
            #expect(await eventually { await told.conditions.last?.obstacle?.contains("gravity") == true })
            #expect(await told.readings.isEmpty)
            try tree.set(0, "in_accel_z_raw", "none")
            #expect(
                await eventually { await told.conditions.last?.obstacle?.contains("not a number") == true }
            )
            try tree.set(0, "in_accel_z_raw", "9.81")
            #expect(await eventually { await told.says(false) })
            #expect(await eventually { await told.conditions.last?.obstacle == nil })
        }
    }

    @Test func `the base of a laptop does not count, unless it is named`() async throws {
        let laptop = [
            files("base", ["label": "accel-base"]), files("lid", ["label": "accel-display"]),
        ]
        try await withAccelerometer(laptop) { _, told in
            #expect(await eventually { await told.conditions.last?.device == "lid" })
        }
        try await withAccelerometer(laptop, { $0.device = "accel-base" }) { _, told in
            #expect(await eventually { await told.conditions.last?.device == "base" })
        }
        try await withAccelerometer([files("base", ["location": "base"])]) { _, told in
            #expect(await eventually { await !told.conditions.isEmpty })
            #expect(await told.conditions == [AccelerometerCondition()])
        }
    }

    @Test func `an accelerometer that comes, goes and returns is used again`() async throws {
        let often: @Sendable (inout AccelerometerSettings) -> Void = { $0.inspectionSeconds = 0.02 }
        try await withAccelerometer([["name": "light"]], often) { tree, told in
            #expect(await eventually { await told.conditions == [AccelerometerCondition()] })
            for name in ["one", "two"] {
                try tree.put(1, files(name))
                #expect(await eventually { await told.conditions.last?.device == name })
                #expect(await eventually { await told.says(false) })
                try tree.remove(1)
                #expect(await eventually { await told.conditions.last == AccelerometerCondition() })
                await told.forget()
            }
        }
    }
}

extension Outbound {
    /// Whether the last reading says that the device moves, or does not.
    fileprivate func says(_ isMoving: Bool) -> Bool {
        if case .moving(isMoving, _)? = readings.last { true } else { false }
    }
}
