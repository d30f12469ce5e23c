import Flare
package import JSON
import Messages

/// What `watch` has heard of a daemon: the last value of every topic, and the last events.
package struct WatchModel: Hashable {
    /// Values by topic below `B/`.
    private(set) var values: JSONObject = [:]
    /// The last events, newest last.
    package private(set) var events: [Event] = []
    /// Why there is no link to the broker; `nil` while there is one.
    package var linkProblem: String? = "connecting"

    package struct Event: Hashable {
        package var topic: String
        package var body: JSONValue
    }

    /// The names of things, zones and environments, by their topics.
    private var names: [String: String] = [:]
    /// Zones and things with their places.
    private(set) var place = WatchPlace()
    let time: LocalTime

    private static let remembered = 200

    package init(time: LocalTime = LocalTime()) { self.time = time }

    /// The topics that are read, below `B/`.
    static let filters: [String] = {
        let topics = Topics.tails
        return [
            topics.status, topics.info, topics.health, topics.alert("+"), topics.environment, topics.zone,
            topics.device, topics.devicePosition, topics.deviceAngle, topics.nearby,
            topics.nearbyAvailability, "sensors/+", "event/+",
        ] + [FlareClass.thing, .zone, .environment].map { topics.object($0, "+") }
    }()

    /// Takes a message in.
    ///
    /// - Parameter time: When it was heard, as events tell their time.
    /// - Returns: What a reader of lines should be told; `nil` when it is nothing new.
    package mutating func hear(topic: String, payload: [UInt8], at time: String) -> String? {
        if topic.hasPrefix("event/") {
            guard let body = try? JSONValue(parsing: payload) else { return nil }
            let event = Event(topic: String(topic.dropFirst("event/".count)), body: body)
            events.append(event)
            if events.count > Self.remembered { events.removeFirst(events.count - Self.remembered) }
            return line(event)
        }
        if ["things/", "zones/", "environments/"].contains(where: topic.hasPrefix) {
            let body = try? JSONValue(parsing: payload)
            names[topic] = body?["name"]?.string
            place.hear(topic, body)
            return nil
        }
        let isNew = values[topic] == nil
        let value = payload.isEmpty ? nil : JSONValue(retained: payload)
        guard values[topic] != value else { return nil }
        values[topic] = value
        // Later changes of the place and the device are told as events.
        let root = topic.prefix { $0 != "/" }
        guard isNew || root == "status" || root == "alert" || root == "sensors" else { return nil }
        return WatchText.line(topic: topic, value: value, at: self.time.clock(time))
    }

    func line(_ event: Event) -> String {
        let kind = ["thing": "things", "nearby": "things", "zone": "zones", "environment": "environments"]
        let name = event.body["slug"]?.string.flatMap { slug in
            kind[event.topic].flatMap { names["\($0)/\(slug)"] }
        }
        return WatchText.line(event, name: name, time)
    }

    subscript(topic: String) -> JSONValue? { values[topic] }

    /// Open problems: identifier and body.
    var alerts: [(id: String, body: JSONValue)] {
        values.filter { $0.key.hasPrefix(Topics.tails.alert("")) }.sorted { $0.key < $1.key }
            .map { (String($0.key.dropFirst(Topics.tails.alert("").count)), $0.value) }
    }

    /// Position, accuracy and quality: the quick topic where it was heard, else the device.
    var position: JSONValue? {
        guard let quick = values[Topics.tails.devicePosition] else {
            guard var members = values[Topics.tails.device]?.object,
                let position = members["position"]?.object
            else {
                return nil
            }
            members.merge(position) { _, new in new }
            return .object(members)
        }
        return quick
    }

    var angle: Double? {
        values[Topics.tails.deviceAngle]?.number ?? values[Topics.tails.device]?["angle"]?.number
    }
}
