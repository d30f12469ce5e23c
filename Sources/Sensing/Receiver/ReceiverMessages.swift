package import MQTT
package import Positioning
package import Receivers
import Threading

/// What receivers say on the broker: which devices they hear, and whether they are there.
///
/// Whoever looks for a device is given what is heard, by receivers and by this machine's adapter: see ``Listener``.
package final class ReceiverMessages: Sendable {
    /// What a message is.
    package enum Reading: Sendable, Hashable {
        /// A receiver has heard a device.
        case report(DeviceReport, HeardID)
        /// Of the receiver itself, a repetition, or something that a reader need not know.
        case nothing
        case refused(ReportError)
    }

    /// A message, as far as it could be read.
    package struct Received: Sendable, Hashable {
        package var reading: Reading
        /// Members that were left out.
        package var unusable: [ReportError] = []
        package var changes: [ReceiverRegistry.Change] = []
    }

    /// Who records what is heard and is no device.
    package struct Listener: Sendable {
        let isRecording: @Sendable () -> Bool
        let record: @Sendable (_ packet: Heard) -> Void

        package init(
            isRecording: @escaping @Sendable () -> Bool,
            record: @escaping @Sendable (_ packet: Heard) -> Void
        ) {
            (self.isRecording, self.record) = (isRecording, record)
        }
    }

    /// A device that was heard by a receiver, or by this machine's adapter.
    package struct Heard: Sendable, Hashable {
        package let id: HeardID
        package let name: String?
        /// The sender's, if it is known whether it stays.
        package let address: DeviceAddress?
        /// The sender's address otherwise, as a receiver states it; 48 bits.
        package var bits: UInt64?
        /// dBm.
        package let rssi: Double
        package let receiver: String
    }

    private struct State {
        var listener: Listener?
        /// Whether receivers are missed for other devices than the daemon's own.
        var isWatched = false
        /// The names that things of the place have.
        var expected: [String] = []

        /// Whether anybody needs receivers.
        var isNeeded: Bool { device != nil || isWatched }

        var topics = ReceiverTopics(base: "espresense")
        var device: String?
        var registry = ReceiverRegistry()
        /// What reports about other devices have changed since the last ``ReceiverMessages/advance(to:)``.
        var pending: [ReceiverRegistry.Change] = []
        var widened: AsyncStream<Void>.Continuation?
    }

    private let state = Locked(State())

    package init() {}

    /// Uses another configuration.
    ///
    /// - Parameters:
    ///   - topic: The levels before `/devices` and `/rooms`.
    ///   - device: The id of this daemon's own device; `nil` if receivers do not report about it.
    package func use(topic: String, device: String?) {
        state.withLock { state in
            let topics = ReceiverTopics(base: topic)
            if state.topics != topics || (state.device == nil) != (device == nil) {
                state.registry = ReceiverRegistry()
            }
            (state.topics, state.device) = (topics, device)
        }
    }

    package var topics: ReceiverTopics { state.withLock { $0.topics } }

    /// The id of this daemon's own device, as it is configured.
    package var device: String? { state.withLock { $0.device } }

    /// Whether receivers are missed also for other devices than the daemon's own.
    package func watch(_ isWanted: Bool) {
        let port = state.withLock { state in
            state.isWatched = isWanted
            // Who needs them again misses them a minute later.
            if !state.isNeeded { state.registry.forgetAll() }
            return state.widened
        }
        port?.yield()
    }

    /// Lets somebody record what is heard and is no device; ``lookBegins()`` is to be called when that begins.
    package func listen(_ listener: Listener) { state.withLock { $0.listener = listener } }

    /// Somebody begins to look for a device.
    package func lookBegins() { state.withLock { $0.widened }?.yield() }

    private var isNeeded: Bool { state.withLock { $0.isNeeded } }

    // MARK: Topics

    /// The filters of the reports: about the own device, or about all while somebody looks for one.
    package var reportFilters: [String] {
        if isLooking { return ["\(topics.base)/devices/+/+"] }
        return device.map { ["\(topics.base)/devices/\($0)/+"] } ?? []
    }

    /// The filters of what receivers say about themselves; none if nobody reads any reports.
    package var statusFilters: [String] {
        isNeeded || isLooking
            ? ["\(topics.base)/rooms/+/status", "\(topics.base)/rooms/+/telemetry"] : []
    }

    /// Whether a report is about the daemon's own device.
    package func isOwn(_ id: HeardID) -> Bool { device.map { HeardID(reported: $0) == id } ?? false }

    // MARK: Messages

    /// Reads a message of one of the filters.
    ///
    /// - Parameter now: When it came, seconds on the daemon's steady clock.
    package func read(_ message: MQTTMessage, at now: Double) -> Received {
        switch topics.message(of: message.topic) {
        case .report(let id, let receiver):
            // A retained report may be of any age, and a topic that is cleared is none.
            if message.isRetained || message.payload.isEmpty && !message.isOversize {
                return Received(reading: .nothing)
            }
            return report(message, id, receiver, at: now)
        case .status(let receiver):
            if message.payload.isEmpty { return Received(reading: .nothing) }
            return about(receiver, message, at: now) { () throws(ReportError) in
                let status = try ReceiverStatus(message.payload)
                return { registry in
                    // A receiver that was taken away long ago is not missed.
                    if message.isRetained, registry[receiver] == nil { return [] }
                    return registry.record(status, of: receiver, isRetained: message.isRetained, at: now)
                }
            }
        case .telemetry(let receiver):
            if message.isRetained || message.payload.isEmpty { return Received(reading: .nothing) }
            return about(receiver, message, at: now) { () throws(ReportError) in
                let telemetry = try ReceiverTelemetry.decode(message.payload).telemetry
                return { $0.record(telemetry, of: receiver, at: now) }
            }
        case .keys, .setting: return Received(reading: .nothing)
        case nil:
            let last = message.topic.split(separator: "/", omittingEmptySubsequences: false).last.map(
                String.init
            )
            guard let last, !ReceiverTopics.isName(last) else { return Received(reading: .nothing) }
            return Received(
                reading: .refused(ReportError("a receiver's name must have \(ReceiverTopics.nameRule)"))
            )
        }
    }

    private func report(_ message: MQTTMessage, _ id: String, _ receiver: String, at now: Double) -> Received
    {
        let decoded: (report: DeviceReport, unusable: [ReportError])
        do throws(ReportError) {
            if let bytes = message.oversizeBytes {
                throw ReportError("the message of \(bytes) bytes is too long")
            }
            decoded = try DeviceReport.decode(message.payload, id: id, receiver: receiver)
        } catch {
            return refused(error, receiver, at: now)
        }
        let print = RecentReports.fingerprint(message.topic, message.payload)
        let heardID = HeardID(reported: id)
        let received = state.withLock { state in
            let (verdict, changes) = state.registry.record(reportBy: receiver, fingerprint: print, at: now)
            guard verdict == .accepted else { return Received(reading: .nothing, changes: changes) }
            return Received(
                reading: .report(decoded.report, heardID),
                unusable: decoded.unusable,
                changes: changes
            )
        }
        if case .report(let report, let id) = received.reading, report.isHeard {
            pass(
                Heard(
                    id: id,
                    name: report.name,
                    address: nil,
                    bits: report.address,
                    rssi: report.rssi,
                    receiver: receiver
                )
            )
        }
        return received
    }

    /// A message of a receiver about itself.
    private func about(
        _ receiver: String,
        _ message: MQTTMessage,
        at now: Double,
        _ decode: () throws(ReportError) -> (inout ReceiverRegistry) -> [ReceiverRegistry.Change]
    ) -> Received {
        do throws(ReportError) {
            if let bytes = message.oversizeBytes {
                throw ReportError("the message of \(bytes) bytes is too long")
            }
            let record = try decode()
            let changes = state.withLock { record(&$0.registry) }
            return Received(reading: .nothing, changes: changes)
        } catch {
            return refused(error, receiver, at: now)
        }
    }

    private func refused(_ error: ReportError, _ receiver: String, at now: Double) -> Received {
        let changes = state.withLock {
            $0.registry.record(refusedBy: receiver, why: error.description, at: now)
        }
        return Received(reading: .refused(error), changes: changes)
    }

    // MARK: Receivers

    /// The receivers that are known, by name.
    package var receivers: [ReceiverRegistry.Receiver] { state.withLock { $0.registry.receivers } }

    /// The sentences of the alerts about receivers that are silent, and about those whose messages cannot be used.
    package var alerts: (silent: String?, unusable: String?) {
        state.withLock { ($0.registry.silenceAlert, $0.registry.unusableAlert) }
    }

    /// Names the receivers that things of the place stand for; without a device of its own none is missed.
    package func expect(_ names: [String], at now: Double) -> [ReceiverRegistry.Change] {
        state.withLock { state in
            state.expected = names
            return state.isNeeded ? state.registry.expect(names, at: now) : []
        }
    }

    /// A receiver was heard in another way than by a message of its own.
    package func recordHeard(_ receiver: String, at now: Double) -> [ReceiverRegistry.Change] {
        guard isNeeded else { return [] }
        return state.withLock { $0.registry.record(.online, of: receiver, isRetained: false, at: now) }
    }

    /// A report about another device than the daemon's own came, which somebody else reads.
    ///
    /// What it changes is returned by the next ``advance(to:)``.
    ///
    /// - Parameter problem: Why it cannot be used; `nil` if it can.
    package func record(reportBy receiver: String, problem: ReportError?, at now: Double) {
        state.withLock { state in
            guard state.isNeeded else { return }
            let changes =
                if let problem {
                    state.registry.record(refusedBy: receiver, why: problem.description, at: now)
                } else {
                    state.registry.record(usableBy: receiver, at: now)
                }
            if state.pending.count < Self.mostPending { state.pending += changes }
        }
    }

    private static let mostPending = 1000

    package func record(linkIsUp: Bool, at now: Double) {
        state.withLock { $0.registry.record(linkIsUp: linkIsUp, at: now) }
    }

    /// Time passes: who has become silent, and what is forgotten.
    package func advance(to now: Double) -> [ReceiverRegistry.Change] {
        state.withLock { state in
            // Since the place was entered, they may have become needed.
            let changes = state.isNeeded ? state.registry.expect(state.expected, at: now) : []
            defer { state.pending = [] }
            return state.pending + changes + state.registry.advance(to: now)
        }
    }

    // MARK: What is heard and is no device

    /// Whether somebody looks for a device.
    private var isLooking: Bool { state.withLock { $0.listener }?.isRecording() == true }

    private func pass(_ heard: Heard) {
        guard let listener = state.withLock({ $0.listener }), listener.isRecording() else { return }
        listener.record(heard)
    }

    /// This machine's adapter has heard something.
    ///
    /// - Parameter receiver: The name of this machine.
    package func record(
        _ payload: Span<UInt8>,
        from sender: DeviceAddress,
        rssi: Int,
        by receiver: String,
        at now: Double
    ) {
        guard isLooking else { return }
        let packet = HeardPacket(payload, from: sender, keyName: nil, rssi: rssi, at: now)
        pass(
            Heard(
                id: packet.id,
                name: packet.name,
                address: sender,
                rssi: Double(rssi),
                receiver: receiver
            )
        )
    }

    /// Says when somebody begins to look for a device; for one reader.
    var beginnings: AsyncStream<Void> {
        let (stream, port) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        state.withLock { $0.widened = port }
        return stream
    }
}
