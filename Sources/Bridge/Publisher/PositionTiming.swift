import Controller
import MQTT

/// How long it takes from hearing a packet to telling the position that it led to.
struct PositionTiming: Sendable {
    private let topic: String
    /// The steady clock, seconds.
    private let seconds: @Sendable () -> Double
    /// When what the newest position was drawn from was heard, until it is told.
    private var heardAt: Double?
    private(set) var histogram = LatencyHistogram()

    init(topic: String, seconds: @escaping @Sendable () -> Double) {
        self.topic = topic
        self.seconds = seconds
    }

    mutating func take(_ snapshot: StateSnapshot) {
        if snapshot.changes.contains(.position) { heardAt = snapshot.state.fix?.heardAt }
    }

    /// A message was handed over.
    mutating func sent(_ message: MQTTMessage) {
        guard let heardAt, message.topic == topic else { return }
        self.heardAt = nil
        histogram.note(seconds() - heardAt)
    }
}
