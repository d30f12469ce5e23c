import CommandFixture
import Controller
import Flare
import JSON
import Messages
import Testing
import Things

/// Changes to what an object is, as HTTP brings them.
struct ObjectChangeTests {
    private enum Change {
        case add(FlareClass)
        case edit(FlareClass, String)
        case remove(FlareClass, String, withContents: Bool? = nil)

        var topic: CommandTopic? {
            switch self {
            case .add(let kind): return Self.topic(.post, "\(kind.rawValue)s")
            case .edit(let kind, let name): return Self.topic(.patch, kind, name)
            case .remove(let kind, let name, let contents):
                var topic = Self.topic(.delete, kind, name)
                topic?.query["contents"] = contents.map { "\($0)" }
                return topic
            }
        }

        private static func topic(
            _ method: CommandDescriptor.WebPath.Method,
            _ kind: FlareClass,
            _ name: String
        ) -> CommandTopic? { topic(method, "\(kind.rawValue)s/{\(kind.rawValue)}", name) }

        private static func topic(
            _ method: CommandDescriptor.WebPath.Method,
            _ path: String,
            _ name: String = ""
        ) -> CommandTopic? {
            CommandTable.tested.descriptors.first { $0.web == .init(method, path) }?.topic(name)
        }
    }

    private func decode(_ change: Change, _ payload: String) -> Result<Command.Operation, Refusal> {
        guard let topic = change.topic else { return .failure(Refusal(.unknownCommand, "no command")) }
        return CommandDecoder().decode(topic, payload: Array(payload.utf8)).result
    }

    private func refusal(_ change: Change, _ payload: String) -> Refusal? {
        if case .failure(let refusal) = decode(change, payload) { return refusal }
        return nil
    }

    @Test func `all of a thing can be said`() throws {
        let order = try decode(
            .add(.thing),
            #"{"name":" Lamp ","zone":"hall","description":"","position":{"x":1,"y":2.5},"data":{"on":true},"actions":["on"]}"#
        ).get()
        var edit = ObjectEdit()
        (edit.name, edit.description, edit.position) = ("Lamp", "", Point3D(x: 1, y: 2.5))
        edit.keepsHeight = true
        (edit.data, edit.actions) = (["on": true], ["on"])
        #expect(order == .add(.thing, edit, to: "hall"))
        var change = ObjectEdit()
        change.data = ["on": .null]
        #expect(
            try decode(.edit(.thing, "lamp"), #"{"data":{"on":null},"tx":3}"#).get()
                == .edit(.thing, "lamp", change, zone: nil)
        )
        #expect(
            try decode(.edit(.thing, "lamp"), #"{"zone":"hall"}"#).get()
                == .edit(.thing, "lamp", ObjectEdit(), zone: "hall")
        )
        #expect(try decode(.remove(.thing, "lamp"), "").get() == .remove(.thing, "lamp", withContents: false))
    }

