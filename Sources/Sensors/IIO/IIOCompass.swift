package import Logging
package import Positioning

/// This machine's compass, read from the kernel's industrial I/O (IIO) sensors.
///
/// A thread polls them: sysfs files have no change notification, and reading one may take as long as a
/// measurement.
package struct IIOCompass: Sendable {
    private let settings: CompassSettings
    private let clock: @Sendable () -> Double
    private let calibration: @Sendable (_ device: String) -> MagnetometerCalibration?
    private let logger: Logger
    private let report: @Sendable (CompassCondition) -> Void

    package static let name = "compass"

    /// Least time between two headings, seconds.
    private static let pace = 0.1

    /// - Parameters:
    ///   - clock: Steady seconds.
    ///   - calibration: The stored calibration of a magnetometer; called again every few seconds.
    ///   - report: Receives the first condition and every change, on the compass's thread.
    package init(
        _ settings: CompassSettings,
        clock: @escaping @Sendable () -> Double,
        calibration: @escaping @Sendable (_ device: String) -> MagnetometerCalibration?,
        logger: Logger,
        report: @escaping @Sendable (CompassCondition) -> Void
    ) {
        self.settings = settings
        self.clock = clock
        self.calibration = calibration
        self.logger = logger
        self.report = report
    }

    /// The headings; their time starts at 0 when the source is created, and continues when it is run again.
    package var source: SensorSource {
        let start = clock()
        return SensorSource(name: Self.name) { signal, publish in
            search(signal) { sensors, condition in
                publishHeadings(&sensors, condition, signal, since: start, publish)
            }
        }
    }

    /// Passes all measurements of a magnetometer to `handler` until it returns `false`, for a calibration.
    ///
    /// - Parameter handler: Called on a separate thread with a measurement in the sensor's own axes,
    ///   microtesla, and the device's name; returns whether to continue.
    /// - Returns: A source without readings.
    package func measurements(
        _ handler: @escaping @Sendable (_ field: Vector3, _ device: String) -> Bool
    ) -> SensorSource {
        SensorSource(name: Self.name) { signal, _ in
            search(signal) { sensors, condition in
                guard sensors.measuresField else {
                    var condition = condition
                    condition.state = .waiting
                    condition.problem =
                        "\(sensors.device.title) computes headings itself; it needs no calibration"
                    report(condition)
                    return signal.stop()
                }
                measure(&sensors, condition, signal) { field, device in
                    let goesOn = handler(field, device)
                    if !goesOn { signal.stop() }
                    return goesOn
                }
            }
        }
    }

    /// Searches for the sensors and calls `use` with them, again when they are gone, until the signal.
    private func search(
        _ signal: StopSignal,
        _ use: (inout IIOSensors, CompassCondition) -> Void
    ) {
        var reported: CompassCondition?
        var known: String?
        while !signal.isStopped {
            guard var sensors = IIOSensors(settings) else {
                let condition = absence(after: known)
                if condition != reported { report(condition) }
                reported = condition
                _ = signal.wait(seconds: settings.searchSeconds)
                continue
            }
            var condition = CompassCondition()
            condition.state = .working
            condition.device = sensors.device.title
            condition.helpers = sensors.helpers
            known = sensors.device.title
            use(&sensors, condition)
            reported = nil
            // Prevents a busy loop when files vanish at once.
            _ = signal.wait(seconds: min(settings.searchSeconds, 0.2))
        }
    }

    private func absence(after known: String?) -> CompassCondition {
        var condition = CompassCondition()
        if let known {
            condition.state = .waiting
            condition.device = known
            condition.problem = "the compass \(known) is gone; it is used again when it returns"
        } else if let wanted = settings.device {
            let others = IIOSensors.names(settings)
            let list = others.isEmpty ? "no compass found" : "available: \(others.joined(separator: ", "))"
            condition.state = .waiting
            condition.problem =
                "no compass \"\(wanted)\" in \(settings.folder) (sensors.compass.device); \(list)"
        }
        return condition
    }

    /// Publishes headings until the devices are gone or the signal comes.
    private func publishHeadings(
        _ sensors: inout IIOSensors,
        _ found: CompassCondition,
        _ signal: StopSignal,
        since start: Double,
        _ publish: @Sendable (SensorReading) -> Void
    ) {
        var compass = Compass(mount: sensors.mount)
        var condition = found
        var reported: CompassCondition?
        var (inspectedAt, publishedAt, headingAt) = (-Double.infinity, -Double.infinity, clock())
        var reason: String?
        repeatAtRate(signal) { now in
            if now - inspectedAt >= settings.inspectionSeconds || now < inspectedAt {
                inspectedAt = now
                // Detects an accelerometer whose driver is loaded later.
                guard sensors.isCurrent, IIOSensors(settings)?.choice == sensors.choice else { return false }
                if !sensors.calibratesItself {
                    compass.calibration = calibration(sensors.device.title)
                    condition.calibration = compass.calibration?.quality.rawValue ?? "none"
                }
            }
            var heading: (degrees: Double, north: North)?
            switch sensors.sample(at: now - start) {
            case .success(.motion(let sample)):
                heading = compass.update(with: sample).map { ($0.degrees, .magnetic) }
                reason = Self.noDirection
            case .success(.heading(let degrees, let north)): heading = (degrees, north)
            case .success(.unknownUnit): reason = Self.unknownUnit
            case .failure(.gone): return false
            case .failure(.unavailable(let cause)): reason = cause
            }
            if let heading {
                headingAt = now
                reason = nil
                if now - publishedAt >= Self.pace || now < publishedAt {
                    publishedAt = now
                    publish(.heading(degrees: heading.degrees, north: heading.north, time: now - start))
                }
            }
            let isSilent = reason != nil && now - headingAt >= settings.patienceSeconds
            condition.state = isSilent ? .waiting : .working
            condition.problem = isSilent ? reason.map { "the compass has no heading: \($0)" } : nil
            if !isSilent, condition.calibration == "none" { condition.problem = Self.uncalibrated(found) }
            if condition != reported { report(condition) }
            reported = condition
            return true
        }
    }

    private static let noDirection =
        "the device points straight up or down, or is shaken; if it does not, correct sensors.compass.mount_matrix"
    private static let unknownUnit =
        "the unit of the sensor is unknown; turn the device once around, or set sensors.compass.rotation_scale"

    private static func uncalibrated(_ condition: CompassCondition) -> String {
        "the compass \(condition.device ?? "") is not calibrated, headings can be wrong by 90 degrees and more; "
            + "run: trilateral calibrate compass"
    }

    private func measure(
        _ sensors: inout IIOSensors,
        _ condition: CompassCondition,
        _ signal: StopSignal,
        _ handler: (_ field: Vector3, _ device: String) -> Bool
    ) {
        report(condition)
        var inspectedAt = clock()
        repeatAtRate(signal) { now in
            if now - inspectedAt >= settings.inspectionSeconds {
                inspectedAt = now
                guard sensors.isCurrent else { return false }
            }
            switch sensors.sample(at: now) {
            case .success(.motion(let sample)): return handler(sample.field, sensors.device.title)
            case .success: return true
            case .failure(.gone): return false
            case .failure(.unavailable(let cause)):
                logger.debug("compass: \(cause)")
                return true
            }
        }
    }

    /// Calls the body at the configured rate until it returns `false`, or the signal comes.
    private func repeatAtRate(_ signal: StopSignal, _ body: (_ now: Double) -> Bool) {
        let period = 1 / min(max(settings.rate, 0.1), 1000)
        var due = clock()
        while body(clock()) {
            let now = clock()
            due += period
            // After a slow sensor, or when the clock was set, continue from now.
            if due < now || due > now + period { due = now + (due < now ? 0 : period) }
            if signal.wait(seconds: due - now) { return }
        }
    }
}
