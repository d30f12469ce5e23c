import Flare
import FlareServer
import JSON
import Testing

/// The recipients of notices.
/// - Source: contrib/contract/flare-protocol.md, "4.3 Who receives a message".
@Suite struct RoomsTests {
    /// Clients that subscribe to each object in each way; `sender` subscribes to everything as well.
    private func received(
        dialect: FlareDialect = .origin,
        before: ((FlareHub) async throws -> Void)? = nil,
        by act: (FlareHub, FlareClientID) async throws -> Void
    ) async throws -> [ReceivedNotice] {
        let hub = try FlareHub(FlareStore(), dialect: dialect)
        try await hub.insert(Hall.records)
        try await before?(hub)
        let collector = Collector<ReceivedNotice>()
        let sender = await hub.listen("sender", to: Hall.hallObject, all: true, collector)
        for object in [Hall.phoneObject, Hall.lampObject, Hall.westObject] {
            await hub.subscribe(sender, to: object, all: true)
        }
        _ = await hub.listen("hall", to: Hall.hallObject, collector)
        _ = await hub.listen("hallAll", to: Hall.hallObject, all: true, collector)
        _ = await hub.listen("west", to: Hall.westObject, collector)
        _ = await hub.listen("westAll", to: Hall.westObject, all: true, collector)
        _ = await hub.listen("east", to: Hall.eastObject, all: true, collector)
        _ = await hub.listen("lamp", to: Hall.lampObject, all: true, collector)
        _ = await hub.listen("phone", to: Hall.phoneObject, collector)
        _ = await hub.listen("nobody", collector)
        let both = await hub.listen("both", to: Hall.lampObject, collector)
        await hub.subscribe(both, to: Hall.hallObject, all: true)
        try await act(hub, sender)
        return await collector.all()
    }

    private func inWest(_ hub: FlareHub) async throws {
        try await hub.setPosition(Hall.phoneObject, Point3D(x: 2, y: 3))
    }

