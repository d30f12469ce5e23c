package import Logging
import Threading

/// Reads locations and headings from a gpsd.
///
/// It retries for ever, so a gpsd that starts later, or restarts, is used.
/// - Source: gpsd_json(5); contrib/contract/positioning.md, "8.2 gpsd".
package struct GPSDClient: Sendable {
    private let settings: GPSDSettings
    private let clock: @Sendable () -> Double
    private let logger: Logger
    private let report: @Sendable (GPSDCondition) -> Void

    package static let name = "gpsd"

    /// Timeout of a connection attempt, seconds.
    private static let connectSeconds = 10.0
    private static let pieceSize = 16 * 1024

    /// - Parameters:
    ///   - clock: Steady seconds.
    ///   - report: Receives the first condition and every change, on the client's thread.
    package init(
        _ settings: GPSDSettings,
        clock: @escaping @Sendable () -> Double,
        logger: Logger,
        report: @escaping @Sendable (GPSDCondition) -> Void
    ) {
        self.settings = settings
        self.clock = clock
        self.logger = logger
        self.report = report
    }

    /// The readings; their time starts at 0 when the source is created, and continues when it is run again.
    package var source: SensorSource {
        let start = clock()
        return SensorSource(name: Self.name) { signal, publish in
            var monitor = ConnectionMonitor(settings: settings, report: report)
            var backoff = Backoff(
                minimumSeconds: settings.firstPause,
                maximumSeconds: settings.longestPause
            )
            while !signal.isStopped {
                let reason = runSession(&monitor, signal, since: start, publish)
                if signal.isStopped { return }
                if monitor.hadGreeting { backoff.linkLost(wasSteady: true) }
                monitor.ended(reason)
                logger.debug("gpsd: \(reason)", metadata: ["address": "\(settings.address)"])
                if signal.wait(seconds: backoff.next() / .seconds(1)) { return }
            }
        }
    }

    /// The condition over all connection attempts.
    private struct ConnectionMonitor {
        let settings: GPSDSettings
        let report: @Sendable (GPSDCondition) -> Void
        private(set) var hadGreeting = false
        private var condition = GPSDCondition()
        private var reported: GPSDCondition?
        private var wasConnected = false

        init(settings: GPSDSettings, report: @escaping @Sendable (GPSDCondition) -> Void) {
            self.settings = settings
            self.report = report
        }

        mutating func begin() { hadGreeting = false }

        mutating func update(from session: GPSDSession) {
            guard let release = session.release else { return }
            hadGreeting = true
            wasConnected = true
            condition.state = .connected
            condition.release = release
            condition.receivers = session.receivers
            condition.mode = session.mode
            condition.problem = session.warning.map { "the gpsd at \(settings.address): \($0)" }
            reportIfChanged()
        }

        mutating func ended(_ reason: String) {
            condition = GPSDCondition()
            if wasConnected || settings.isConfigured {
                condition.state = .waiting
                condition.problem = "no connection to the gpsd at \(settings.address): \(reason); retrying"
            }
            reportIfChanged()
        }

        private mutating func reportIfChanged() {
            if condition != reported { report(condition) }
            reported = condition
        }
    }

    /// Runs a session until the connection fails, and returns the reason.
    private func runSession(
        _ monitor: inout ConnectionMonitor,
        _ signal: StopSignal,
        since start: Double,
        _ publish: (SensorReading) -> Void
    ) -> String {
        monitor.begin()
        let link: StreamSocket
        switch StreamSocket.connected(
            to: settings.host,
            port: settings.port,
            within: Self.connectSeconds,
            unless: signal
        ) {
        case .success(let connected): link = connected
        case .failure(let error): return error.text
        }
        var session = GPSDSession(wantsTrueNorth: settings.wantsTrueNorth, at: clock() - start)
        guard link.send(GPSDSession.watch) else { return "the connection was lost" }
        defer { _ = link.send(GPSDSession.unwatch) }
        while true {
            let wait = session.deadline - (clock() - start)
            var outcomes: [GPSDSession.Outcome] = []
            switch link.receive(upTo: Self.pieceSize, within: wait, unless: signal) {
            case .bytes(let bytes): outcomes = session.receive(bytes, at: clock() - start)
            case .timedOut: break
            case .stopped: return "stopped"
            case .ended(let reason): return reason
            }
            outcomes += session.wake(at: clock() - start)
            for outcome in outcomes {
                switch outcome {
                case .reading(let reading): publish(reading)
                case .changed: monitor.update(from: session)
                case .send(let text): guard link.send(text) else { return "the connection was lost" }
                case .failed(let reason): return reason
                }
            }
        }
    }
}
