import Accounts
@testable import Controller
import Daemon
import Flare
import JSON
import People
import Testing
import Things

/// What the command log has of a command.
struct CommandLogEntryTests {
    private let lamp = FlareID(high: 3, low: 1)
    private let bob = User(id: .everybody, name: "bob")

    private func record(_ change: (inout Answer) -> Void) -> CommandRecord {
        let target = Answer.Target(kind: "thing", slug: "lamp", object: ObjectReference(.thing, lamp))
        var answer = Answer(ticket: 1, tx: nil, subject: .set, target: target)
        change(&answer)
        let attributes: JSONObject = ["brightness": 40, "color": "#zzz"]
        return CommandRecord(
            operation: .set(.thing("lamp"), ThingRequest(attributes: attributes, isPartial: true)),
            answer: answer,
            caller: .user(bob.id),
            source: "node/things/lamp/set",
            received: Instant(wallMilliseconds: 1000, steadyMilliseconds: 10),
            ended: Instant(wallMilliseconds: 1030, steadyMilliseconds: 40)
        )
    }

    @Test func `a row of the log has what was accepted and rejected, and the mark, as JSON`() {
        let record = record { answer in
            answer.tx = ["n": 7]
            answer.accepted = ["brightness": 40]
            answer.rejected = ["color": .invalidValue]
        }
        let entry = record.logEntry(epoch: "e", in: AccessTable(users: [bob]))
        #expect(entry.results == #"{"accepted":{"brightness":40},"rejected":{"color":"invalid_value"}}"#)
        #expect(entry.tx == #"{"n":7}"#)
        #expect(entry.actions == ##"{"brightness":40,"color":"#zzz"}"##)
        #expect(entry.kind == "set" && entry.state == "accepted" && entry.code == nil)
        #expect(entry.target == "\(lamp)" && entry.slug == "lamp")
        #expect(entry.caller == "user:bob" && entry.interface == "mqtt" && entry.took == 30)
    }

    @Test func `a row of the log names the node of the device that the command was for`() {
        #expect(record { $0.node = "anna" }.logEntry(epoch: "e", in: AccessTable()).node == "anna")
    }

    @Test
    func `a row of the log has no results where nothing was accepted or rejected, and no mark without one`() {
        let entry = record { _ in }.logEntry(epoch: "e", in: AccessTable())
        #expect(entry.results == nil && entry.tx == nil && entry.node == nil)
        #expect(record { $0.tx = .null }.logEntry(epoch: "e", in: AccessTable()).tx == "null")
    }
}
