package import Controller
package import MQTT
package import Messages
import Text
package import Threading

/// Displays that say on the broker whether they are visible: `B/display/<id>/presence`, retained.
package actor BrokerDisplays {
    private nonisolated let loop: LoopExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let topics: Topics
    private let send: @Sendable (ControllerEvent) -> Void
    private let onRefused: @Sendable (_ why: String) -> Void
    private let sleep: @Sendable (Duration) async throws -> Void
    private var known: Set<String> = []
    /// The displays that the broker has not named since the last connection.
    private var unconfirmed: Set<String> = []
    private var confirmation: Task<Void, Never>?

    /// How long a broker has to name its displays again after a connection.
    package static let patience = Duration.seconds(5)
    /// The most bytes of a display's id.
    package static let longestID = 64

    /// - Parameter onRefused: Called with what cannot be understood.
    package init(
        on loop: LoopExecutor,
        topics: Topics,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        onRefused: @escaping @Sendable (_ why: String) -> Void,
        send: @escaping @Sendable (ControllerEvent) -> Void
    ) {
        (self.loop, self.topics, self.sleep) = (loop, topics, sleep)
        (self.onRefused, self.send) = (onRefused, send)
    }

    /// Receives the displays' messages until the subscription is cancelled.
    package func subscribe(_ client: MQTTClient) -> MQTTSubscription {
        client.subscribe([topics.presence], qos: .atLeastOnce, on: loop) { message in
            self.onExecutor { $0.receive(message) }
        }
    }

    package func receive(_ message: MQTTMessage) {
        guard let id = topics.display(of: message.topic), (1...Self.longestID).contains(id.utf8.count),
            id != ScreenCall.everyDisplay
        else {
            return onRefused(
                """
                the id of a display must have 1 to \(Self.longestID) bytes, and not be all (the topic is \
                \(QuotedValue.of(message.topic)))
                """
            )
        }
        guard let presence = Lifecycle.DisplayPresence(payload: message.payload) else {
            return onRefused(
                """
                the presence of a display must be visible, hidden or gone (\(QuotedValue.of(id)) sent \
                \(Self.quoted(message.payload)))
                """
            )
        }
        unconfirmed.remove(id)
        guard presence != .gone || known.contains(id) else { return }
        if presence == .gone {
            known.remove(id)
        } else if known.count < Lifecycle.maximumDisplays {
            known.insert(id)
        }
        send(.displayChanged(id: Self.key(id), presence))
    }

    /// After a connection the broker names its displays again; those that it does not know any more are gone.
    package func brokerChanged(isUp: Bool) {
        confirmation?.cancel()
        confirmation = nil
        // The broker may name them before it counts as connected.
        if !isUp { unconfirmed = known }
        guard isUp, !unconfirmed.isEmpty else { return }
        // Unstructured, because it lasts no longer than a few seconds; cancelled by the next change of the link.
        confirmation = Task { [weak self, sleep] in
            guard (try? await sleep(Self.patience)) != nil else { return }
            await self?.endConfirmation()
        }
    }

    private func endConfirmation() {
        for id in unconfirmed.sorted() {
            known.remove(id)
            send(.displayChanged(id: Self.key(id), .gone))
        }
        unconfirmed = []
    }

    /// The beginning of a payload; more than is shown, so that a token in it is still known as one.
    private static func quoted(_ payload: [UInt8]) -> String {
        QuotedValue.of(String(decoding: payload.prefix(1000), as: UTF8.self))
    }

    /// The id for the controller, which also hears of the displays of other interfaces.
    private static func key(_ id: String) -> String { "mqtt/\(id)" }
}