    @Test func `data of a thing goes to its room and its parents' all-rooms, once per room`()
        async throws
    {
        let received = try await received { hub, sender in
            try await hub.setData(Hall.lampObject, ["on": true], sender: "me", from: sender)
        }
        #expect(
            received.map(\.description) == [
                "lamp data", "both data", "hallAll data", "both data", "westAll data",
            ]
        )
        #expect(received.first?.notice == .data(Hall.lampObject, ["on": true], sender: "me"))
    }

    @Test func `strict delivery sends a notice once per client`() async throws {
        let received = try await received(dialect: .strict) { hub, sender in
            try await hub.setData(Hall.lampObject, ["on": true], from: sender)
        }
        #expect(received.map(\.description) == ["lamp data", "both data", "hallAll data", "westAll data"])
    }

    @Test func `data of an environment goes to its own room only`() async throws {
        let received = try await received { hub, sender in
            try await hub.setData(Hall.hallObject, ["a": 1], from: sender)
        }
        #expect(received.map(\.description) == ["hall data", "hallAll data", "both data"])
    }

    @Test func `data of a zone goes to its room and its environment's all-room`() async throws {
        let received = try await received { hub, sender in
            try await hub.setData(Hall.westObject, ["a": 1], from: sender)
        }
        #expect(received.map(\.description) == ["west data", "westAll data", "hallAll data", "both data"])
    }

    @Test func `a zone's all-room receives notices of its devices, including the position that leaves it`()
        async throws
    {
        let received = try await received(before: inWest) { hub, sender in
            try await hub.setPosition(Hall.phoneObject, Point3D(x: 15, y: 3), from: sender)
        }
        #expect(
            received.map(\.description) == [
                "phone position", "hallAll position", "both position", "westAll position",
                "sender exit", "phone exit", "hallAll exit", "both exit", "west exit", "westAll exit",
                "sender far", "phone far", "hallAll far", "both far", "westAll far", "lamp far", "both far",
            ]
        )
    }

    @Test func `a zone's all-room does not receive the position that enters it`() async throws {
        let received = try await received { hub, sender in
            try await hub.setPosition(Hall.phoneObject, Point3D(x: 2, y: 3), from: sender)
        }
        #expect(
            received.map(\.description) == [
                "phone position", "hallAll position", "both position",
                "sender enter", "phone enter", "hallAll enter", "both enter", "west enter", "westAll enter",
                "sender near", "phone near", "hallAll near", "both near", "westAll near", "lamp near",
                "both near",
            ]
        )
        #expect(received.last?.notice == .near(thing: Hall.lamp, device: Hall.phone, distance: 1))
    }

    @Test func `an action goes to others, its result to the sender first and once`() async throws {
        let received = try await received { hub, sender in
            try await hub.performAction(Hall.lampObject, "on", sender: "me", from: sender)
        }
        #expect(
            received.map(\.description) == [
                "lamp handleAction", "both handleAction", "hallAll handleAction", "both handleAction",
                "westAll handleAction",
                "sender data", "lamp data", "both data", "hallAll data", "both data", "westAll data",
            ]
        )
        #expect(received[5].notice == .data(Hall.lampObject, ["on": true], sender: "me"))
    }

    @Test func `transitions from removed objects go to the sender and the device's subscribers only`()
        async throws
    {
        let received = try await received(before: { hub in
            try await inWest(hub)
            try await hub.remove(Hall.lampObject)
            try await hub.remove(Hall.westObject)
        }) { hub, sender in
            try await hub.setPosition(Hall.phoneObject, Point3D(x: 15, y: 3), from: sender)
        }
        #expect(
            received.map(\.description).suffix(4) == ["sender exit", "phone exit", "sender far", "phone far"]
        )
    }

    @Test func `CMX moves go to all subscribers`() async throws {
        let received = try await received(before: { hub in
            try await hub.setData(Hall.phoneObject, ["mac": "02:00:5e:00:53:aa"])
        }) { hub, _ in
            _ = try await hub.cmx(environment: Hall.hall, mac: "02:00:5E:00:53:AA", x: 15, y: 3)
        }
        #expect(
            received.map(\.description) == [
                "sender position", "phone position", "sender position", "hallAll position", "both position",
            ]
        )
        #expect(received.first?.notice == .position(Hall.phoneObject, Point3D(x: 15, y: 3), sender: nil))
    }

    @Test func `no notices arrive after unsubscribing or leaving`() async throws {
        let hub = try FlareHub(FlareStore())
        try await hub.insert(Hall.records)
        let collector = Collector<ReceivedNotice>()
        let first = await hub.listen("first", to: Hall.hallObject, all: true, collector)
        let second = await hub.listen("second", to: Hall.lampObject, collector)
        await hub.unsubscribe(first, from: Hall.hallObject)
        await hub.disconnect(second)
        try await hub.setData(Hall.lampObject, ["on": true])
        try await hub.setData(Hall.hallObject, ["a": true])
        #expect(await collector.all().isEmpty)
    }

    @Test func `a second subscription has no effect, and one to an unknown object is refused`() async throws {
        let hub = try FlareHub(FlareStore())
        try await hub.insert(Hall.records)
        let collector = Collector<ReceivedNotice>()
        let client = await hub.listen("client", to: Hall.lampObject, collector)
        #expect(await hub.subscribe(client, to: Hall.lampObject))
        #expect(await !hub.subscribe(client, to: ObjectReference(.thing, Hall.west)))
        try await hub.setData(Hall.lampObject, ["on": true])
        #expect(await collector.all().count == 1)
    }

    @Test func `changes by REST are announced to in-process clients only`() async throws {
        let hub = try FlareHub(FlareStore())
        try await hub.insert(Hall.records)
        let collector = Collector<ReceivedNotice>()
        _ = await hub.listen("outside", to: Hall.hallObject, all: true, collector)
        _ = await hub.listen("idle", isInProcess: true, collector)
        let maker = await hub.listen("maker", to: Hall.hallObject, all: true, isInProcess: true, collector)
        _ = await hub.listen("part", to: Hall.hallObject, all: true, isInProcess: true, collector)
        let tablet = Hall.device(Hall.id(20), x: 0, y: 0)
        try await hub.insert([tablet], from: maker)
        try await hub.update(Hall.lampObject) { $0["name"] = "Lamp" }
        try await hub.insert([Hall.device(Hall.id(21), x: 0, y: 0), Hall.device(Hall.id(22), x: 0, y: 0)])
        try await hub.update(Hall.hallObject) { $0["name"] = "Big hall" }
        try await hub.remove(tablet.reference)
        func changed(_ object: ObjectReference) -> FlareNotice {
            .modelChanged(object, environment: Hall.hall)
        }
        let lamp = try #require(await hub.record(Hall.lampObject))
        let newLamp = FlareNotice.thingChanged(lamp.id, FlareThing(json: lamp.json), environment: Hall.hall)
        #expect(
            await collector.all() == [
                ReceivedNotice("part", changed(tablet.reference)),
                ReceivedNotice("maker", newLamp), ReceivedNotice("part", newLamp),
                ReceivedNotice("maker", changed(Hall.hallObject)),
                ReceivedNotice("part", changed(Hall.hallObject)),
                ReceivedNotice("idle", changed(Hall.hallObject)),
                ReceivedNotice("maker", changed(Hall.hallObject)),
                ReceivedNotice("part", changed(Hall.hallObject)),
                ReceivedNotice("maker", changed(tablet.reference)),
                ReceivedNotice("part", changed(tablet.reference)),
            ]
        )
    }
}
