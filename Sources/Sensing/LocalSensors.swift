package import Controller
package import Logging
package import Positioning
package import Sensors
import Threading

/// This machine's own compass, gpsd and accelerometer: their sources, and the reports about their state.
package struct LocalSensors: Sendable {
    /// The sensors that are switched on.
    private let switches: Locked<Set<SensorKind>>
    private let compass: Watched<CompassCondition>?
    private let gpsd: Watched<GPSDCondition>?
    private let accelerometer: Watched<AccelerometerCondition>?

    /// - Parameters:
    ///   - compass: How this machine's compass is used; `nil` does not use it.
    ///   - gpsd: How gpsd is used; `nil` does not use it.
    ///   - accelerometer: How this machine's accelerometer is used; `nil` does not use it.
    ///   - isTracking: Whether the accelerometer runs from the start, and not only from ``setTracking(_:)`` on.
    ///   - switchedOff: The sensors that start switched off.
    ///   - calibration: The stored calibration of a magnetometer, by its name.
    package init(
        compass: CompassSettings?,
        gpsd: GPSDSettings?,
        accelerometer: AccelerometerSettings?,
        isTracking: Bool = false,
        switchedOff: Set<SensorKind>,
        calibration: @escaping @Sendable (String) -> MagnetometerCalibration?,
        clocks: SensorClocks,
        logger: Logger
    ) {
        switches = Locked(Set(SensorKind.allCases).subtracting(switchedOff))
        self.compass = compass.map { settings in
            Watched(isOn: !switchedOff.contains(.compass)) { report in
                IIOCompass(
                    settings,
                    clock: clocks.steady,
                    calibration: calibration,
                    logger: logger,
                    report: report
                ).source
            }
        }
        self.gpsd = gpsd.map { settings in
            Watched(isOn: !switchedOff.isSuperset(of: [.gps, .compass])) { report in
                GPSDClient(settings, clock: clocks.steady, logger: logger, report: report).source
            }
        }
        self.accelerometer = accelerometer.map { settings in
            Watched(isOn: isTracking) { report in
                IIOAccelerometer(settings, clock: clocks.steady, report: report).source
            }
        }
    }

    package var sources: [SensorSource] {
        [compass?.source, gpsd?.source, accelerometer?.source].compactMap { $0 }
    }

    /// Reads the accelerometer while there are positions by this machine's adapter, and not otherwise.
    package func setTracking(_ isTracking: Bool) { accelerometer?.set(on: isTracking) }

    /// A sensor that is switched off does not run; gpsd powers its receiver down when no client is connected.
    package func set(_ sensor: SensorKind, on: Bool) {
        let wanted = switches.withLock { wanted in
            if on { wanted.insert(sensor) } else { wanted.remove(sensor) }
            return wanted
        }
        compass?.set(on: wanted.contains(.compass))
        gpsd?.set(on: !wanted.isDisjoint(with: [.gps, .compass]))
    }

    /// Reports their state until the task is cancelled.
    package func run(_ report: SensorLinkReport, logger: Logger) async {
        await withDiscardingTaskGroup { group in
            group.addTask { await compass?.run("compass", report, logger: logger) }
            group.addTask { await gpsd?.run("gps", report, logger: logger) }
            group.addTask { await accelerometer?.run(IIOAccelerometer.name, report, logger: logger) }
        }
    }

    /// Prints problems until the task is cancelled, for commands other than the daemon.
    package func watch(_ print: @escaping @Sendable (String) -> Void) async {
        await withDiscardingTaskGroup { group in
            group.addTask { await compass?.watch(print) }
            group.addTask { await gpsd?.watch(print) }
            group.addTask { await accelerometer?.watch(print) }
        }
    }

    /// A source that can be switched, and its state.
    private struct Watched<Condition: SensorCondition>: Sendable {
        let source: SensorSource
        private let conditions: AsyncStream<Condition>
        private let power: AsyncStream<Bool>.Continuation

        init(isOn: Bool, make: (@escaping @Sendable (Condition) -> Void) -> SensorSource) {
            let (conditions, port) = AsyncStream.makeStream(of: Condition.self)
            let (switches, power) = AsyncStream.makeStream(
                of: Bool.self,
                bufferingPolicy: .bufferingNewest(1)
            )
            self.conditions = conditions
            self.power = power
            source = make { port.yield($0) }.running(isOn: isOn, while: switches) { port.yield(Condition()) }
        }

        func set(on: Bool) { power.yield(on) }

        func watch(_ print: @escaping @Sendable (String) -> Void) async {
            for await condition in conditions { condition.problem.map(print) }
        }

        func run(_ name: String, _ report: SensorLinkReport, logger: Logger) async {
            var last: Condition?
            for await condition in conditions {
                defer { last = condition }
                let problem = condition.problem
                if let problem, problem != last?.problem { logger.warning("\(name): \(problem)") }
                report.send(.alert(name, .warning, problem))
                if condition.summary != last?.summary { logger.info("\(name): \(condition.summary)") }
                await report.linkChanged(name, condition.isLinkUp)
            }
        }
    }
}

/// The state of a sensor of this machine.
protocol SensorCondition: Sendable, Hashable {
    /// The state while it is switched off.
    init()
    var problem: String? { get }
    /// For the health message; `nil` if there is no such sensor.
    var isLinkUp: Bool? { get }
    /// For the log.
    var summary: String { get }
}

extension CompassCondition: SensorCondition {
    var isLinkUp: Bool? { state == .absent ? nil : state == .working }

    var summary: String {
        guard state != .absent, let device else { return "no compass on this machine" }
        let with = helpers.isEmpty ? "" : " with \(helpers.joined(separator: " and "))"
        return "\(device)\(with) is \(state.rawValue)" + (calibration.map { ", calibration: \($0)" } ?? "")
    }
}

extension AccelerometerCondition: SensorCondition {
    /// Positions are estimated without it, too.
    var problem: String? { nil }
    /// It is no sensor that a user switches.
    var isLinkUp: Bool? { nil }

    var summary: String {
        guard let device else { return "none is used now" }
        return obstacle.map { "\(device) cannot be used: \($0)" } ?? "\(device) says whether the device moves"
    }
}

extension GPSDCondition: SensorCondition {
    var isLinkUp: Bool? { state == .absent ? nil : state == .connected }

    var summary: String {
        switch state {
        case .absent: return "no gpsd on this machine"
        case .waiting: return "not connected to gpsd"
        case .connected:
            let fix = (mode ?? 0) >= 2 ? "a fix" : "no fix"
            return
                "connected to gpsd \(release ?? ""), receivers: \(receivers.map { "\($0)" } ?? "unknown"), \(fix)"
        }
    }
}

extension SensorSource {
    /// The same source, running only while it is switched on.
    ///
    /// - Parameter stopped: Called after it was switched off.
    fileprivate func running(
        isOn: Bool,
        while switches: AsyncStream<Bool>,
        stopped: @escaping @Sendable () -> Void
    ) -> SensorSource {
        SensorSource(name: name) { [run] take async throws(SensorError) in
            var isOn = isOn
            while !Task.isCancelled {
                if !isOn { for await isWanted in switches where isWanted { break } }
                if Task.isCancelled { return }
                await withTaskGroup(of: Void.self) { group in
                    // A source of this machine has no end of its own.
                    group.addTask { try? await run(take) }
                    group.addTask { for await isWanted in switches where !isWanted { break } }
                    await group.next()
                    group.cancelAll()
                }
                isOn = false
                stopped()
            }
        }
    }
}
