package import Logging
package import MQTT
import Messages
package import Sensors

/// What other programs say on the broker, as a source of readings: on `B/sensors/…/raw`, and what ESPresense nodes hear.
///
/// All of it is one source with one clock, so that one position comes of it.
package struct RawReadings: Sendable {
    private let client: MQTTClient
    private let root: String
    private let espresense: String?
    private let logger: Logger
    private let report: @Sendable (RefusedReadings) -> Void

    package static let name = "broker"

    /// How long after the last beacon silence is still told, seconds: long enough for "lost" to be noticed.
    private static let attention = 30.0

    private enum Item {
        case message(RawSensor, MQTTMessage)
        case report(MQTTMessage)
        case second
        case minute
    }

    /// - Parameters:
    ///   - root: `<base>/<node>`.
    ///   - espresense: The topic filter of what ESPresense nodes publish about this device; `nil` ignores them.
    ///   - report: Called when a reading was refused, and when a problem is over.
    package init(
        client: MQTTClient,
        root: String,
        espresense: String?,
        logger: Logger,
        report: @escaping @Sendable (RefusedReadings) -> Void = { _ in }
    ) {
        self.client = client
        self.root = root
        self.espresense = espresense
        self.logger = logger
        self.report = report
    }

    package var source: SensorSource {
        SensorSource(name: Self.name) { take async throws(SensorError) in await run(take) }
    }

    private func run(_ take: SensorSource.Handler) async {
        let (items, port) = AsyncStream.makeStream(of: Item.self)
        await withDiscardingTaskGroup { group in
            for sensor in RawSensor.allCases {
                let messages = client.subscribe([Topics(root: root).raw(sensor.rawValue)], qos: .atMostOnce)
                group.addTask { for await message in messages { port.yield(.message(sensor, message)) } }
            }
            if let espresense {
                let messages = client.subscribe([espresense], qos: .atMostOnce)
                group.addTask { for await message in messages { port.yield(.report(message)) } }
            }
            var lastHeard = -Double.infinity
            var isTicking = false
            group.addTask {
                while (try? await Task.sleep(for: .seconds(60))) != nil { port.yield(.minute) }
            }
            var complaints: Set<String> = []
            var refused = RefusedReadings()
            func complain(_ problem: RawReadingError, of sender: String, at now: Double) {
                refused.recordRefused(sender, problem.description, at: now)
                report(refused)
                guard complaints.count < 100, complaints.insert(problem.description).inserted else { return }
                logger.warning("reading ignored", metadata: ["why": "\(problem)"])
            }
            func took(_ sender: String) {
                let problem = refused.problem
                refused.recordAccepted(sender)
                if refused.problem != problem { report(refused) }
            }
            for await item in items {
                let now = RuntimeClock.steadySeconds()
                switch item {
                case .message(let sensor, let message):
                    // What was heard before we came says nothing about now.
                    if sensor == .beacons, message.isRetained { continue }
                    switch sensor.readings(from: message.payload, at: now) {
                    case .success(let readings):
                        await take(readings)
                        if sensor == .beacons { lastHeard = now }
                        took(sensor.rawValue)
                    case .failure(let problem): complain(problem, of: sensor.rawValue, at: now)
                    }
                case .report(let message):
                    if message.isRetained { continue }
                    switch ESPresenseReport.reading(from: message.payload, topic: message.topic, at: now) {
                    case .success(let reading?):
                        await take([reading])
                        lastHeard = now
                        took(message.topic)
                    case .success(nil): took(message.topic)
                    case .failure(let problem): complain(problem, of: message.topic, at: now)
                    }
                case .minute:
                    refused.expire(at: now)
                    report(refused)
                case .second:
                    isTicking = false
                    await take([.tick(time: now)])
                }
                if !isTicking, now - lastHeard < Self.attention {
                    isTicking = true
                    group.addTask {
                        guard (try? await Task.sleep(for: .seconds(1))) != nil else { return }
                        port.yield(.second)
                    }
                }
            }
            group.cancelAll()
        }
    }
}
