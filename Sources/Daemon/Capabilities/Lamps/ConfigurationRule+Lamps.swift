import Controller
import Lamps
import Settings
import Text

extension ConfigurationRule {
    /// A link to one of our own topics would be an endless loop.
    static let noLinkToOwnTopics = ConfigurationRule(list: "links", needed: ["mqtt.base", "mqtt.node"]) {
        let place = NodeAddress($0, .ofThisMachine())
        let root = "\(place.base)/\(place.node)"
        return $0.links.flatMap { link -> [Issue] in
            guard let dialect = link.dialect else { return [] }
            let topics = Set(dialect.commandTopics + dialect.topics).sorted()
            return topics.filter { $0 == root || $0.hasPrefix(root + "/") }.map {
                Issue(
                    message: "entry \(link.number): \($0) is one of our own topics",
                    entry: link.number
                )
            }
        }
    }

    /// A lamp has one link, and so has a thing; a topic is either for commands or for states.
    static let oneLinkPerLampAndThing = ConfigurationRule(list: "links") { configuration in
        var issues: [Issue] = []
        // The first entry with it.
        var things: [String: Int] = [:]
        var topics: [String: Int] = [:]
        for link in configuration.links {
            guard let dialect = link.dialect else { continue }
            func report(_ message: String) {
                issues.append(Issue(message: message, entry: link.number))
            }
            for topic in dialect.commandTopics where dialect.topics.contains(topic) {
                report(
                    "entry \(link.number): \(topic) cannot be both what the lamp is told and what it says"
                )
            }
            let names = [link.thing.lowercased(), SlugRegistry.slug(from: link.thing)].compactMap(\.self)
            if let other = names.compactMap({ things[$0] }).min() {
                report(
                    "entries \(other) and \(link.number) are for one thing, \(QuotedValue.of(link.thing))"
                )
            }
            let common = dialect.lampTopics.sorted().compactMap { topic in topics[topic].map { ($0, topic) } }
            if let (other, topic) = common.min(by: { $0.0 < $1.0 }) {
                report("entries \(other) and \(link.number) are for one lamp: both have the topic \(topic)")
            }
            for name in names where things[name] == nil { things[name] = link.number }
            for topic in dialect.lampTopics where topics[topic] == nil { topics[topic] = link.number }
        }
        return issues
    }
}
