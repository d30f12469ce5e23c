package import Logging
package import MQTT
import Messages
package import Sensors

/// Readings that other programs publish on `B/sensors/…/raw`, and reports of ESPresense nodes.
///
/// They are one source with one clock, so that they give one position.
package struct RawReadings: Sendable {
    private let client: MQTTClient
    private let root: String
    private let espresense: String?
    private let clocks: SensorClocks
    private let logger: Logger
    private let report: @Sendable (RefusedReadings) -> Void

    package static let name = "broker"

    /// Ticks continue for this time after the last beacon, so that the position becomes "lost", seconds.
    private static let tickingTime = 30.0

    private enum Item {
        case message(RawSensor, MQTTMessage)
        case report(MQTTMessage)
        case tick
        case cleanUp
    }

    /// - Parameters:
    ///   - root: `<base>/<node>`.
    ///   - espresense: The topic filter of what ESPresense nodes publish about this device; `nil` ignores them.
    ///   - report: Called when a reading is refused, and when a problem is solved.
    package init(
        client: MQTTClient,
        root: String,
        espresense: String?,
        clocks: SensorClocks,
        logger: Logger,
        report: @escaping @Sendable (RefusedReadings) -> Void = { _ in }
    ) {
        self.client = client
        self.root = root
        self.espresense = espresense
        self.clocks = clocks
        self.logger = logger
        self.report = report
    }

    package var source: SensorSource {
        SensorSource(name: Self.name) { handle async throws(SensorError) in await run(handle) }
    }

    private func run(_ handle: SensorSource.Handler) async {
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
                while (try? await Task.sleep(for: .seconds(60))) != nil { port.yield(.cleanUp) }
            }
            var warnings: Set<String> = []
            var refused = RefusedReadings()
            func refuse(_ problem: RawReadingError, of sender: String, at now: Double) {
                refused.recordRefused(sender, problem.description, at: now)
                report(refused)
                guard warnings.count < 100, warnings.insert(problem.description).inserted else { return }
                logger.warning("reading ignored", metadata: ["why": "\(problem)"])
            }
            func accept(_ sender: String) {
                let problem = refused.problem
                refused.recordAccepted(sender)
                if refused.problem != problem { report(refused) }
            }
            for await item in items {
                let now = clocks.steady()
                switch item {
                case .message(let sensor, let message):
                    // A retained reading may be of any age.
                    if sensor == .beacons, message.isRetained { continue }
                    switch sensor.readings(from: message.payload, at: now) {
                    case .success(let readings):
                        await handle(readings)
                        if sensor == .beacons { lastHeard = now }
                        accept(sensor.rawValue)
                    case .failure(let problem): refuse(problem, of: sensor.rawValue, at: now)
                    }
                case .report(let message):
                    if message.isRetained { continue }
                    switch ESPresenseReport.reading(from: message.payload, topic: message.topic, at: now) {
                    case .success(let reading?):
                        await handle([reading])
                        lastHeard = now
                        accept(message.topic)
                    case .success(nil): accept(message.topic)
                    case .failure(let problem): refuse(problem, of: message.topic, at: now)
                    }
                case .cleanUp:
                    refused.expire(at: now)
                    report(refused)
                case .tick:
                    isTicking = false
                    await handle([.tick(time: now)])
                }
                if !isTicking, now - lastHeard < Self.tickingTime {
                    isTicking = true
                    group.addTask {
                        guard (try? await Task.sleep(for: .seconds(1))) != nil else { return }
                        port.yield(.tick)
                    }
                }
            }
            group.cancelAll()
        }
    }
}
