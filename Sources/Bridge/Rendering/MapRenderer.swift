package import Controller
import MQTT
package import PlaceMap

/// The map of the environment as an SVG on its topic, drawn at most once in an interval.
package struct MapRenderer: TopicRenderer {
    private let topic: String
    /// Milliseconds.
    private let interval: Int64
    private var picture: PlacePicture
    /// Whether the place was read; before that, the retained map of an earlier run stays.
    private var isKnown = false
    private var isStale = true
    private var drawnAt: Int64?

    package init(topic: String, interval: Duration, style: PictureStyle = .auto) {
        self.topic = topic
        picture = PlacePicture(style: style)
        self.interval = interval.components.seconds * 1000
    }

    package mutating func observe(_ snapshot: StateSnapshot) {
        isKnown = snapshot.state.isPlaceKnown || snapshot.state.alerts["no-environment"] != nil
        if picture.apply(snapshot) { isStale = true }
    }

    package mutating func render(into store: inout RetainedTopicStore, at now: Int64) {
        guard isStale, isKnown, drawnAt.map({ now - $0 >= interval }) ?? true else { return }
        isStale = false
        drawnAt = now
        var properties = MQTTProperties()
        properties.contentType = "image/svg+xml"
        store.set(MQTTMessage(topic: topic, payload: picture.svg, isRetained: true, properties: properties))
    }

    package var nextDue: Int64? {
        guard isStale, isKnown, let drawnAt else { return nil }
        return drawnAt + interval
    }
}
