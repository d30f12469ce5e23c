import Flare
import FlareServer
import JSON
import Testing

/// Requests of other parts of the program.
@Suite struct HubRequestTests {
    /// The events of a client that makes these requests.
    private func events(_ requests: [FlareRequest], hub: FlareHub) async -> [FlareEvent] {
        let collector = Collector<FlareEvent>()
        let client = await hub.open { collector.append($0) }
        for request in requests { await hub.answer(request, from: client) { collector.append($0) } }
        await hub.disconnect(client)
        return await collector.all()
    }

    private func hub() async throws -> FlareHub {
        let hub = try FlareHub(FlareStore())
        try await hub.insert(Hall.records)
        try await hub.update(Hall.hallObject) {
            $0["geofence"] = ["latitude": 48, "longitude": 2, "radius": 100]
        }
        return hub
    }

    private func reply(_ request: FlareRequest, hub: FlareHub) async -> Result<FlareReply, FlareLinkError>? {
        guard case .replied(request, let result)? = await events([request], hub: hub).last else { return nil }
        return result
    }

    @Test func `environments, zones and things are loaded`() async throws {
        let hub = try await hub()
        guard case .success(.environments(let all))? = await reply(.loadEnvironments(near: nil), hub: hub),
            case .success(.environments(let near))? = await reply(
                .loadEnvironments(near: GeoPoint(latitude: 48.0008, longitude: 2)),
                hub: hub
            ),
            case .success(.environments(let far))? = await reply(
                .loadEnvironments(near: GeoPoint(latitude: 49, longitude: 2)),
                hub: hub
            ),
            case .success(.place(let zones, let things))? = await reply(
                .loadPlace(environment: Hall.hall),
                hub: hub
            )
        else {
            Issue.record("not loaded")
            return
        }
        #expect(all.map(\.name) == ["Hall"] && near == all && far.isEmpty)
        #expect(zones.map(\.id) == [Hall.west, Hall.east])
        #expect(things.map(\.id) == [Hall.lamp, Hall.sofa, Hall.sign])
        #expect(things.first?.data["brightness"] == 0.5)
    }

