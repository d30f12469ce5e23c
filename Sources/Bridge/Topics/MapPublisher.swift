package import Controller
import MQTT
package import PlaceMap

/// The picture of the place on its topic: drawn when it is due, not when something moves.
package struct MapPublisher: Sendable {
    private let topic: String
    /// The least time between two drawings, milliseconds; `nil`: none is drawn.
    private let interval: Int64?
    private var picture: PlacePicture
    /// Whether the place was read; before, the picture that an earlier run left is the better one.
    private var isKnown = false
    private var isStale = true
    private var drawnAt: Int64?

    package init(topic: String, interval: Duration?, style: PictureStyle = .auto) {
        self.topic = topic
        picture = PlacePicture(style: style)
        self.interval = interval.map { $0.components.seconds * 1000 }
    }

    /// Takes over what changed.
    package mutating func take(_ snapshot: StateSnapshot) {
        guard interval != nil else { return }
        isKnown = snapshot.state.isPlaceKnown || snapshot.state.alerts["no-environment"] != nil
        if picture.apply(snapshot) { isStale = true }
    }

    /// Puts a new picture into the book, if it is time for one.
    ///
    /// - Parameter now: Steady milliseconds.
    package mutating func draw(in book: inout RetainedTopicStore, at now: Int64) {
        guard isStale, isKnown, let interval, drawnAt.map({ now - $0 >= interval }) ?? true else { return }
        isStale = false
        drawnAt = now
        var properties = MQTTProperties()
        properties.contentType = "image/svg+xml"
        book.state(MQTTMessage(topic: topic, payload: picture.svg, isRetained: true, properties: properties))
    }

    /// There will be no more pictures.
    mutating func end() { isStale = false }

    /// When the next picture that had to wait is due, steady milliseconds; `nil` when none waits for its time.
    package var nextDue: Int64? {
        guard isStale, isKnown, let interval, let drawnAt else { return nil }
        return drawnAt + interval
    }
}
