import Controller
import Foundation
import JSON
import Logging
import MQTT
import Messages
import OperatingSystem
import Sensing
import Settings
import Text
import Things
import Threading

extension Capability {
    /// Rules: when … then ….
    static let rules = Capability(
        name: "rules",
        settings: .rules,
        alerts: ["rules", "rule-loop", "clock", "time-zone"],
        commands: [.ruleSet, .ruleRun],
        slices: { [RulesSlice($0.rules.engine(built: ProgramInfo.built))] }
    ) { context in
        let (send, logger) = (context.send, context.logger)
        let beacons = RuleBeacons(clock: { [clock = context.clock] in clock().steadyMilliseconds }) {
            send(RulesSlice.event(.beacon($0, rssi: $1)))
        }
        let log = RuleLog(logger) { [clock = context.clock] in clock().steadyMilliseconds }
        let (late, port) = AsyncStream.makeStream(of: [Int64].self)
        let (kept, settings) = (context.rules, context.configuration.rules)
        let hands = RuleHands(
            publish: context.client.outputs(context.topics),
            notify: { message, end in kept.notifier.send(message, end: end) },
            ask: { kept.commands.add($0) }
        )
        var parts = CapabilityParts()
        parts.features = ["rules"]
        parts.renderers = [RuleTopics(context.topics)]
        kept.add(to: &parts)
        parts.observer = kept.observer(
            beside: hands.observer(
                beacons: beacons,
                isStored: context.isStored,
                late: { port.yield($0) },
                log: log,
                send: send
            )
        )
        parts.beaconHeard = { beacons.hear($0) }
        parts.services = [
            DaemonService.untilShutdown("rule settings") {
                let database = TimeZoneDatabase(ProcessInfo.processInfo.environment)
                if let alert = settings.timeZoneAlert(in: database) { send(alert) }
                await kept.use(settings)
            },
            DaemonService.untilShutdown("rules") {
                for await numbers in late {
                    // A firing that is not stored might come again after a crash.
                    while !context.isStored() {
                        guard (try? await Task.sleep(for: .seconds(1))) != nil else { return }
                    }
                    send(RulesSlice.event(.stored(numbers)))
                }
            },
            DaemonService.untilShutdown("clock") {
                do {
                    for await _ in try ClockMonitor().changes() { send(RulesSlice.event(.clockSet)) }
                } catch {
                    logger.warning("changes of the clock are not reported", metadata: ["error": "\(error)"])
                }
            },
        ]
        return parts
    }
}

extension ProgramInfo {
    /// When this program was built, milliseconds since 1970 UTC; the distant past if its file does not tell.
    fileprivate static var built: Int64 {
        FileStatus(path: "/proc/self/exe").map { Int64($0.modified.seconds) * 1000 } ?? .min
    }
}

/// What carries out what rules hand over.
struct RuleHands: Sendable {
    /// Publishes a message on the topic of a rule; returns why not.
    var publish: @Sendable (_ slug: String, JSONValue) -> Refusal?
    /// Sends a message to people; its second argument is to be called once, with why not.
    var notify: @Sendable (RuleMessage, @escaping @Sendable (Refusal?) -> Void) -> Void
    /// Has a command from the broker carried out.
    var ask: @Sendable (RulesSlice.Request) -> Void = { _ in }

    /// Called at the end of a turn, when its records are stored.
    ///
    /// - Parameters:
    ///   - isStored: Whether they really are.
    ///   - late: Receives the firings that are not.
    func observer(
        beacons: RuleBeacons,
        isStored: @escaping @Sendable () -> Bool,
        late: @escaping @Sendable ([Int64]) -> Void,
        log: RuleLog,
        send: @escaping @Sendable (ControllerEvent) -> Void
    ) -> StateObserver {
        StateObserver(where: { $0.isOfRuleWork }) { snapshot in
            log.observe(snapshot)
            let slice = snapshot.state.slices[RulesSlice.self]
            if snapshot.changes.contains(.ruleBeacons) { beacons.use(slice.beacons) }
            let fired = snapshot.changes.compactMap {
                $0.part(of: RulesSlice.firingChanges).flatMap { Int64($0) }
            }
            if !fired.isEmpty {
                if isStored() { send(RulesSlice.event(.stored(fired.sorted()))) } else { late(fired) }
            }
            let asked = snapshot.changes.compactMap {
                $0.part(of: RulesSlice.askedChanges).flatMap { Int($0) }
            }
            for number in asked.sorted() { if let request = slice.request(number) { ask(request) } }
            let handedOver = snapshot.changes.compactMap {
                $0.part(of: RulesSlice.outgoingChanges).flatMap { Int($0) }
            }
            for number in handedOver.sorted() {
                guard let content = slice.outgoing[number]?.content else { continue }
                let end: @Sendable (Refusal?) -> Void = { send(RulesSlice.event(.sent(number, $0))) }
                switch content {
                case .publication(let slug, let value): end(publish(slug, value))
                case .message(let message): notify(message, end)
                }
            }
        }
    }
}

extension StateChange {
    fileprivate var isOfRuleWork: Bool {
        guard case .slice(let name, _) = self else { return RuleLog.tells(self) }
        return self == .ruleBeacons || name == RulesSlice.firingChanges
            || name == RulesSlice.outgoingChanges || name == RulesSlice.askedChanges
            || RuleLog.tells(self)
    }
}

extension MQTTClient {
    /// Publishes what rules publish.
    fileprivate func outputs(_ topics: Topics) -> @Sendable (_ slug: String, JSONValue) -> Refusal? {
        { slug, value in
            let message = MQTTMessage(
                topic: topics.output(ofRule: slug),
                payload: SecretMask.tokens.masked(value).bytes,
                qos: .atLeastOnce
            )
            switch self.publish(message) {
            case .queued: return nil
            case .dropped: return Refusal(.rateLimited, "the broker has no room for the message")
            case .refused(let error):
                return Refusal(.serverRejected, "the message is not published: \(error)")
            }
        }
    }
}
