package import Logging
package import MQTT
import Positioning
import Receivers
package import Sensors
import Threading

/// A receiver of ours: publishes what this machine's adapter hears, in the form of ESPresense.
///
/// It has a connection of its own, since a connection has one last will.
package final class ReceiverService: Sendable {
    package let client: MQTTClient
    private let settings: ReceiverSettings
    private let feed: PacketFeed
    private let takesKeys: Bool
    private let clock: @Sendable () -> Double
    private let logger: Logger
    private let onLink: @Sendable (Bool) -> Void
    private let started: Double
    private let hearing: Locked<ReceiverHearing>
    private let isLinked = Locked(false)
    /// When something waits to be published after nothing did, and when the link is made.
    private let wakes: (stream: AsyncStream<Void>, continuation: AsyncStream<Void>.Continuation)
    private let links: (stream: AsyncStream<Void>, continuation: AsyncStream<Void>.Continuation)

    /// Seconds between two messages about itself.
    package static let telemetryInterval = 30

    /// - Parameters:
    ///   - feed: The packets; the receiver listens to it while it runs.
    ///   - link: The broker, without a will.
    ///   - clock: Seconds on a steady clock.
    ///   - onLink: Called when the link to the broker is made or lost.
    package init(
        _ settings: ReceiverSettings,
        feed: PacketFeed,
        link: MQTTConfiguration,
        clock: @escaping @Sendable () -> Double = RuntimeClock.steadySeconds,
        onLink: @escaping @Sendable (Bool) -> Void = { _ in },
        logger: Logger
    ) {
        (self.settings, self.feed, self.clock) = (settings, feed, clock)
        (self.onLink, self.logger) = (onLink, logger)
        takesKeys = ReceiverSettings.takesKeys(over: link)
        client = MQTTClient(settings.link(from: link), logger: logger)
        started = clock()
        hearing = Locked(ReceiverHearing(settings))
        wakes = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        links = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Counters for the health message.
    package var counters: [String: Int] {
        hearing.withLock {
            [
                "receiver_reports": $0.schedule.reported, "receiver_failed": $0.failed,
                "receiver_dropped": $0.schedule.dropped,
            ]
        }
    }

    /// Runs until ``stop()``, or until its task is cancelled: then the broker publishes the last will.
    package func run() async {
        let id = feed.add { [weak self] payload, sender, rssi in self?.hear(payload, from: sender, rssi: rssi)
        }
        defer { feed.remove(id) }
        await withDiscardingTaskGroup { group in
            group.addTask { await self.followLink() }
            group.addTask { await self.publishReports() }
            group.addTask { await self.publishTelemetry() }
            if takesKeys { group.addTask { await self.followKeys() } }
            await client.run()
            group.cancelAll()
        }
    }

    /// Leaves `offline`, and ends ``run()``.
    package func stop() async { await client.stop(last: settings.status(.offline)) }

    // MARK: Hearing

    /// Called on the thread of the scanner.
    private func hear(_ payload: Span<UInt8>, from sender: DeviceAddress, rssi: Int) {
        let now = clock()
        let keyName: String?
        switch hearing.withLock({ $0.sender(sender, at: now) }) {
        case .key(let name): keyName = name
        case .stranger: keyName = nil
        case .unknown: return
        }
        let packet = HeardPacket(payload, from: sender, keyName: keyName, rssi: rssi, at: now)
        let begins = hearing.withLock { $0.record(packet) }
        if begins { wakes.continuation.yield() }
    }

    // MARK: Publishing

    private func publishReports() async {
        for await _ in wakes.stream {
            while !Task.isCancelled, let due = hearing.withLock({ $0.schedule.dueAt }) {
                try? await Task.sleep(for: .seconds(max(due - clock(), 0.005)))
                publishDue()
            }
        }
    }

    private func publishDue() {
        let (now, isLinked) = (clock(), isLinked.withLock { $0 })
        let reports = hearing.withLock { $0.removeDue(at: now, isLinked: isLinked) }
        guard isLinked else { return }
        for report in reports {
            let topic = settings.topics.report(HeardID(reported: report.id), by: settings.name)
            client.publish(MQTTMessage(topic: topic, payload: report.payload))
        }
    }

    private func publishTelemetry() async {
        for await _ in links.stream {
            while !Task.isCancelled, isLinked.withLock({ $0 }) {
                let message = MQTTMessage(
                    topic: settings.topics.telemetry(of: settings.name),
                    payload: telemetry.payload
                )
                client.publish(message)
                try? await Task.sleep(for: .seconds(Self.telemetryInterval))
            }
        }
    }

    private var telemetry: ReceiverTelemetry {
        let uptime = Int(max(clock() - started, 0))
        return hearing.withLock { hearing in
            ReceiverTelemetry(
                ip: LocalAddress.first,
                uptime: uptime,
                firmware: "trilateral",
                version: settings.version,
                adverts: hearing.schedule.packets,
                seen: hearing.seenCount,
                reported: hearing.schedule.reported,
                failed: hearing.failed
            )
        }
    }

    // MARK: The broker

    private func followLink() async {
        for await event in client.links {
            switch event {
            case .connected:
                isLinked.withLock { $0 = true }
                links.continuation.yield()
                onLink(true)
            case .disconnected:
                isLinked.withLock { $0 = false }
                onLink(false)
            case .refused:
                for (topic, reason) in client.drainRefusals().sorted(by: { $0.key < $1.key }).prefix(3) {
                    logger.warning(
                        "receiver: the broker refuses a publication",
                        metadata: ["topic": "\(topic)", "why": "\(reason)"]
                    )
                }
            case .drained: break
            }
        }
    }

    private func followKeys() async {
        var problem: String?
        for await message in client.subscribe([settings.topics.keys], qos: .atLeastOnce) {
            let (used, why) = use(message)
            if let why, why != problem { logger.warning("receiver: keys are ignored: \(why)") }
            problem = why
            if let used { logger.info("receiver: \(used) identity keys") }
        }
    }

    /// - Returns: How many keys there are now, and what is wrong with the message. It never shows a key.
    private func use(_ message: MQTTMessage) -> (used: Int?, problem: String?) {
        if let bytes = message.oversizeBytes {
            return (nil, "the message has \(bytes) bytes; at most \(KeyList.longestPayload) are legal")
        }
        do throws(ReportError) {
            let list = message.payload.isEmpty ? nil : try KeyList(payload: message.payload)
            let (problems, count) = hearing.withLock { ($0.use(list), $0.keys.entries.count) }
            return (count, problems.first?.description)
        } catch {
            return (nil, error.description)
        }
    }
}
