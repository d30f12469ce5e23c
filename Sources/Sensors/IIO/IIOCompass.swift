package import Logging
package import Positioning

/// This machine's own compass: sensors that the kernel's industrial I/O shows.
///
/// They are read on a thread, again and again: files of sysfs cannot be waited for, and reading one may take as long as
/// the sensor needs to measure.
package struct IIOCompass: Sendable {
    private let settings: CompassSettings
    private let clock: @Sendable () -> Double
    private let calibration: @Sendable (_ device: String) -> MagnetometerCalibration?
    private let logger: Logger
    private let report: @Sendable (CompassCondition) -> Void

    package static let name = "compass"

    /// Headings are told at most so often, seconds apart.
    private static let pace = 0.1

    /// - Parameters:
    ///   - clock: Steady seconds.
    ///   - calibration: What was found out about a magnetometer; asked again every few seconds.
    ///   - report: Called on the compass's thread, at first and at every change.
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

    /// Its headings; time begins with the source, also when that is run again.
    package var source: SensorSource {
        let start = clock()
        return SensorSource(name: Self.name) { signal, tell in
            search(signal, asking: report) { sensors, condition in
                follow(&sensors, condition, signal, since: start, tell)
            }
        }
    }

    /// Tells all that a magnetometer measures until `take` has had enough, for a calibration.
    ///
    /// - Parameter take: A measurement in the sensor's own axes, microtesla, and what the device is called. Called on a
    ///   thread of its own; returns whether to go on.
    /// - Returns: A source that tells no readings.
    package func measurements(
        _ take: @escaping @Sendable (_ field: Vector3, _ device: String) -> Bool
    ) -> SensorSource {
        SensorSource(name: Self.name) { signal, _ in
            search(signal, asking: report) { sensors, condition in
                guard sensors.measuresField else {
                    var condition = condition
                    condition.state = .waiting
                    condition.problem =
                        "\(sensors.device.title) makes its headings itself: there is nothing to calibrate"
                    report(condition)
                    return signal.stop()
                }
                measure(&sensors, condition, signal) { field, device in
                    let goesOn = take(field, device)
                    if !goesOn { signal.stop() }
                    return goesOn
                }
            }
        }
    }

    /// Looks for the sensors and has them used, again when they have gone, until the signal.
    private func search(
        _ signal: StopSignal,
        asking report: @Sendable (CompassCondition) -> Void,
        _ use: (inout IIOSensors, CompassCondition) -> Void
    ) {
        var told: CompassCondition?
        var known: String?
        while !signal.isStopped {
            guard var sensors = IIOSensors(settings) else {
                let condition = absence(after: known)
                if condition != told { report(condition) }
                told = condition
                _ = signal.wait(seconds: settings.searchSeconds)
                continue
            }
            var condition = CompassCondition()
            condition.state = .working
            condition.device = sensors.device.title
            condition.helpers = sensors.helpers
            known = sensors.device.title
            use(&sensors, condition)
            told = nil
            // Files that vanish at once must not keep a core busy.
            _ = signal.wait(seconds: min(settings.searchSeconds, 0.2))
        }
    }

    private func absence(after known: String?) -> CompassCondition {
        var condition = CompassCondition()
        if let known {
            condition.state = .waiting
            condition.device = known
            condition.problem = "the compass \(known) has gone; it is used again when it comes back"
        } else if let wanted = settings.device {
            let others = IIOSensors.names(settings)
            let list = others.isEmpty ? "there is none" : "there are: \(others.joined(separator: ", "))"
            condition.state = .waiting
            condition.problem =
                "there is no compass \"\(wanted)\" below \(settings.folder) (sensors.compass.device); \(list)"
        }
        return condition
    }

    /// Tells headings until the devices have gone or the signal comes.
    private func follow(
        _ sensors: inout IIOSensors,
        _ found: CompassCondition,
        _ signal: StopSignal,
        since start: Double,
        _ tell: @Sendable (SensorReading) -> Void
    ) {
        var compass = Compass(mount: sensors.mount)
        var condition = found
        var told: CompassCondition?
        var (lookedAt, toldAt, headingAt) = (-Double.infinity, -Double.infinity, clock())
        var reason: String?
        repeatAtRate(signal) { now in
            if now - lookedAt >= settings.inspectionSeconds || now < lookedAt {
                lookedAt = now
                // An accelerometer whose driver is loaded later is not to be missed.
                guard sensors.isCurrent, IIOSensors(settings)?.choice == sensors.choice else { return false }
                if !sensors.calibratesItself {
                    compass.calibration = calibration(sensors.device.title)
                    condition.calibration = compass.calibration?.quality.rawValue ?? "none"
                }
            }
            var heading: (degrees: Double, north: North)?
            switch sensors.look(at: now - start) {
            case .success(.motion(let sample)):
                heading = compass.update(with: sample).map { ($0.degrees, .magnetic) }
                reason = Self.noDirection
            case .success(.heading(let degrees, let north)): heading = (degrees, north)
            case .success(.unknownUnit): reason = Self.unknownUnit
            case .failure(.gone): return false
            case .failure(.missed(let why)): reason = why
            }
            if let heading {
                headingAt = now
                reason = nil
                if now - toldAt >= Self.pace || now < toldAt {
                    toldAt = now
                    tell(.heading(degrees: heading.degrees, north: heading.north, time: now - start))
                }
            }
            let isSilent = reason != nil && now - headingAt >= settings.patienceSeconds
            condition.state = isSilent ? .waiting : .working
            condition.problem = isSilent ? reason.map { "the compass has no heading: \($0)" } : nil
            if !isSilent, condition.calibration == "none" { condition.problem = Self.uncalibrated(found) }
            if condition != told { report(condition) }
            told = condition
            return true
        }
    }

    private static let noDirection =
        "its front points straight up or down, or it is shaken; sensors.compass.mount_matrix says where the front is"
    private static let unknownUnit =
        "the sensor does not name its unit; turn the device once around, or set sensors.compass.rotation_scale"

    private static func uncalibrated(_ condition: CompassCondition) -> String {
        "the compass \(condition.device ?? "") is not calibrated, its headings can be wrong by 90 degrees and more; "
            + "run: trilateral calibrate compass"
    }

    private func measure(
        _ sensors: inout IIOSensors,
        _ condition: CompassCondition,
        _ signal: StopSignal,
        _ take: (_ field: Vector3, _ device: String) -> Bool
    ) {
        report(condition)
        var lookedAt = clock()
        repeatAtRate(signal) { now in
            if now - lookedAt >= settings.inspectionSeconds {
                lookedAt = now
                guard sensors.isCurrent else { return false }
            }
            switch sensors.look(at: now) {
            case .success(.motion(let sample)): return take(sample.field, sensors.device.title)
            case .success: return true
            case .failure(.gone): return false
            case .failure(.missed(let why)):
                logger.debug("compass: \(why)")
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
            // A sensor that is slower than the rate, or a clock that was set: no hurry, and no long wait.
            if due < now || due > now + period { due = now + (due < now ? 0 : period) }
            if signal.wait(seconds: due - now) { return }
        }
    }
}
