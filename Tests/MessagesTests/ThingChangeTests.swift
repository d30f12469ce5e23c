import Controller
import Flare
import Messages
import Testing
import Things

/// Changes to what a thing is, as HTTP brings them.
struct ThingChangeTests {
    private func decode(_ change: ThingChange, _ payload: String) -> Result<Command.Order, Refusal> {
        CommandDecoder().decode(change, payload: Array(payload.utf8)).result
    }

    private func refusal(_ change: ThingChange, _ payload: String) -> Refusal? {
        if case .failure(let refusal) = decode(change, payload) { return refusal }
        return nil
    }

    @Test func `all of a thing can be said`() throws {
        let order = try decode(
            .add,
            #"{"name":" Lamp ","zone":"hall","description":"","position":{"x":1,"y":2.5},"data":{"on":true},"actions":["on"]}"#
        ).get()
        var edit = ThingEdit()
        (edit.name, edit.description, edit.position) = ("Lamp", "", Point3D(x: 1, y: 2.5))
        (edit.data, edit.actions) = (["on": true], ["on"])
        #expect(order == .addThing(edit, zone: "hall"))
        var change = ThingEdit()
        change.data = ["on": .null]
        #expect(
            try decode(.edit("lamp"), #"{"data":{"on":null},"tx":3}"#).get()
                == .editThing("lamp", change, zone: nil)
        )
        #expect(
            try decode(.edit("lamp"), #"{"zone":"hall"}"#).get()
                == .editThing("lamp", ThingEdit(), zone: "hall")
        )
        #expect(try decode(.remove("lamp"), "").get() == .removeThing("lamp"))
    }

    @Test(arguments: [
        ("{}", RefusalCode.invalidValue), (#"{"name":""}"#, .outOfRange), (#"{"name":7}"#, .wrongType),
        (#"{"nme":"x"}"#, .unknownKey), (#"{"position":{"x":1}}"#, .invalidValue),
        (#"{"position":{"x":1,"y":2000000}}"#, .outOfRange), (#"{"position":[1,2]}"#, .wrongType),
        (#"{"data":[]}"#, .wrongType), (#"{"data":{"a.b":1}}"#, .invalidValue),
        (#"{"data":{"$set":1}}"#, .invalidValue), (#"{"data":{"":1}}"#, .invalidValue),
        (#"{"actions":"on"}"#, .wrongType), (#"{"actions":["on",7]}"#, .wrongType),
        (#"{"actions":[""]}"#, .wrongType), ("[", .badJSON), ("7", .wrongType),
    ]) func `what is no change is refused`(payload: String, code: RefusalCode) {
        #expect(refusal(.edit("lamp"), payload)?.code == code)
    }

    @Test func `sizes have limits`() {
        let long = String(repeating: "n", count: 201)
        #expect(refusal(.edit("lamp"), #"{"name":"\#(long)"}"#)?.code == .outOfRange)
        let text = String(repeating: "d", count: 2001)
        #expect(refusal(.edit("lamp"), #"{"description":"\#(text)"}"#)?.code == .outOfRange)
        let many = (0...200).map { "\"k\($0)\":1" }.joined(separator: ",")
        #expect(refusal(.edit("lamp"), "{\"data\":{\(many)}}")?.code == .outOfRange)
    }

    @Test func `a new thing needs a name and a zone`() {
        #expect(refusal(.add, #"{"zone":"hall"}"#)?.field == "name")
        #expect(refusal(.add, #"{"name":"Lamp"}"#)?.field == "zone")
        #expect(refusal(.remove("lamp"), #"{"name":"Lamp"}"#)?.code == .unknownKey)
    }
}
