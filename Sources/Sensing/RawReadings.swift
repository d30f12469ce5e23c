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
        case message(RawSensor, MQTTDelivery)
        case report(MQTTDelivery)
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
        var subscriptions = RawSensor.allCases.map { sensor in
            client.subscribe([Topics(root: root).raw(sensor.rawValue)], qos: .atMostOnce) {
                port.yield(.message(sensor, $0))
            }
        }
        if let espresense {
            subscriptions.append(
                client.subscribe([espresense], qos: .atMostOnce) { port.yield(.report($0)) }
            )
        }
        defer { for subscription in subscriptions { subscription.cancel() } }
        await withDiscardingTaskGroup { group in
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
                case .message(let sensor, let delivery):
                    let message = delivery.take()
                    // A retained reading may be of any age.
                    if sensor == .beacons, message.isRetained { continue }
                    let result = sensor.readings(from: message.payload, at: now)
                    guard await receive(result, of: sensor.rawValue, in: message, at: now) else { continue }
                    if sensor == .beacons { lastHeard = now }
                case .report(let delivery):
                    let message = delivery.take()
                    if message.isRetained { continue }
                    let result = ESPresenseReport.readings(
                        from: message.payload,
                        topic: message.topic,
                        at: now
                    )
                    guard await receive(result, of: message.topic, in: message, at: now) else { continue }
                    lastHeard = now
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