    @Test(arguments: [
        ("{}", RefusalCode.invalidValue), (#"{"name":""}"#, .outOfRange), (#"{"name":7}"#, .wrongType),
        (#"{"nme":"x"}"#, .unknownKey),
        (#"{"name":"a\u0000b"}"#, .invalidValue), (#"{"name":"\nLamp"}"#, .invalidValue),
        (#"{"position":{"x":1}}"#, .invalidValue),
        (#"{"position":{"x":1,"y":200000000}}"#, .outOfRange), (#"{"position":[1,2]}"#, .wrongType),
        (#"{"data":[]}"#, .wrongType), (#"{"data":{"a.b":1}}"#, .invalidValue),
        (#"{"data":{"$set":1}}"#, .invalidValue), (#"{"data":{"":1}}"#, .invalidValue),
        (#"{"actions":"on"}"#, .wrongType), (#"{"actions":["on",7]}"#, .wrongType),
        (#"{"actions":[""]}"#, .wrongType), ("[", .badJSON), ("7", .wrongType),
    ]) func `what is no change is refused`(payload: String, code: RefusalCode) {
        #expect(refusal(.edit(.thing, "lamp"), payload)?.code == code)
    }

    @Test func `sizes have limits`() {
        let long = String(repeating: "n", count: 201)
        #expect(refusal(.edit(.thing, "lamp"), #"{"name":"\#(long)"}"#)?.code == .outOfRange)
        let text = String(repeating: "d", count: 2001)
        #expect(refusal(.edit(.thing, "lamp"), #"{"description":"\#(text)"}"#)?.code == .outOfRange)
        let many = (0...200).map { "\"k\($0)\":1" }.joined(separator: ",")
        #expect(refusal(.edit(.thing, "lamp"), "{\"data\":{\(many)}}")?.code == .outOfRange)
    }

    @Test func `all of an environment and of a zone can be said`() throws {
        var edit = ObjectEdit()
        (edit.name, edit.description, edit.angle) = ("Flat", "third floor", -12.5)
        edit.perimeter = Box(origin: Point3D(x: -1, y: 0, z: 3), width: 9, height: 7)
        edit.geofence = Geofence(centre: GeoPoint(latitude: 50, longitude: -8), radiusMetres: 60)
        edit.data = ["uuid": "x"]
        let box = #""perimeter":{"origin":{"x":-1,"y":0,"z":3},"size":{"width":9,"height":7}}"#
        let fence = #""geofence":{"latitude":50,"longitude":-8,"radius":60}"#
        let text =
            #"{"name":"Flat","description":"third floor","angle":-12.5,\#(box),\#(fence),"data":{"uuid":"x"}}"#
        #expect(try decode(.add(.environment), text).get() == .add(.environment, edit, to: nil))
        var zone = ObjectEdit()
        (zone.name, zone.perimeter) = ("Hall", edit.perimeter)
        #expect(
            try decode(.add(.zone), #"{"name":"Hall","environment":"flat",\#(box)}"#).get()
                == .add(.zone, zone, to: "flat")
        )
        var without = ObjectEdit()
        without.removed = [.perimeter, .geofence]
        #expect(
            try decode(.edit(.environment, "flat"), #"{"perimeter":null,"geofence":null}"#).get()
                == .edit(.environment, "flat", without, zone: nil)
        )
        #expect(
            try decode(.remove(.zone, "hall", withContents: true), "").get()
                == .remove(.zone, "hall", withContents: true)
        )
    }

    @Test(arguments: [
        (FlareClass.environment, #"{"zone":"x"}"#, RefusalCode.unknownKey, "zone"),
        (.environment, #"{"position":{"x":1,"y":1}}"#, .unknownKey, "position"),
        (.environment, #"{"angle":"7"}"#, .wrongType, "angle"),
        (.environment, #"{"angle":361}"#, .outOfRange, "angle"),
        (.environment, #"{"geofence":{"latitude":50,"longitude":8}}"#, .invalidValue, "geofence"),
        (
            .environment, #"{"geofence":{"latitude":95,"longitude":8,"radius":1}}"#, .outOfRange,
            "geofence.latitude"
        ),
        (
            .environment, #"{"geofence":{"latitude":5,"longitude":8,"radius":1,"r":1}}"#, .unknownKey,
            "geofence.r"
        ),
        (.zone, #"{"angle":1}"#, .unknownKey, "angle"),
        (.zone, #"{"environment":"x","name":"y"}"#, .unknownKey, "environment"),
        (.zone, #"{"perimeter":7}"#, .wrongType, "perimeter"),
        (.zone, #"{"perimeter":{"origin":{"x":1,"y":1}}}"#, .invalidValue, "perimeter"),
        (
            .zone, #"{"perimeter":{"origin":{"x":1},"size":{"width":1,"height":1}}}"#, .invalidValue,
            "perimeter.origin"
        ),
        (
            .zone, #"{"perimeter":{"origin":{"x":1,"y":1},"size":{"width":"1","height":1}}}"#, .wrongType,
            "perimeter.size.width"
        ),
        (
            .zone, #"{"perimeter":{"origin":{"x":1,"y":1},"size":{"width":1,"hight":1}}}"#, .unknownKey,
            "perimeter.size.hight"
        ),
        (.zone, #"{"geofence":null}"#, .unknownKey, "geofence"),
    ]) func `what is wrong in a place is named`(
        kind: FlareClass,
        payload: String,
        code: RefusalCode,
        field: String
    ) {
        let refusal = refusal(.edit(kind, "x"), payload)
        #expect(refusal?.code == code && refusal?.field == field)
    }

    @Test func `a new environment needs a name, and a new zone an environment, too`() {
        #expect(refusal(.add(.environment), "{}")?.field == "name")
        #expect(refusal(.add(.zone), #"{"name":"Hall"}"#)?.field == "environment")
        #expect(refusal(.edit(.zone, "hall"), "{}")?.message.contains("perimeter") == true)
    }

    @Test func `a new thing needs a name and a zone`() {
        #expect(refusal(.add(.thing), #"{"zone":"hall"}"#)?.field == "name")
        #expect(refusal(.add(.thing), #"{"name":"Lamp"}"#)?.field == "zone")
        #expect(refusal(.remove(.thing, "lamp"), #"{"name":"Lamp"}"#)?.code == .unknownKey)
    }
}
