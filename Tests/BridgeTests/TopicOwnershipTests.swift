import Bridge
import Controller
import MQTT
import Messages
import Testing

struct TopicOwnershipTests {
    private static let root = "t/n"
    private static let duplicate = ControllerEvent.alertCleared(TopicOwnership.alert)

    private var ownership = TopicOwnership(
        topics: Topics(root: root),
        epoch: "2",
        formerEpoch: "1",
        formerRoots: []
    )

    private func message(_ tail: String, _ payload: String, isRetained: Bool = false) -> MQTTMessage {
        MQTTMessage(topic: "\(Self.root)/\(tail)", payload: Array(payload.utf8), isRetained: isRetained)
    }

    private mutating func receive(
        _ tail: String,
        _ payload: String,
        isRetained: Bool = false,
        at now: Int64 = 0
    ) -> [TopicOwnership.Action] {
        ownership.receive(message(tail, payload, isRetained: isRetained), isConnected: true, at: now)
    }

    private func filters(_ actions: [TopicOwnership.Action]) -> [String] {
        actions.flatMap { if case .read(let filters, _) = $0 { filters } else { [String]() } }
    }

    @Test mutating func `only the first link remembers the root and the epoch`() {
        #expect(ownership.linkUp() == [.remember(.root("t/n", isUsed: true)), .remember(.epoch("2"))])
        #expect(ownership.linkDown() == [.send(Self.duplicate)])
        #expect(ownership.linkUp() == [])
    }

