package import Controller
package import Flare
import Text

/// The topics of a node, `B/…` in the contract: the only place where they are spelled out.
package struct Topics: Sendable, Hashable {
    /// `<base>/<node>`.
    package let root: String
    /// What stands before each topic below it.
    let prefix: String

    package init(root: String) { (self.root, prefix) = (root, root.isEmpty ? "" : root + "/") }

    /// The topics below `B/`, without it.
    package static let tails = Topics(root: "")
    /// The most bytes of an `info` that are read; ours has less than 2 KB.
    package static let largestInfo = 16_384

    func topic(_ tail: String) -> String { prefix + tail }

    package func command(_ command: CommandTopic) -> String { topic(command.tail) }
    /// - Parameters:
    ///   - name: At the first level that varies.
    ///   - secondName: At the second one.
    package func command(
        _ descriptor: CommandDescriptor,
        _ name: String = "",
        _ secondName: String = ""
    ) -> String {
        command(descriptor.topic(name, secondName))
    }

    package var status: String { topic("status") }
    package var info: String { topic("info") }
    package var health: String { topic("health") }
    /// Another node with the same base; `+` for all.
    package func node(_ name: String) -> Topics {
        Topics(root: (root.lastIndex(of: "/").map { String(root[...$0]) } ?? "") + name)
    }

    /// Where a daemon shows itself to those that run with a copy of its state folder, and to nobody else: so each costs
    /// the broker the same, however many there are.
    package func installation(_ id: String) -> String { topic("installation/\(id)") }

    /// What is read of other nodes with the same base, as filters.
    package var neighbours: [String] { [node("+").installation("+"), node("+").status] }

    /// The node and the rest of a topic of another node with the same base; `nil` for others, and for our own.
    package func neighbour(_ topic: String) -> (node: String, tail: String)? {
        let levels = topic[...].parts(between: "/")
        let own = root[...].parts(between: "/")
        guard levels.count > own.count, levels.prefix(own.count - 1) == own.dropLast(),
            levels[own.count - 1] != own.last
        else { return nil }
        return (String(levels[own.count - 1]), levels.dropFirst(own.count).joined(separator: "/"))
    }
    package var state: String { topic("state") }
    package var environment: String { topic("environment") }
    package var zone: String { topic("zone") }
    package var device: String { topic("device") }
    package var devicePosition: String { topic("device/position") }
    package var deviceAngle: String { topic("device/angle") }
    package var deviceLocation: String { topic("device/location") }
    /// All devices of a daemon with several, and where they are.
    package var devices: String { topic("devices") }
    package var nearby: String { topic("nearby") }
    package var nearbyAvailability: String { topic("nearby/availability") }
    /// The nearby thing as a light that never loses a capability, for Home Assistant.
    package var nearbyLight: String { topic("nearby/light") }
    /// How far away it is, at the pace of a recorder.
    package var nearbyDistance: String { topic("nearby/distance") }
    package var lifecycle: String { topic("lifecycle") }
    /// The map of the environment.
    package var map: String { topic("map") }
    /// Animation frames, not retained.
    package var frame: String { topic("frame") }

    /// Every retained topic of a node, as filters.
    package var retained: [String] {
        [
            status, info, health, state, environment, zone, device, nearby, nearbyAvailability, alerts,
            lifecycle,
        ]
            + SensorKind.allCases.map { sensor($0) } + passing + model
    }

    /// The retained topics that are cleared while the node runs, as filters.
    package var passing: [String] {
        [
            nearbyLight, nearbyDistance, alert("+"), map, devicePosition, deviceAngle, deviceLocation,
            devices,
            screen(display: "+"), visible(display: "+"), setupCandidates, station, rule("+"),
        ]
    }

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

    /// A summary of the open alerts; each has a topic of its own, ``alert(_:)``.
    package var alerts: String { topic("alerts") }
    package func alert(_ id: String) -> String { topic("alert/\(id)") }
    package func sensor(_ sensor: SensorKind) -> String { topic("sensors/\(sensor.rawValue)") }
    /// All of ``sensor(_:)``, as a filter.
    package var sensors: String { topic("sensors/+") }
    /// What the node publishes, as filters: neither commands nor what only one user or another program may read.
    package var published: [String] {
        [
            status, info, health, state, environment, zone, device, nearby, nearbyAvailability, alerts,
            lifecycle,
            sensors, frame, topic("event/+"), topic("response/+"),
        ] + passing + ruleMessages + model
    }

    /// What the node of a further device publishes, as filters.
    package var publishedByDevice: [String] {
        [
            status, info, health, alerts, alert("+"), state, environment, zone, device, devicePosition,
            deviceAngle,
            deviceLocation, nearby, nearbyAvailability, nearbyLight, nearbyDistance, lifecycle, sensors,
            topic("event/+"), topic("response/+"),
        ]
    }

    /// Messages that another program is to deliver: email messages with links, and those of devices.
    package var outboxes: [String] { [topic("outbox/#"), topic("outbox-dev/#")] }
    /// Email messages.
    package var emailOutbox: String { topic("outbox/email") }
    /// Text messages to telephones.
    package var smsOutbox: String { topic("outbox/sms") }
    /// For a program that notifies installations, or those under development.
    package func pushOutbox(isDevelopment: Bool) -> String {
        topic(isDevelopment ? "outbox-dev/push" : "outbox/push")
    }

    package func event(_ topic: ChangeEvent.Topic) -> String { self.topic("event/" + topic.rawValue) }

    /// An environment, zone or thing of the model.
    package func object(_ kind: FlareClass, _ slug: String) -> String { topic("\(kind.rawValue)s/\(slug)") }
    /// The lights of a zone as one light.
    package func lights(zone slug: String) -> String { topic("zones/\(slug)/lights") }
    package func data(thing slug: String) -> String { topic("things/\(slug)/data") }
    /// Telemetry of the beacon of a thing.
    package func beacon(thing slug: String) -> String { topic("things/\(slug)/beacon") }
    package func availability(thing slug: String) -> String { topic("things/\(slug)/availability") }

    /// Readings of other programs: `compass`, `gps` or `beacons`.
    package func raw(_ sensor: String) -> String { topic("sensors/\(sensor)/raw") }

    /// How the announcement of this station's address stands.
    package var station: String { topic("station") }

    /// Access points that scanners hear.
    package var setupSSIDs: String { topic("setup/ssids") }
    /// Those of them that belong to things of a profile.
    package var setupCandidates: String { topic("setup/candidates") }

    /// A topic below those that only one user, and this program, may use.
    package func user(_ name: String, _ tail: String) -> String {
        topic("\(Self.usersLevel)/\(name)/\(tail)")
    }

    /// The first level of the topics of users.
    package static let usersLevel = "users"

    /// Commands on the topics of users, as filters.
    package func userCommands(_ table: CommandTable) -> [String] { table.filters.map { user("+", $0) } }

    /// Commands, as filters.
    package func commands(_ table: CommandTable) -> [String] { table.filters.map { topic($0) } }

    /// Whether displays are visible, as a filter.
    package var presence: String { topic("display/+/presence") }

    /// What a display shows.
    package func screen(display: String) -> String { topic("display/\(display)/screen") }

    /// Whether a display can be seen: `ON` or `OFF`, however it said so.
    package func visible(display: String) -> String { topic("display/\(display)/visible") }

    /// The display of a topic of ``presence``; `nil` for another topic.
    package func display(of topic: String) -> String? {
        let levels = topic.dropFirst(root.count).parts(between: "/")
        guard topic.hasPrefix(root + "/"), levels.count == 4, levels[1] == "display", levels[3] == "presence",
            !SecretMask.tokens.finds(in: String(levels[2]))
        else { return nil }
        return String(levels[2])
    }

    /// All topics of the node, as a filter.
    package var everything: String { topic("#") }

    /// All answers to commands, as a filter.
    package var responses: String { topic("response/+") }
    package func response(_ subject: Answer.Subject) -> String {
        switch subject {
        case .set: topic("response/set")
        case .get: topic("response/get")
        // An unknown verb may be any text; its answer needs one legal level.
        case .verb(let verb): topic("response/\(SlugRegistry.slug(from: verb) ?? "unknown")")
        }
    }
}
