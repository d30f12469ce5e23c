import Bridge
import Controller
import HomeAssistant
import MQTT
import Messages
import Testing

struct DiscoverySessionTests: ~Copyable {
    private var session = DiscoverySession(Self.configuration, remembered: [:])

    private static var configuration: DiscoveryConfiguration {
        DiscoveryConfiguration(node: "n", installation: "1", topics: Topics(root: "t/n"))
    }

    private func birth(_ text: String, isRetained: Bool = false) -> MQTTMessage {
        MQTTMessage(topic: "homeassistant/status", payload: Array(text.utf8), isRetained: isRetained)
    }

    private func published(_ actions: [DiscoverySession.Action]) -> [Announcement] {
        actions.flatMap { if case .publish(let messages) = $0 { messages } else { [Announcement]() } }
    }

    /// Publishes all batches; returns what was published.
    private mutating func drain() -> [Announcement] {
        var result: [Announcement] = []
        while !session.publisher.isComplete { result += published(session.next(at: 0)) }
        return result
    }

    @Test mutating func `after a connect the states wait for urgent announcements, but not for ever`() {
        #expect(
            session.linkUp() == [.requestState, .wait(.milliseconds(500), then: .releaseStates)]
        )
        #expect(session.isHoldingStates == true)
        #expect(session.perform(.releaseStates, isActive: true) == [.flush])
        #expect(session.isHoldingStates == false)
    }

    @Test mutating func `urgent announcements are published before the states are released`() {
        _ = session.linkUp()
        let actions = session.announceAll(Flat.state, links: ["flare"], at: 0)
        #expect(session.isHoldingStates == false)
        #expect(actions == [.publish([]), .flush, .wait(.zero, then: .nextBatch)])
        #expect(drain().map(\.topic).contains("homeassistant/device/trilateral_n_lamp/config"))
    }

    @Test mutating func `a batch is planned once, and the next one after it`() {
        _ = session.announceAll(Flat.state, links: [], at: 0)
        #expect(session.planNextBatch(at: 0) == [])
        #expect(session.perform(.nextBatch, isActive: true) == [])
        #expect(session.planNextBatch(at: 0) == [.wait(.milliseconds(10), then: .nextBatch)])
        _ = session.perform(.nextBatch, isActive: true)
        _ = drain()
        #expect(session.planNextBatch(at: 0) == [])
    }

    @Test mutating func `announcements without room are published first in the next batch`() {
        _ = session.announceAll(Flat.state, links: [], at: 0)
        let first = published(session.next(at: 0))
        _ = session.putBack(first[1...])
        #expect(published(session.next(at: 0)) == Array(first[1...]))
    }

    @Test mutating func `a birth is answered once, with all states after all announcements`() {
        #expect(
            session.receive(birth: birth("online"), delay: .seconds(1), hasDuplicates: false)
                == [.wait(.seconds(1), then: .answerBirth)]
        )
        #expect(session.receive(birth: birth("online"), delay: .zero, hasDuplicates: false) == [])
        #expect(session.perform(.answerBirth, isActive: true) == [.requestState])
        _ = session.announceAll(Flat.state, links: [], at: 0)
        let topics = (0..<100).map { "t/n/\($0)" }
        #expect(Array(session.nextStates(of: topics)) == [], "announcements come first")
        _ = drain()
        #expect(Array(session.nextStates(of: topics)) == Array(topics.prefix(60)))
        #expect(Array(session.nextStates(of: topics)) == Array(topics.dropFirst(60)))
        #expect(Array(session.nextStates(of: topics)) == [])
    }

    @Test mutating func `a retained birth, a will and other texts are not answered`() {
        for message in [birth("online", isRetained: true), birth("offline"), birth("hello")] {
            #expect(session.receive(birth: message, delay: .zero, hasDuplicates: false) == [])
        }
    }

    @Test mutating func `a birth is not answered without a link`() {
        _ = session.receive(birth: birth("online"), delay: .zero, hasDuplicates: false)
        #expect(session.perform(.answerBirth, isActive: false) == [])
    }

    @Test mutating func `entities of a duplicate node are removed before ours are announced, over one link`()
    {
        session.recordForeignIDs()
        let actions = session.duplicatesGone()
        guard case .wait(.seconds(2), let step)? = actions.last else {
            Issue.record("no delay in \(actions)")
            return
        }
        session.linkDown()
        #expect(session.perform(step, isActive: true) == [], "the removal may not have been received")
        #expect(session.hasForeignIDs == true)
        guard case .wait(_, let next)? = session.duplicatesGone().last else { return }
        #expect(session.perform(next, isActive: true) == [.requestState])
        #expect(session.hasForeignIDs == false)
        #expect(session.duplicatesGone() == [.requestState])
    }

    @Test func `switched off it listens to no birth and removes what an earlier run announced`() {
        var configuration = Self.configuration
        configuration.settings.isEnabled = false
        let topic = "homeassistant/device/trilateral_n/config"
        var session = DiscoverySession(configuration, remembered: [topic: "sensor.zone"])
        #expect(session.births.isEmpty == true)
        let removals = published(session.announceAll(Flat.state, links: [], at: 0))
        #expect(removals.map(\.topic) == [topic] && removals.allSatisfy(\.isRemoval))
        // Its ids are kept in mind, in case it comes back.
        #expect(session.drainRemoved() == [.announced(topic: topic, components: "!sensor.zone")])
    }

    @Test
    mutating func `under another prefix everything is announced anew, and nothing stays under the old one`() {
        _ = session.announceAll(Flat.state, links: [], at: 0)
        let announced = Set(drain().map(\.topic))
        var other = Self.configuration
        var isOther = session.use(other)
        #expect(!isOther)
        other.settings.prefix = "ha"
        isOther = session.use(other)
        #expect(isOther)
        #expect(session.births == ["ha/status"])
        var messages = published(session.announceAll(Flat.state, links: [], at: 0))
        messages += drain()
        let removed = messages.filter(\.isRemoval).map(\.topic)
        #expect(Set(removed) == announced && removed.count == announced.count)
        let new = messages.filter { !$0.isRemoval }.map(\.topic)
        #expect(Set(new) == Set(announced.map { $0.replacing("homeassistant/", with: "ha/") }))
        let forgotten = session.drainRemoved()
        #expect(Set(forgotten) == Set(announced.map { .withdrawn(topic: $0) }))
    }

    @Test mutating func `fewer things and no discovery at all take away what was announced`() {
        _ = session.announceAll(Flat.state, links: [], at: 0)
        let announced = Set(drain().map(\.topic))
        var other = Self.configuration
        other.settings.things = .none
        _ = session.use(other)
        let things = published(session.announceAll(Flat.state, links: [], at: 0)).filter(\.isRemoval)
        #expect(
            Set(things.map(\.topic)) == announced.filter { $0.contains("n_lamp") || $0.contains("n_plant") }
        )
        other.settings.isEnabled = false
        _ = session.use(other)
        #expect(session.births.isEmpty == true)
        let rest = published(session.announceAll(Flat.state, links: [], at: 0))
        #expect(Set((things + rest).map(\.topic)) == announced && rest.allSatisfy(\.isRemoval))
    }

    @Test mutating func `a withdrawal removes every announced device`() {
        _ = session.announceAll(Flat.state, links: [], at: 0)
        let announced = Set(drain().map(\.topic))
        let removals = published(session.withdraw())
        #expect(Set(removals.map(\.topic)) == announced && removals.allSatisfy(\.isRemoval))
    }
}
