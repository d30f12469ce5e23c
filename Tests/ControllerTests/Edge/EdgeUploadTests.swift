import CommandFixture
import Controller
import Flare
import JSON
import Testing
import Things

/// A slice that follows what things at the edge upload.
private struct Uploads: Slice {
    enum Event: Sendable, Hashable {
        /// The slice is here from now on.
        case begun
    }

    var followsUploads: Bool { true }

    private(set) var all: [StateUploaded] = []

    init() {}

    mutating func apply(_ event: Event, in core: ControllerState, at now: Instant) -> [SliceEffect] { [] }

    mutating func uploaded(
        _ upload: StateUploaded,
        in core: ControllerState,
        at now: Instant
    ) -> [SliceEffect] {
        all.append(upload)
        return [.raise("uploads", .warning, message: "\(all.count)")]
    }
}

/// The uploads of things at the edge, as other parts of the program receive them.
@Suite struct EdgeUploadTests {
    private func rig() -> Rig {
        var rig = Rig.atHome()
        for thing in [House.lamp, House.screen] {
            rig.happens(.edge(thing, .routed(EdgeRoute(commandSeconds: 60))))
        }
        rig.happens(Uploads.event(.begun))
        return rig
    }

    private func uploads(_ rig: Rig) -> [StateUploaded] { rig.state.slices[Uploads.self].all }

    @Test func `a slice receives each upload once, also one that changes nothing`() {
        var rig = rig()
        for _ in 0..<2 {
            rig.happens(.uploaded(House.lamp, ["brightness": 0.75]))
            rig.serve()
        }
        let uploads = uploads(rig)
        #expect(uploads.map(\.thing) == [House.lamp, House.lamp])
        #expect(uploads.map(\.written) == [["brightness": 0.75], ["brightness": 0.75]])
        #expect(uploads.map { $0.before["brightness"] } == [0.5, 0.75])
        #expect(uploads.map { $0.after["brightness"] } == [0.75, 0.75])
        #expect(uploads.map { $0.after["color"] } == ["red", "red"])
        #expect(rig.lamp("brightness") == 0.75)
        #expect(rig.state.alerts["uploads"]?.message == "2")
    }

    @Test func `an upload comes after those that the server has not stored yet`() {
        var rig = rig()
        rig.happens(.uploaded(House.lamp, ["brightness": 0.1]))
        rig.happens(.uploaded(House.lamp, ["brightness": 0.2]))
        rig.lose()
        rig.happens(.uploaded(House.lamp, ["brightness": 0.3]))
        #expect(uploads(rig).map { $0.before["brightness"] } == [0.5, 0.1, 0.2])
        #expect(uploads(rig).map { $0.after["brightness"] } == [0.1, 0.2, 0.3])
    }

    @Test func `what is reported and not uploaded just now goes to no slice`() {
        var rig = rig()
        rig.happens(.reported(House.lamp, ["brightness": 0.75]))
        rig.serve()
        #expect(uploads(rig).isEmpty && rig.lamp("brightness") == 0.75)
    }

    @Test func `only what becomes data of the thing is written by an upload`() {
        var rig = rig()
        let state: JSONObject = ["on": false, "minor": 9, "thingID": "x", "color": .null, "a.b": 1]
        rig.happens(.uploaded(House.lamp, state))
        rig.happens(.uploaded(House.lamp, [:]))
        #expect(uploads(rig).map(\.written) == [["on": false], [:]])
    }

    @Test func `the upload of a thing in another environment is stored, and goes to no slice`() {
        var rig = rig()
        rig.happens(.uploaded(House.screen, ["on": false]))
        rig.serve()
        let screen = rig.server.things.first { $0.id == House.screen }
        #expect(uploads(rig).isEmpty && screen?.data["on"] == false)
    }

    @Test func `an upload causes the same without a slice that follows it`() {
        var (silent, heard) = (Rig.atHome(), rig())
        silent.happens(.edge(House.lamp, .routed(EdgeRoute(commandSeconds: 60))))
        let event = ControllerEvent.uploaded(House.lamp, ["brightness": 0.75])
        let requests = silent.happens(event).requests
        #expect(heard.happens(event).requests == requests)
        let changes = silent.serve().events.map(\.type)
        #expect(heard.serve().events.map(\.type) == changes && !changes.isEmpty)
    }
}
