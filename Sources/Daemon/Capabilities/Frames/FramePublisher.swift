package import Controller
import JSON
package import MQTT
import Messages
package import Threading

/// Publishes the device's motion as frames, while it moves and the lifecycle is active.
///
/// The next frame is taken when the one before has left and the broker keeps up: a slow broker gets fewer frames, and
/// the newest.
package actor FramePublisher {
    private nonisolated let loop: LoopExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let topic: String
    private let now: @Sendable () -> Int64
    private let sleep: @Sendable (Duration) async throws -> Void
    private let isBrokerBusy: @Sendable () -> Bool
    /// Returns when the message has left.
    private let send: @Sendable (MQTTMessage) async -> Void
    private let starts: AsyncStream<Void>
    private let start: AsyncStream<Void>.Continuation

    private var animator = FrameAnimator()
    private var isConnected = false

    /// - Parameters:
    ///   - now: Milliseconds on a steady clock.
    ///   - isBrokerBusy: Whether frames have to wait.
    ///   - send: Publishes a message, and returns when it has left, or is lost.
    package init(
        on loop: LoopExecutor,
        topic: String,
        now: @escaping @Sendable () -> Int64,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        isBrokerBusy: @escaping @Sendable () -> Bool = { false },
        send: @escaping @Sendable (MQTTMessage) async -> Void
    ) {
        (self.loop, self.topic, self.now, self.sleep) = (loop, topic, now, sleep)
        (self.isBrokerBusy, self.send) = (isBrokerBusy, send)
        (starts, start) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// How long frames wait for a busy broker, milliseconds.
    private static let busyDelay: Int64 = 100

    /// The changes that may move the picture.
    package static func isInterested(in change: StateChange) -> Bool {
        switch change {
        case .environment, .device, .position, .angle, .lifecycle: true
        default: false
        }
    }

    package func observe(_ snapshot: StateSnapshot) {
        animator.follow(snapshot.state, at: now())
        guard isConnected, snapshot.state.lifecycle.level == .active else { return animator.settle() }
        if !animator.isStill { start.yield() }
    }

    /// Without a link to the broker nobody sees frames.
    package func brokerChanged(isUp: Bool) {
        isConnected = isUp
        if !isUp { animator.settle() }
    }

    /// Publishes until the task is cancelled; sleeps without a timer while nothing moves.
    package func run() async {
        for await _ in starts {
            while let due = animator.nextDue {
                let delay = isBrokerBusy() ? Self.busyDelay : due - now()
                if delay > 0 {
                    guard (try? await sleep(.milliseconds(delay))) != nil else { return }
                    continue
                }
                guard let frame = animator.frame(at: now()) else { continue }
                await send(MQTTMessage(topic: topic, payload: frame.json.bytes))
                if Task.isCancelled { return }
            }
        }
    }
}
