package import Logging
package import MQTT
import Messages
import Positioning
import Receivers
package import Sensors

/// Readings that other programs publish on `B/sensors/…/raw`, and what receivers report.
///
/// They are one source with one clock, so that they give one position.
package struct RawReadings: Sendable {
    private let client: MQTTClient
    private let root: String
    private let receivers: ReceiverMessages
    private let clocks: SensorClocks
    private let logger: Logger
    private let report: @Sendable (RefusedReadings) -> Void
    private let onReceivers: @Sendable () -> Void

    package static let name = "broker"

    /// Ticks continue for this time after the last beacon, so that the position becomes "lost", seconds.
    private static let tickingTime = 30.0

    /// How often it is checked who has become silent.
    private static let receiverCheck = Duration.seconds(10)

    private enum Item {
        case message(RawSensor, MQTTDelivery)
        case receiver(MQTTDelivery)
        /// What is read of receivers may be something else now.
        case receivers
        case receiverCheck
        case tick
        case cleanUp
    }

    /// - Parameters:
    ///   - root: `<base>/<node>`.
    ///   - receivers: Reads what receivers publish.
    ///   - report: Called when a reading is refused, and when a problem is solved.
    ///   - onReceivers: Called when the alerts about receivers may have changed.
    package init(
        client: MQTTClient,
        root: String,
        receivers: ReceiverMessages,
        clocks: SensorClocks,
        logger: Logger,
        report: @escaping @Sendable (RefusedReadings) -> Void = { _ in },
        onReceivers: @escaping @Sendable () -> Void = {}
    ) {
        self.client = client
        self.root = root
        self.receivers = receivers
        self.clocks = clocks
        self.logger = logger
        self.report = report
        self.onReceivers = onReceivers
    }

    package var source: SensorSource {
        SensorSource(name: Self.name) { handle async throws(SensorError) in await run(handle) }
    }

    private func run(_ handle: SensorSource.Handler) async {
        let (items, port) = AsyncStream.makeStream(of: Item.self)
        let subscriptions = RawSensor.allCases.map { sensor in
            client.subscribe([Topics(root: root).raw(sensor.rawValue)], qos: .atMostOnce) {
                port.yield(.message(sensor, $0))
            }
        }
        defer { for subscription in subscriptions { subscription.cancel() } }
        await withDiscardingTaskGroup { group in
            var lastHeard = -Double.infinity
            var isTicking = false
            var isChecking = false
            group.addTask {
                while (try? await Task.sleep(for: .seconds(60))) != nil { port.yield(.cleanUp) }
            }
            group.addTask { [beginnings = receivers.beginnings] in
                for await _ in beginnings { port.yield(.receivers) }
            }
            var filters: [String] = []
            var reports: MQTTSubscription?
            defer { reports?.cancel() }
            /// Subscribes what receivers publish, as far as somebody reads it.
            func subscribe() {
                let wanted = receivers.reportFilters + receivers.statusFilters
                guard wanted != filters else { return }
                let old = reports
                filters = wanted
                reports =
                    wanted.isEmpty
                    ? nil : client.subscribe(wanted, qos: .atMostOnce) { port.yield(.receiver($0)) }
                old?.cancel()
            }
            subscribe()
            port.yield(.receivers)
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
            func log(_ changes: [ReceiverRegistry.Change]) {
                guard !changes.isEmpty else { return }
                for line in ReceiverRegistry.Change.lines(of: changes) {
                    logger.log(level: line.change.level, "receivers: \(line.text)")
                }
                onReceivers()
            }
            for await item in items {
                let now = clocks.steady()
                switch item {
                case .message(let sensor, let delivery):
                    let message = delivery.take()
                    // A retained reading may be of any age.
                    if sensor == .beacons, message.isRetained { continue }
                    let result = sensor.readings(from: message.payload, at: now)
                    for case .receiver(let sighting) in (try? result.get().readings) ?? [] {
                        log(receivers.recordHeard(sighting.receiver, at: now))
                    }
                    guard await receive(result, of: sensor.rawValue, in: message, at: now) else { continue }
                    if sensor == .beacons { lastHeard = now }
                case .receiver(let delivery):
                    let message = delivery.take()
                    let received = receivers.read(message, at: now)
                    for problem in received.unusable {
                        warn("part of a reading cannot be used", ReadingError("\(message.topic): \(problem)"))
                    }
                    log(received.changes)
                    switch received.reading {
                    case .report(let report, let id):
                        guard receivers.isOwn(id), let sighting = report.sighting(at: now) else { continue }
                        await handle([.receiver(sighting)])
                        lastHeard = now
                    case .refused(let problem):
                        warn("reading ignored", ReadingError("\(message.topic): \(problem)"))
                    case .nothing: break
                    }
                case .receivers: subscribe()
                case .receiverCheck:
                    isChecking = false
                    subscribe()
                    log(receivers.advance(to: now))
                    // One that is forgotten is missed no longer.
                    onReceivers()
                case .cleanUp:
                    subscribe()
                    refused.expire(at: now)
                    report(refused)
                case .tick:
                    isTicking = false
                    await handle([.tick(time: now)])
                }
                if !isChecking, !filters.isEmpty {
                    isChecking = true
                    group.addTask {
                        guard (try? await Task.sleep(for: Self.receiverCheck)) != nil else { return }
                        port.yield(.receiverCheck)
                    }
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

extension ReceiverRegistry.Change {
    /// Whether people should know of it.
    fileprivate var level: Logger.Level {
        switch self {
        case .silent, .unusable, .ignored: .warning
        case .returned, .usable, .restarted: .notice
        case .appeared: .info
        }
    }
}
