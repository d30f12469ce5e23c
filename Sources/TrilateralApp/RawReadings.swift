import Logging
import MQTT
import Sensors

/// What other programs say on `B/sensors/…/raw`, as a source of readings: a phone can be the sensor.
struct RawReadings: Sendable {
    let client: MQTTClient
    let root: String
    let logger: Logger

    static let name = "broker"

    /// How long after the last beacon silence is still told, seconds: long enough for "lost" to be noticed.
    private static let attention = 30.0

    private enum Item {
        case message(RawSensor, MQTTMessage)
        case second
    }

    var source: SensorSource {
        SensorSource(name: Self.name) { take async throws(SensorError) in await run(take) }
    }

    private func run(_ take: SensorSource.Take) async {
        let start = RuntimeClock.steadySeconds()
        let (items, port) = AsyncStream.makeStream(of: Item.self)
        await withDiscardingTaskGroup { group in
            for sensor in RawSensor.allCases {
                let messages = client.subscribe(["\(root)/sensors/\(sensor.rawValue)/raw"], qos: .atMostOnce)
                group.addTask { for await message in messages { port.yield(.message(sensor, message)) } }
            }
            var lastHeard = -Double.infinity
            var isTicking = false
            var complaints: Set<String> = []
            for await item in items {
                let now = RuntimeClock.steadySeconds() - start
                switch item {
                case .message(let sensor, let message):
                    // What was heard before we came says nothing about now.
                    if sensor == .beacons, message.isRetained { continue }
                    switch sensor.readings(from: message.payload, at: now) {
                    case .success(let readings):
                        await take(readings)
                        if sensor == .beacons { lastHeard = now }
                    case .failure(let problem):
                        guard complaints.count < 100, complaints.insert(problem.description).inserted else {
                            continue
                        }
                        logger.warning("reading ignored", metadata: ["why": "\(problem)"])
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