    @Test func `a created device is known at once and announced once`() async throws {
        let hub = try await hub()
        let draft = DeviceDraft(name: "Here", description: "Test", data: ["mac": "aa"])
        let events = await events(
            [.subscribe(environment: Hall.hall), .createDevice(draft, environment: Hall.hall)],
            hub: hub
        )
        guard case .replied(_, .success(.device(let device?)))? = events.last else {
            Issue.record("not made: \(events)")
            return
        }
        #expect(events.count == 3)
        #expect(device.name == "Here" && device.environment == Hall.hall && device.position == .zero)
        #expect(
            await reply(.loadDevice(device.id, environment: Hall.hall), hub: hub)
                == .success(.device(device))
        )
        #expect(
            await reply(.loadDevice(Hall.id(99), environment: Hall.hall), hub: hub) == .success(.device(nil))
        )
    }

    @Test func `the notices of a request come before its reply, and own changes are not echoed`() async throws
    {
        let hub = try await hub()
        let move = FlareRequest.setPosition(Hall.phoneObject, Point3D(x: 2, y: 2), sender: Hall.phone)
        let set = FlareRequest.setData(Hall.lampObject, values: ["on": true, "a": 1], sender: Hall.phone)
        let act = FlareRequest.performAction(Hall.lampObject, action: "off", sender: Hall.phone)
        let requests = [.subscribe(environment: Hall.hall), move, set, act]
        #expect(
            await events(requests, hub: hub) == [
                .linkUp, .replied(requests[0], .success(.done)),
                .notice(.enter(zone: Hall.west, device: Hall.phone)),
                .notice(.near(thing: Hall.lamp, device: Hall.phone, distance: 0)),
                .replied(move, .success(.done)), .replied(set, .success(.done)),
                .notice(.data(Hall.lampObject, ["on": false], sender: Hall.text(Hall.phone))),
                .replied(act, .success(.done)),
            ]
        )
        #expect(await hub.record(Hall.lampObject)?.data?["a"] == 1)
    }

    @Test func `changes of other clients come between the replies, in the order in which they are stored`()
        async throws
    {
        let hub = try await hub()
        let collector = Collector<FlareEvent>()
        let client = await hub.open { collector.append($0) }
        await hub.answer(.subscribe(environment: Hall.hall), from: client) { _ in }
        async let others: Void = {
            for number in 0..<300 { try await hub.setData(Hall.lampObject, ["n": JSONValue(number)]) }
        }()
        for number in 0..<300 {
            let request = FlareRequest.setData(
                Hall.lampObject,
                values: ["n": JSONValue(1000 + number)],
                sender: nil
            )
            await hub.answer(request, from: client) { collector.append($0) }
        }
        try await others
        let values = await collector.all().dropFirst().map { event -> JSONValue? in
            switch event {
            case .notice(.data(_, let values, _)), .replied(.setData(_, let values, _, _), .success(.done)):
                values["n"]
            default: nil
            }
        }
        #expect(values.count == 600 && !values.contains(nil))
        #expect(await hub.record(Hall.lampObject)?.data?["n"] == values.last ?? nil)
    }

    @Test
    func
        `presence is the zone at the position and the stored thing, or the nearest thing if that was removed`()
        async throws
    {
        let hub = try await hub()
        let here = FlareRequest.loadPresence(
            device: Hall.phone,
            environment: Hall.hall,
            position: Point3D(x: 2.5, y: 2)
        )
        #expect(await reply(here, hub: hub) == .success(.presence(zone: Hall.west, nearest: nil)))
        try await hub.setPosition(Hall.phoneObject, Point3D(x: 6, y: 2))
        #expect(await reply(here, hub: hub) == .success(.presence(zone: Hall.west, nearest: Hall.sofa)))
        try await hub.remove(ObjectReference(.thing, Hall.sofa))
        #expect(await reply(here, hub: hub) == .success(.presence(zone: Hall.west, nearest: Hall.lamp)))
    }

    @Test func `requests with unknown objects or invalid values are refused with the reason`() async throws {
        let hub = try await hub()
        let unknownID = Hall.id(99)
        let unknown: [(FlareRequest, FlareClass)] = [
            (.loadPlace(environment: unknownID), .environment),
            (.subscribe(environment: unknownID), .environment),
            (
                .createDevice(DeviceDraft(name: "", description: "", data: [:]), environment: unknownID),
                .environment
            ),
            (.loadPresence(device: unknownID, environment: Hall.hall, position: .zero), .device),
            (.setData(ObjectReference(.thing, unknownID), values: ["a": 1], sender: nil), .thing),
            (.setPosition(ObjectReference(.zone, unknownID), .zero, sender: nil), .zone),
            (.performAction(ObjectReference(.thing, unknownID), action: "on", sender: nil), .thing),
            (.renameDevice(unknownID, environment: Hall.hall, name: "x"), .device),
        ]
        for (request, kind) in unknown {
            #expect(
                await reply(request, hub: hub) == .failure(.unknownObject(ObjectReference(kind, unknownID)))
            )
        }
        let refused: [FlareRequest] = [
            .setData(Hall.lampObject, values: ["on": true, "a..b": 1], sender: nil),
            .setData(Hall.lampObject, values: ["on": true, "b": .null], sender: nil),
            .setPosition(Hall.lampObject, Point3D(x: .infinity, y: 0), sender: nil),
        ]
        let before = await hub.record(Hall.lampObject)
        for request in refused {
            guard case .failure(.rejected(let reason))? = await reply(request, hub: hub) else {
                Issue.record("not refused: \(request)")
                continue
            }
            #expect(!reason.isEmpty)
        }
        #expect(await hub.record(Hall.lampObject) == before)
    }

    @Test func `a device is renamed`() async throws {
        let hub = try await hub()
        let rename = FlareRequest.renameDevice(Hall.phone, environment: Hall.hall, name: "New")
        #expect(await events([.subscribe(environment: Hall.hall), rename], hub: hub).count == 3)
        #expect(await hub.record(Hall.phoneObject)?.members["name"] == "New")
        #expect(await reply(.unsubscribe(environment: Hall.hall), hub: hub) == .success(.done))
    }

    @Test func `a disconnected client receives nothing`() async throws {
        let hub = try await hub()
        let collector = Collector<FlareEvent>()
        let client = await hub.open { collector.append($0) }
        await hub.answer(.subscribe(environment: Hall.hall), from: client) { _ in }
        await hub.disconnect(client)
        try await hub.setData(Hall.lampObject, ["on": true])
        #expect(await collector.all() == [.linkUp])
    }
}
