import Flare
import FlareServer
import Testing

@Suite struct EmbeddedFlareLinkTests {
    /// What a link tells when it is asked, after somebody else did something.
    private func events(_ requests: [FlareRequest], hub: FlareHub) async -> [FlareEvent] {
        let (stream, continuation) = AsyncStream<FlareRequest>.makeStream()
        let collector = Collector<FlareEvent>()
        for request in requests { continuation.yield(request) }
        continuation.finish()
        await EmbeddedFlareLink(hub: hub).run(stream) { collector.take($0) }
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

    @Test func `places are loaded`() async throws {
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

    @Test func `a device that is made is known at once, and nobody is told of it twice`() async throws {
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

    @Test func `what a request causes comes before its reply and own changes are not echoed`() async throws {
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

    @Test func `others' changes are told in between, never after a later reply`() async throws {
        let hub = try await hub()
        let (stream, continuation) = AsyncStream<FlareRequest>.makeStream()
        let (events, taken) = AsyncStream<FlareEvent>.makeStream()
        async let run: Void = EmbeddedFlareLink(hub: hub).run(stream) { taken.yield($0) }
        continuation.yield(.subscribe(environment: Hall.hall))
        var iterator = events.makeAsyncIterator()
        #expect(await iterator.next() == .linkUp)
        _ = await iterator.next()

        // Two writers of one value: what was told last is what is stored.
        async let others: Void = {
            for number in 0..<300 { try await hub.setData(Hall.lampObject, ["n": JSONValue(number)]) }
        }()
        for number in 0..<300 {
            continuation.yield(
                .setData(Hall.lampObject, values: ["n": JSONValue(1000 + number)], sender: nil)
            )
        }
        continuation.finish()
        try await others
        await run
        taken.finish()
        var last: JSONValue?
        var count = 0
        while let event = await iterator.next() {
            switch event {
            case .notice(.data(_, let values, _)): last = values["n"]
            case .replied(.setData(_, let values, _), .success(.done)): last = values["n"]
            default: Issue.record("unexpected \(event)")
            }
            count += 1
        }
        // The link may have left before the other writer was done.
        #expect(count >= 300 && count <= 600)
        if count == 600 { #expect(await hub.record(Hall.lampObject)?.data?["n"] == last) }
    }

    @Test func `presence is the zone there and the stored thing, or the nearest when that has gone`()
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

    @Test func `what is unknown or not legal is refused with its reason`() async throws {
        let hub = try await hub()
        let nobody = Hall.id(99)
        let unknown: [(FlareRequest, FlareClass)] = [
            (.loadPlace(environment: nobody), .environment), (.subscribe(environment: nobody), .environment),
            (
                .createDevice(DeviceDraft(name: "", description: "", data: [:]), environment: nobody),
                .environment
            ),
            (.loadPresence(device: nobody, environment: Hall.hall, position: .zero), .device),
            (.setData(ObjectReference(.thing, nobody), values: ["a": 1], sender: nil), .thing),
            (.setPosition(ObjectReference(.zone, nobody), .zero, sender: nil), .zone),
            (.performAction(ObjectReference(.thing, nobody), action: "on", sender: nil), .thing),
            (.renameDevice(nobody, environment: Hall.hall, name: "x"), .device),
        ]
        for (request, kind) in unknown {
            #expect(
                await reply(request, hub: hub) == .failure(.unknownObject(ObjectReference(kind, nobody)))
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

    @Test func `a cancelled link leaves the hub`() async throws {
        let hub = try await hub()
        let (stream, continuation) = AsyncStream<FlareRequest>.makeStream()
        let (events, taken) = AsyncStream<FlareEvent>.makeStream()
        // Unstructured, for it is to be cancelled from here.
        let task = Task {
            await EmbeddedFlareLink(hub: hub).run(stream) { taken.yield($0) }
            taken.finish()
        }
        continuation.yield(.subscribe(environment: Hall.hall))
        var iterator = events.makeAsyncIterator()
        _ = await iterator.next()
        _ = await iterator.next()
        task.cancel()
        await task.value
        try await hub.setData(Hall.lampObject, ["on": true])
        #expect(await iterator.next() == nil)
    }
}
