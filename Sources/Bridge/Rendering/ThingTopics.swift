import Flare
import Messages

/// The topics of a thing, as long as it has this short name.
struct ThingTopics {
    let slug: String
    var state, data, availability, beacon: RetainedTopicStore.Topic

    init(_ slug: String, _ topics: Topics) {
        self.slug = slug
        state = .init(topics.object(.thing, slug))
        data = .init(topics.data(thing: slug))
        availability = .init(topics.availability(thing: slug))
        beacon = .init(topics.beacon(thing: slug))
    }
}
