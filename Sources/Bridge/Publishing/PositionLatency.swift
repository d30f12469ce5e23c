import Controller
import MQTT
package import Messages

/// Measures the time from receiving a beacon packet to publishing the position estimated from it.
package struct PositionLatency: Sendable {
    private let topic: String
    /// The steady clock, seconds.
    private let seconds: @Sendable () -> Double
    /// When the packet of the newest unpublished position was received.
    private var heardAt: Double?
    package private(set) var histogram = LatencyHistogram()

    package init(topic: String, seconds: @escaping @Sendable () -> Double) {
        self.topic = topic
        self.seconds = seconds
    }

    mutating func observe(_ snapshot: StateSnapshot) {
        if snapshot.changes.contains(.position) { heardAt = snapshot.state.fix?.heardAt }
    }

    mutating func published(_ message: MQTTMessage) {
        guard let heardAt, message.topic == topic else { return }
        self.heardAt = nil
        histogram.record(seconds() - heardAt)
    }
}
