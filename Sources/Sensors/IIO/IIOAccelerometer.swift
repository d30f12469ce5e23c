import Positioning

/// Says whether this machine moves, from an accelerometer of the kernel's industrial I/O (IIO).
///
/// A thread reads it a few times a second. The kernel's buffers would wake up the process as often, need more rights than
/// to read a file, and belong to one program at a time; its events of motion exist for few chips.
/// - Source: contrib/contract/positioning.md, "6.11 The moving flag".
package struct IIOAccelerometer: Sendable {
    private let settings: AccelerometerSettings
    private let clock: @Sendable () -> Double
    private let report: @Sendable (AccelerometerCondition) -> Void

    package static let name = "accelerometer"

    /// - Parameters:
    ///   - clock: Steady seconds.
    ///   - report: Receives the first condition and every change, on the accelerometer's thread.
    package init(
        _ settings: AccelerometerSettings,
        clock: @escaping @Sendable () -> Double,
        report: @escaping @Sendable (AccelerometerCondition) -> Void
    ) {
        self.settings = settings
        self.clock = clock
        self.report = report
    }

    /// Whether the machine moves: at every change, and once a second; nothing while that is not known.
    package var source: SensorSource {
        let start = clock()
        return SensorSource(name: Self.name) { signal, publish in
            var reported: AccelerometerCondition?
            while !signal.isStopped {
                guard let (device, sensor) = find() else {
                    if reported != AccelerometerCondition() { report(AccelerometerCondition()) }
                    reported = AccelerometerCondition()
                    _ = signal.wait(seconds: settings.searchSeconds)
                    continue
                }
                watch(sensor, named: device.title, signal, since: start, publish)
                reported = nil
                // Prevents a busy loop when files vanish at once.
                _ = signal.wait(seconds: min(settings.searchSeconds, 0.2))
            }
        }
    }

    private func find() -> (IIODevice, IIOTriad)? {
        for device in IIODevice.all(below: settings.folder) {
            guard settings.device.map(device.matches) ?? !device.isInBase else { continue }
            if let sensor = IIOTriad(.acceleration, of: device) { return (device, sensor) }
        }
        return nil
    }

    /// Reads the sensor until it is gone or the signal comes.
    private func watch(
        _ sensor: IIOTriad,
        named device: String,
        _ signal: StopSignal,
        since start: Double,
        _ publish: @Sendable (SensorReading) -> Void
    ) {
        var detector = ShakeDetector()
        var condition = AccelerometerCondition()
        condition.device = device
        report(condition)
        let period = 1 / min(max(settings.rate, 1), 100)
        var (inspectedAt, usedAt) = (clock(), clock())
        var published: (isMoving: Bool, at: Double)?
        repeat {
            let now = clock()
            if now - inspectedAt >= settings.inspectionSeconds {
                inspectedAt = now
                guard sensor.isCurrent else { return }
            }
            var obstacle = Self.implausible
            do throws(SysfsError) {
                if let isMoving = detector.update(with: try sensor.read(), at: now - start) {
                    usedAt = now
                    if published?.isMoving != isMoving
                        || now - (published?.at ?? now) >= settings.repeatSeconds
                    {
                        published = (isMoving, now)
                        publish(.moving(isMoving, time: now - start))
                    }
                }
            } catch {
                switch error {
                case .gone: return
                case .unavailable(let cause): obstacle = cause
                }
            }
            let before = condition
            condition.obstacle = now - usedAt >= settings.patienceSeconds ? obstacle : nil
            if condition != before { report(condition) }
        } while !signal.wait(seconds: period)
    }

    private static let implausible = "it does not measure gravity: its unit is not known, or it does not work"
}
