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
        /// A reading of a sensor; without one, the report of an ESPresense node.
        case message(MQTTMessage, of: RawSensor?)
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
                group.addTask { for await message in messages { port.yield(.message(message, of: sensor)) } }
            }
            if let espresense {
                let messages = client.subscribe([espresense], qos: .atMostOnce)
                group.addTask { for await message in messages { port.yield(.message(message, of: nil)) } }
            }
            var lastHeard = -Double.infinity
            var isTicking = false
            group.addTask {
                while (try? await Task.sleep(for: .seconds(60))) != nil { port.yield(.cleanUp) }
            }
            var warnings: Set<String> = []
            var refused = RefusedReadings()
            func warn(_ text: Logger.Message, _ problem: ReadingError) {
                guard warnings.count < 100, warnings.insert(problem.description).inserted else { return }
                logger.warning(text, metadata: ["why": "\(problem)"])
            }
            func refuse(_ problem: ReadingError, of sender: String, at now: Double) {
                refused.recordRefused(sender, problem.description, at: now)
                report(refused)
                warn("reading ignored", problem)
            }
            func accept(_ sender: String) {
                let problem = refused.problem
                refused.recordAccepted(sender)
                if refused.problem != problem { report(refused) }
            }
            /// - Returns: Whether there are readings.
            func receive(
                _ result: Result<ReceivedReadings, ReadingError>,
                of sender: String,
                in message: MQTTMessage,
                at now: Double
            ) async -> Bool {
                if let bytes = message.oversizeBytes {
                    let text = "\(message.topic): the message of \(bytes) bytes is too long"
                    refuse(ReadingError(text), of: sender, at: now)
                    return false
                }
                // A topic that is cleared is no reading.
                if message.payload.isEmpty { return false }
                switch result {
                case .success(let received):
                    for problem in received.unusable { warn("part of a reading cannot be used", problem) }
                    if !received.readings.isEmpty { await handle(received.readings) }
                    accept(sender)
                    return !received.readings.isEmpty
                case .failure(let problem):
                    refuse(problem, of: sender, at: now)
                    return false
                }
            }
            for await item in items {
                let now = clocks.steady()
                switch item {
                case .message(let message, let sensor):
                    let isBeacon = sensor == nil || sensor == .beacons
                    // A retained reading may be of any age.
                    if isBeacon, message.isRetained { continue }
                    let result =
                        sensor?.readings(from: message.payload, at: now)
                        ?? ESPresenseReport.readings(from: message.payload, topic: message.topic, at: now)
                    let sender = sensor?.rawValue ?? message.topic
                    guard await receive(result, of: sender, in: message, at: now) else { continue }
                    if isBeacon { lastHeard = now }
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
