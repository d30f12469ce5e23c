import Logging
import MQTT
import Messages
import Sensors

/// What other programs say on the broker, as a source of readings: on `B/sensors/…/raw`, and what ESPresense nodes hear.
///
/// All of it is one source with one clock, so that one position comes of it.
struct RawReadings: Sendable {
    let client: MQTTClient
    let root: String
    /// What ESPresense nodes say of this device is heard on; `nil` when nobody listens.
    let espresense: String?
    let logger: Logger

    static let name = "broker"

    /// How long after the last beacon silence is still told, seconds: long enough for "lost" to be noticed.
    private static let attention = 30.0

    private enum Item {
        case message(RawSensor, MQTTMessage)
        case report(MQTTMessage)
        case second
    }

    var source: SensorSource {
        SensorSource(name: Self.name) { take async throws(SensorError) in await run(take) }
    }

    private func run(_ take: SensorSource.Take) async {
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
            var complaints: Set<String> = []
            func complain(_ problem: RawReadingError) {
                guard complaints.count < 100, complaints.insert(problem.description).inserted else { return }
                logger.warning("reading ignored", metadata: ["why": "\(problem)"])
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
                    case .failure(let problem): complain(problem)
                    }
                case .report(let message):
                    if message.isRetained { continue }
                    switch ESPresenseReport.reading(from: message.payload, topic: message.topic, at: now) {
                    case .success(let reading?):
                        await take([reading])
                        lastHeard = now
                    case .success(nil): break
                    case .failure(let problem): complain(problem)
                    }
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
