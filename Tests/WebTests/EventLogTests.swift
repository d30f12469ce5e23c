import NIOCore
import Testing

@testable import Web

struct EventLogTests {
    private static func event(_ number: Int, _ subject: FeedEvent.Subject, size: Int = 10) -> FeedEvent {
        FeedEvent(subject, Array(repeating: UInt8(ascii: "1"), count: size), epoch: "e", number: number)
    }

    private static func log(_ subjects: [FeedEvent.Subject], bytes: Int = 100_000, events: Int = 100)
        -> EventLog
    {
        var log = EventLog(maximumBytes: bytes, maximumEvents: events)
        for (index, subject) in subjects.enumerated() { log.append(event(index + 1, subject)) }
        return log
    }

    /// The numbers of the events that a reader gets.
    private static func numbers(_ log: EventLog, after number: Int, frames: Bool = false) -> [Int] {
        let text = log.part(after: number, upTo: .max, frames: frames)?.text ?? ByteBuffer()
        return String(buffer: text).split(separator: "\n").filter { $0.hasPrefix("id: ") }
            .compactMap { $0.split(separator: "-").last.flatMap { Int($0) } }
    }

    @Test func `an event has its number, its name and its data`() {
        let text = String(buffer: FeedEvent(.nearby, Array("{}".utf8), epoch: "e", number: 7).text)
        #expect(text == "id: e-7\nevent: nearby\ndata: {}\n\n")
    }

    @Test(
        arguments: [
            ("e-7", 7), ("e-0", 0), ("f-7", nil), ("e-", nil), ("e--7", nil), ("", nil), ("7", nil),
            ("e-99999999999999999999", nil),
        ] as [(String, Int?)]
    )
    func `only an identifier of this epoch has a number`(identifier: String, number: Int?) {
        #expect(FeedEvent.number(in: identifier, epoch: "e") == number)
    }

    @Test func `a reader gets what follows the last event that it has`() {
        let log = Self.log([.state, .alert("a"), .state])
        #expect(Self.numbers(log, after: 0) == [1, 2, 3])
        #expect(Self.numbers(log, after: 2) == [3])
        #expect(Self.numbers(log, after: 3) == [])
        #expect(log.part(after: 3, upTo: .max, frames: false) == nil)
    }

    @Test func `a part ends at its limit, and holds at least one event`() throws {
        let log = Self.log([.state, .state, .state])
        let part = try #require(log.part(after: 0, upTo: 1, frames: false))
        #expect(part.last == 1)
        #expect(try #require(log.part(after: 1, upTo: .max, frames: false)).last == 3)
    }

    @Test func `when it is full, replaced events go first, and nobody has missed anything`() {
        let log = Self.log([.state, .alert("a"), .state, .state], events: 3)
        #expect(Self.numbers(log, after: 0) == [2, 4])
        #expect(log.canResume(after: 0))
    }

    @Test func `when that is not enough, the oldest go, and their readers start over`() {
        let log = Self.log([.alert("a"), .alert("b"), .alert("c"), .alert("d")], events: 3)
        #expect(!log.canResume(after: 0))
        #expect(log.canResume(after: 1))
        #expect(Self.numbers(log, after: 1) == [2, 3, 4])
        #expect(!log.canResume(after: 5), "a number that was never given")
    }

    @Test func `its bytes are bounded`() {
        var log = EventLog(maximumBytes: 1000, maximumEvents: 1000)
        for number in 1...100 { log.append(Self.event(number, .alert("\(number)"), size: 90)) }
        #expect(!log.canResume(after: 50))
        #expect(Self.numbers(log, after: 98) == [99, 100])
        log.append(Self.event(101, .state, size: 5000))
        #expect(log.canResume(after: 101))
        #expect(!log.canResume(after: 100))
    }

    @Test func `a frame is the newest one, only for those who see frames, and never resumed`() {
        let log = Self.log([.state, .frame, .frame, .alert("a")])
        #expect(Self.numbers(log, after: 0) == [1, 4])
        #expect(Self.numbers(log, after: 0, frames: true) == [1, 3, 4])
        #expect(Self.numbers(log, after: 3, frames: true) == [4])
    }

    @Test func `what was not recorded cannot be resumed`() {
        var log = Self.log([.state, .state])
        log.startOver(at: 5)
        #expect(!log.canResume(after: 2))
        #expect(log.canResume(after: 5))
    }
}
