import Controller
import Lamps
import Things

extension ConfigurationRule {
    /// No lamp has two links, and none is one of our own topics: what goes in a circle would never end.
    static let links = ConfigurationRule(paths: ["links", "mqtt.base", "mqtt.node"]) { configuration in
        let links = configuration.links
        guard !links.isEmpty else { return [] }
        let place = BrokerPlace(configuration.mqtt, .ofThisMachine())
        let root = "\(place.base)/\(place.node)"
        var complaints: [String] = []
        for (number, link) in links.enumerated() {
            guard let dialect = link.dialect else { continue }
            let name = "entry \(number + 1)"
            for topic in Set(dialect.commandTopics + dialect.topics).sorted()
            where topic == root || topic.hasPrefix(root + "/") {
                complaints.append("\(name): \(topic) is one of our own topics")
            }
            for topic in dialect.commandTopics where dialect.topics.contains(topic) {
                complaints.append("\(name): \(topic) cannot be both what the lamp is told and what it says")
            }
            for (earlier, other) in links[..<number].enumerated() {
                let pair = "entries \(earlier + 1) and \(number + 1)"
                if isSame(link.thing, other.thing) {
                    complaints.append("\(pair) are for one thing, \(Quotation.of(link.thing))")
                }
                guard let common = other.dialect?.lampTopics.intersection(dialect.lampTopics).min() else {
                    continue
                }
                complaints.append("\(pair) are for one lamp: both have the topic \(common)")
            }
        }
        return complaints
    }

    /// Whether two names mean one thing for certain.
    private static func isSame(_ name: String, _ other: String) -> Bool {
        name.lowercased() == other.lowercased()
            || SlugBook.slug(from: name) != nil && SlugBook.slug(from: name) == SlugBook.slug(from: other)
    }
}
