import Glibc
package import Logging

/// Places on the earth and headings from a gpsd, which has the receivers.
///
/// It never stops trying: a gpsd that is started later, or comes back, is used then.
/// - Source: gpsd_json(5); positioning 8.2.
package struct GPSDClient: Sendable {
    private let settings: GPSDSettings
    private let clock: @Sendable () -> Double
    private let logger: Logger
    private let report: @Sendable (GPSDCondition) -> Void

    package static let name = "gpsd"

    /// Seconds that a connection may take to be made.
    private static let connectSeconds = 10.0
    private static let pieceSize = 16 * 1024

    /// - Parameters:
    ///   - clock: Steady seconds.
    ///   - report: Called on the client's thread, at first and at every change.
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

    /// What it tells; time begins with the source, also when that is run again.
    package var source: SensorSource {
        let start = clock()
        return SensorSource(name: Self.name) { signal, tell in
            var conversation = Conversation(settings: settings, report: report)
            var pause = settings.firstPause
            while !signal.isStopped {
                let why = converse(&conversation, signal, since: start, tell)
                if signal.isStopped { return }
                if conversation.hadGreeting { pause = settings.firstPause }
                conversation.ended(why)
                logger.debug("gpsd: \(why)", metadata: ["address": "\(settings.address)"])
                // By chance a little sooner, so that many do not come back at once.
                if signal.wait(seconds: pause * Double.random(in: 0.5...1)) { return }
                pause = min(pause * 2, settings.longestPause)
            }
        }
    }

    /// What is known over all attempts.
    private struct Conversation {
        let settings: GPSDSettings
        let report: @Sendable (GPSDCondition) -> Void
        private(set) var hadGreeting = false
        private var condition = GPSDCondition()
        private var told: GPSDCondition?
        private var wasThere = false

        init(settings: GPSDSettings, report: @escaping @Sendable (GPSDCondition) -> Void) {
            self.settings = settings
            self.report = report
        }

        mutating func begin() { hadGreeting = false }

        mutating func note(_ session: GPSDSession) {
            guard let release = session.release else { return }
            hadGreeting = true
            wasThere = true
            condition.state = .connected
            condition.release = release
            condition.receivers = session.receivers
            condition.mode = session.mode
            condition.problem = session.doubt.map { "the gpsd at \(settings.address): \($0)" }
            tell()
        }

        mutating func ended(_ why: String) {
            condition = GPSDCondition()
            if wasThere || settings.isAskedFor {
                condition.state = .waiting
                condition.problem = "no link to the gpsd at \(settings.address): \(why); it is tried again"
            }
            tell()
        }

        private mutating func tell() {
            if condition != told { report(condition) }
            told = condition
        }
    }

    /// Talks as long as the link holds; why it does not.
    private func converse(
        _ conversation: inout Conversation,
        _ signal: StopSignal,
        since start: Double,
        _ tell: (SensorReading) -> Void
    ) -> String {
        conversation.begin()
        let link: StreamSocket
        switch StreamSocket.connected(
            to: settings.host,
            port: settings.port,
            within: Self.connectSeconds,
            unless: signal
        ) {
        case .success(let made): link = made
        case .failure(let fault): return fault.text
        }
        var session = GPSDSession(wantsTrueNorth: settings.wantsTrueNorth, at: clock() - start)
        guard link.send(GPSDSession.watch) else { return "the connection was lost" }
        defer { _ = link.send(GPSDSession.unwatch) }
        while true {
            let wait = session.deadline - (clock() - start)
            var outcomes: [GPSDSession.Outcome] = []
            switch link.receive(upTo: Self.pieceSize, within: wait, unless: signal) {
            case .bytes(let bytes): outcomes = session.hear(bytes, at: clock() - start)
            case .timeOver: break
            case .stopped: return "it ends"
            case .ended(let why): return why
            }
            outcomes += session.wake(at: clock() - start)
            for outcome in outcomes {
                switch outcome {
                case .reading(let reading): tell(reading)
                case .changed: conversation.note(session)
                case .send(let text): guard link.send(text) else { return "the connection was lost" }
                case .failed(let why): return why
                }
            }
        }
    }
}
