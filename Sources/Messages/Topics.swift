package import Controller
package import Flare

/// The names of the topics, `B/…` of the contract.
package struct Topics: Sendable, Hashable {
    /// `<base>/<node>`.
    package let root: String

    package init(root: String) { self.root = root }

    package var status: String { "\(root)/status" }
    package var info: String { "\(root)/info" }
    package var health: String { "\(root)/health" }
    package var state: String { "\(root)/state" }
    package var environment: String { "\(root)/environment" }
    package var zone: String { "\(root)/zone" }
    package var device: String { "\(root)/device" }
    package var devicePosition: String { "\(root)/device/position" }
    package var deviceAngle: String { "\(root)/device/angle" }
    package var deviceLocation: String { "\(root)/device/location" }
    package var nearby: String { "\(root)/nearby" }
    package var nearbyAvailability: String { "\(root)/nearby/availability" }
    /// The picture of the place.
    package var map: String { "\(root)/map" }

    /// Every retained topic of a node, as filters.
    package var retained: [String] {
        [status, info, health, state, environment, zone, device, nearby, nearbyAvailability, alerts]
            + SensorKind.allCases.map { sensor($0) } + passing + model
    }

    /// The retained topics that hold something for a time only, as filters.
    package var passing: [String] { [alert("+"), map, devicePosition, deviceAngle, deviceLocation] }

    /// The topics of environments, zones and things, as filters.
    private var model: [String] {
        [FlareClass.environment, .zone, .thing].flatMap { object($0, all: "+") }
    }

    /// All topics of an environment, zone or thing.
    package func object(_ kind: FlareClass, all slug: String) -> [String] {
        [object(kind, slug)]
            + (kind == .zone ? [lights(zone: slug)] : [])
            + (kind == .thing ? [data(thing: slug), availability(thing: slug), beacon(thing: slug)] : [])
    }

    /// What is wrong, in short; one for each is below ``alert(_:)``.
    package var alerts: String { "\(root)/alerts" }
    package func alert(_ id: String) -> String { "\(root)/alert/\(id)" }
    package func sensor(_ sensor: SensorKind) -> String { "\(root)/sensors/\(sensor.rawValue)" }
    package func event(_ topic: ChangeEvent.Topic) -> String { "\(root)/event/\(topic.rawValue)" }

    /// An environment, zone or thing of the model.
    package func object(_ kind: FlareClass, _ slug: String) -> String { "\(root)/\(kind.rawValue)s/\(slug)" }
    /// The lights of a zone as one.
    package func lights(zone slug: String) -> String { "\(root)/zones/\(slug)/lights" }
    package func data(thing slug: String) -> String { "\(root)/things/\(slug)/data" }
    /// How the beacon of a thing was heard.
    package func beacon(thing slug: String) -> String { "\(root)/things/\(slug)/beacon" }
    package func availability(thing slug: String) -> String { "\(root)/things/\(slug)/availability" }

    /// Where another program tells what it measures: `compass`, `gps` or `beacons`.
    package func raw(_ sensor: String) -> String { "\(root)/sensors/\(sensor)/raw" }

    /// Where commands are heard, as filters.
    package var commands: [String] { CommandTopic.filters.map { "\(root)/\($0)" } }

    /// Where the displays of a kiosk tell whether somebody can see them, as a filter.
    package var presence: String { "\(root)/display/+/presence" }

    /// Everything of this node, as a filter.
    package var everything: String { "\(root)/#" }

    package func response(_ subject: Answer.Subject) -> String {
        switch subject {
        case .set: "\(root)/response/set"
        case .get: "\(root)/response/get"
        // A verb that is none of ours may be anything; one level with plain letters is what it gets back.
        case .verb(let verb): "\(root)/response/\(SlugRegistry.slug(from: verb) ?? "unknown")"
        }
    }
}