    @Test mutating func `the retained info of our last run has only topics read that come and go`() {
        let actions = receive("info", #"{"epoch":"1"}"#, isRetained: true)
        #expect(filters(actions).contains("t/n/alert/+"))
        #expect(!filters(actions).contains("t/n/things/+"))
        #expect(receive("info", #"{"epoch":"1"}"#, isRetained: true) == [], "read once")
    }

    @Test mutating func `the retained info of another daemon has all topics read`() {
        #expect(receive("info", #"{"epoch":"0"}"#, isRetained: true) == [])
        let actions = ownership.readPutOff()
        #expect(filters(actions).contains("t/n/things/+"))
        #expect(!filters(actions).contains("t/n/info"))
    }

    @Test mutating func `many topics are read only when everything is confirmed, and once`() {
        #expect(ownership.readPutOff() == [] && !ownership.isReadingPutOff)
        _ = receive("info", #"{"epoch":"0"}"#, isRetained: true)
        #expect(ownership.isReadingPutOff)
        #expect([ownership.tick(), ownership.tick()] == [false, false], "nothing is read yet")
        #expect(!ownership.readPutOff().isEmpty)
        #expect(ownership.readPutOff() == [] && !ownership.isReadingPutOff)
        #expect([ownership.tick(), ownership.tick()] == [false, true])
    }

    @Test mutating func `few topics are read at once, and go on over the next link`() {
        #expect(receive("info", #"{"epoch":"1"}"#, isRetained: true).count == 1)
        #expect(!ownership.isReadingPutOff)
        #expect(ownership.linkDown() == [.send(Self.duplicate)])
        #expect(ownership.acknowledgementsLost() == [])
        #expect([ownership.tick(), ownership.tick()] == [false, true])
    }

    @Test mutating func `after a lost link many topics are read again, for a whole interval`() {
        _ = receive("info", #"{"epoch":"0"}"#, isRetained: true)
        let reading = ownership.readPutOff()
        #expect([ownership.tick(), ownership.tick()] == [false, true])
        #expect(ownership.linkDown() == [.stopReading, .send(Self.duplicate)])
        #expect(ownership.tick() == false)
        #expect(ownership.readPutOff() == reading)
        #expect([ownership.tick(), ownership.tick()] == [false, true])
    }

    @Test mutating func `a reading that makes the broker lose acknowledgements is given up`() {
        _ = receive("info", #"{"epoch":"0"}"#, isRetained: true)
        #expect(ownership.acknowledgementsLost() == [], "it was not the reading")
        _ = ownership.readPutOff()
        guard case .logNotice? = ownership.acknowledgementsLost().first else {
            return #expect(Bool(false), "nothing is logged")
        }
        #expect(ownership.linkDown() == [.send(Self.duplicate)])
        #expect(!ownership.isReadingPutOff && ownership.readPutOff() == [])
    }

    @Test mutating func `our own info causes nothing`() {
        _ = ownership.linkUp()
        #expect(receive("info", #"{"epoch":"2"}"#) == [])
        #expect(receive("info", #"{"epoch":"2"}"#, isRetained: true) == [])
        #expect(receive("info", "nonsense") == [])
    }

    @Test mutating func `a second daemon raises an alert and is answered, and its end clears what it left`() {
        _ = ownership.linkUp()
        let first = receive("info", #"{"epoch":"9"}"#)
        #expect(first.last == .resendInfo)
        #expect(ownership.hasDuplicates)
        #expect(!first.contains(.duplicateWasFirst))
        let end = receive("status", "offline")
        #expect(end.last == .resendAll)
        #expect(end.contains(.duplicatesGone) && end.contains(.send(Self.duplicate)))
        #expect(filters(ownership.readPutOff()).contains("t/n/things/+"))
        #expect(!ownership.hasDuplicates)
    }

    @Test mutating func `a second daemon that was online before us was first`() {
        _ = receive("status", "online", isRetained: true)
        _ = ownership.linkUp()
        #expect(receive("info", #"{"epoch":"9"}"#).contains(.duplicateWasFirst))
    }

    @Test
    mutating func `a copy with our client id is recognised by what it published while it had thrown us out`()
    {
        _ = ownership.linkUp()
        #expect(ownership.linkDown(isContested: true) == [.send(Self.duplicate)])
        let alarm = receive("info", #"{"epoch":"9"}"#, isRetained: true)
        guard case .send(.alertRaised(TopicOwnership.alert, .error, let text))? = alarm.first else {
            return #expect(Bool(false), "no alert: \(alarm)")
        }
        #expect(text.contains("t/n"))
        _ = ownership.linkUp()
        #expect(ownership.hasDuplicates)
        // It goes on from link to link, until the other client has gone.
        #expect(ownership.linkDown(isContested: true) == [])
        #expect(receive("info", #"{"epoch":"9"}"#, isRetained: true) == [])
        let end = ownership.contestEnded()
        #expect(end.contains(.send(Self.duplicate)) && end.contains(.duplicatesGone))
        #expect(!ownership.hasDuplicates)
    }

    @Test mutating func `an older info that a broker has restored is no other daemon`() {
        _ = ownership.linkUp()
        _ = ownership.linkDown(isContested: false)
        #expect(!receive("info", #"{"epoch":"1"}"#, isRetained: true).isEmpty)
        #expect(!ownership.hasDuplicates)
    }

    @Test mutating func `stale topics are cleared once the place is known and no duplicate node is there`() {
        _ = ownership.linkUp()
        _ = receive("info", #"{"epoch":"0"}"#, isRetained: true)
        ownership.record(message("things/radio", "{}", isRetained: true))
        ownership.record(message("things/lamp", "{}", isRetained: true))
        #expect(ownership.drainStaleTopics(isPlaceKnown: false, unless: { _ in false }) == [])
        let stale = ownership.drainStaleTopics(isPlaceKnown: true, unless: { $0 == "t/n/things/lamp" })
        #expect(stale == ["t/n/things/radio"])
    }

    @Test mutating func `while a daemon may be online stale topics wait for a whole interval`() {
        _ = receive("status", "online", isRetained: true)
        _ = receive("info", #"{"epoch":"0"}"#, isRetained: true)
        ownership.record(message("things/radio", "{}", isRetained: true))
        #expect(ownership.drainStaleTopics(isPlaceKnown: true, unless: { _ in false }) == [])
        _ = ownership.readPutOff()
        #expect([ownership.tick(), ownership.tick()] == [false, true])
        func finish() -> [TopicOwnership.Action] {
            ownership.finishReading(isPlaceKnown: true, isIdle: true, unless: { _ in false })
        }
        #expect(finish() == [.clear(["t/n/things/radio"])])
        #expect(finish() == [.stopReading])
        #expect(ownership.tick() == false)
    }

    @Test func `a former root is forgotten after its topics were cleared, one that is in use is left`() {
        for (status, cleared) in [("offline", ["t/old/things/lamp"]), ("online", [])] {
            var ownership = TopicOwnership(
                topics: Topics(root: "t/n"),
                epoch: "2",
                formerEpoch: nil,
                formerRoots: ["t/old", "t/n"]
            )
            #expect(ownership.start() == [])
            let read = filters(ownership.readPutOff())
            #expect(!read.isEmpty && read.allSatisfy { $0.hasPrefix("t/old/") })
            for (tail, payload) in [("status", status), ("things/lamp", "{}")] {
                ownership.record(
                    MQTTMessage(topic: "t/old/\(tail)", payload: Array(payload.utf8), isRetained: true)
                )
            }
            #expect(ownership.drainStaleTopics(isPlaceKnown: true, unless: { _ in false }) == [])
            let stale = ownership.drainStaleTopics(isPlaceKnown: true, isAlone: true, unless: { _ in false })
            #expect(stale.filter { !$0.hasSuffix("status") } == cleared)
            let end = ownership.finishReading(isPlaceKnown: true, isIdle: true, unless: { _ in false })
            #expect(end == [.stopReading, .remember(.root("t/old", isUsed: false))])
        }
    }

    @Test mutating func `a node that leaves ignores others`() {
        _ = ownership.linkUp()
        ownership.leave()
        #expect(receive("info", #"{"epoch":"9"}"#) == [])
        #expect(receive("status", "offline") == [])
    }
}
