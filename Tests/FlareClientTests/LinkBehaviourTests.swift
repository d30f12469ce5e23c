import Flare
import FlareServer
import JSON
import Testing

/// The behaviour of every link, embedded or remote.
@Suite(.timeLimit(.minutes(2))) struct LinkBehaviourTests {
    @Test(arguments: LinkKind.allCases)
    func `environments, zones and things are loaded`(kind: LinkKind) async throws {
        let hub = try await FlareHub.home()
        try await withLink(kind, to: hub) { link in
            let all = await link.ask(.loadEnvironments(near: nil))
            let here = GeoPoint(latitude: 48.0008, longitude: 2)
            let near = await link.ask(.loadEnvironments(near: here))
            let far = await link.ask(.loadEnvironments(near: GeoPoint(latitude: 49, longitude: 2)))
            guard case .success(.environments(let environments))? = all else {
                Issue.record("not loaded: \(String(describing: all))")
                return
            }
            #expect(
                environments.map(\.name) == ["House"] && near == all && far == .success(.environments([]))
            )
            #expect(environments.first?.data == ["distance": 2] && environments.first?.geofence != nil)
            guard
                case .success(.place(let zones, let things))? = await link.ask(
                    .loadPlace(environment: Home.house)
                )
            else {
                Issue.record("not loaded")
                return
            }
            #expect(zones.map(\.id) == [Home.kitchen, Home.hall])
            #expect(things.map(\.name) == ["Lamp", "Sofa", "Sign"])
            #expect(things.first?.data == ["color": "red", "brightness": 0.5, "on": false, "é": "ü"])
        }
    }

    @Test(arguments: LinkKind.allCases)
    func `a device is created, loaded and renamed, and an unknown one is nil`(kind: LinkKind) async throws {
        let hub = try await FlareHub.home()
        try await withLink(kind, to: hub) { link in
            let draft = DeviceDraft(name: "Walker \"ü\"", description: "Test", data: ["mac": "aa"])
            let made = await link.ask(.createDevice(draft, environment: Home.house))
            guard case .success(.device(let device?))? = made else {
                Issue.record("not made: \(String(describing: made))")
                return
            }
            #expect(device.name == draft.name && device.data == draft.data)
            #expect(device.environment == Home.house && device.position == .zero)
            #expect(await link.ask(.loadDevice(device.id, environment: Home.house)) == made)
            let rename = FlareRequest.renameDevice(device.id, environment: Home.house, name: "New")
            #expect(await link.ask(rename) == .success(.done))
            #expect(await hub.record(ObjectReference(.device, device.id))?.members["name"] == "New")
            #expect(
                await link.ask(.loadDevice(Home.nobody, environment: Home.house)) == .success(.device(nil))
            )
        }
    }

    @Test(arguments: LinkKind.allCases)
    func `a thing is made, changed as a whole without losing what others stored, and removed`(
        kind: LinkKind
    ) async throws {
        let hub = try await FlareHub.home()
        try await withLink(kind, to: hub) { link in
            var edit = ObjectEdit()
            (edit.name, edit.position) = ("Radio \"ü\"", Point3D(x: 1, y: 2, z: 3))
            (edit.data, edit.actions) = (["on": false, "volume": 3, "station": "one"], ["next"])
            let made = await link.ask(.create(.thing, edit, zone: Home.hall, environment: Home.house))
            guard case .success(.created(let id))? = made,
                let thing = await hub.record(ObjectReference(.thing, id)).flatMap({
                    FlareThing(json: $0.json)
                })
            else {
                Issue.record("not made: \(String(describing: made))")
                return
            }
            #expect(thing.name == edit.name && thing.position == edit.position && thing.data == edit.data)
            #expect(thing.zone == Home.hall && thing.environment == Home.house && thing.actions == ["next"])
            let object = ObjectReference(.thing, id)
            try await hub.setData(object, ["volume": 9])

            var change = ObjectEdit()
            (change.name, change.zone, change.data) = ("Set", Home.kitchen, ["on": .null, "colour": "red"])
            #expect(await link.ask(.change(object, change)) == .success(.done))
            let record = await hub.record(object)
            let changed = try #require(record.flatMap { FlareThing(json: $0.json) })
            #expect(
                changed.name == "Set" && changed.zone == Home.kitchen && changed.position == edit.position
            )
            #expect(changed.data == ["volume": 9, "station": "one", "colour": "red"])

            #expect(await link.ask(.remove(object, withContents: false)) == .success(.done))
            #expect(await hub.record(object) == nil)
        }
    }

    @Test(arguments: LinkKind.allCases)
    func
        `environments and zones are made, changed and removed, with what is in them only if that is asked for`(
            kind: LinkKind
        ) async throws
    {
        let hub = try await FlareHub.home()
        try await withLink(kind, to: hub) { link in
            func make(_ kind: FlareClass, _ edit: ObjectEdit, _ zone: FlareID?, _ environment: FlareID?) async
                -> FlareID?
            {
                let request = FlareRequest.create(kind, edit, zone: zone, environment: environment)
                guard case .success(.created(let id))? = await link.ask(request) else { return nil }
                return id
            }
            var barn = ObjectEdit()
            (barn.name, barn.angle) = ("Barn", 30)
            barn.geofence = Geofence(centre: GeoPoint(latitude: 50, longitude: 8), radiusMetres: 80)
            var loft = ObjectEdit()
            loft.name = "Loft"
            loft.perimeter = Box(origin: Point3D(x: 0, y: 0, z: 3), width: 4, height: 5, depth: 2)
            loft.data = ["major": 7]
            let environment = try #require(await make(.environment, barn, nil, nil))
            let zone = try #require(await make(.zone, loft, nil, environment))
            let thing = try #require(await make(.thing, ObjectEdit(), zone, environment))
            let place = ObjectReference(.environment, environment)
            let room = ObjectReference(.zone, zone)
            let made = await hub.record(place).flatMap { FlareEnvironment(json: $0.json) }
            #expect(made?.angle == 30 && made?.geofence == barn.geofence && made?.name == "Barn")
            let madeRoom = await hub.record(room).flatMap { FlareZone(json: $0.json) }
            #expect(madeRoom?.perimeter == loft.perimeter && madeRoom?.data == ["major": 7])

            var change = ObjectEdit()
            (change.removed, change.data) = ([.geofence], ["distance": 3])
            #expect(await link.ask(.change(place, change)) == .success(.done))
            let changed = await hub.record(place).flatMap { FlareEnvironment(json: $0.json) }
            #expect(changed?.geofence == nil && changed?.data == ["distance": 3] && changed?.angle == 30)

            for object in [place, room] {
                guard case .failure(.rejected)? = await link.ask(.remove(object, withContents: false)) else {
                    Issue.record("removed with what is in it: \(object)")
                    return
                }
            }
            #expect(await hub.record(ObjectReference(.thing, thing)) != nil)
            let draft = DeviceDraft(name: "phone", description: "", data: [:])
            _ = await link.ask(.createDevice(draft, environment: environment))
            #expect(await link.ask(.remove(place, withContents: true)) == .success(.done))
            for kind in FlareClass.allCases {
                let left = await hub.records(kind).filter {
                    $0.id == environment || $0.environment == environment
                }
                #expect(left.isEmpty)
            }
            #expect(await hub.record(ObjectReference(.environment, Home.house)) != nil)
        }
    }

    @Test(arguments: LinkKind.allCases)
    func `the notices of a request come before its reply, and own changes are not echoed`(
        kind: LinkKind
    ) async throws {
        let hub = try await FlareHub.home()
        try await withLink(kind, to: hub) { link in
            let move = FlareRequest.setPosition(Home.phoneObject, Point3D(x: 2, y: 2), sender: Home.phone)
            let set = FlareRequest.setData(Home.lampObject, values: ["on": true, "a": 1], sender: Home.phone)
            let act = FlareRequest.performAction(Home.lampObject, action: "off", sender: Home.phone)
            #expect(await link.ask(.subscribe(environment: Home.house)) == .success(.done))

            let moved = await link.perform(move)
            #expect(moved.result == .success(.done))
            #expect(
                moved.events == [
                    .notice(.enter(zone: Home.kitchen, device: Home.phone)),
                    .notice(.near(thing: Home.lamp, device: Home.phone, distance: 0)),
                ]
            )
            let stored = await link.perform(set)
            #expect(stored.events.isEmpty && stored.result == .success(.done))
            #expect(await hub.record(Home.lampObject)?.data?["a"] == 1)
            let acted = await link.perform(act)
            #expect(acted.result == .success(.done))
            let sender = Home.text(Home.phone)
            #expect(acted.events == [.notice(.data(Home.lampObject, ["on": false], sender: sender))])
            #expect(await hub.record(Home.lampObject)?.data?["on"] == false)
        }
    }

    @Test(arguments: LinkKind.allCases)
    func `notices of other clients arrive in order while subscribed`(kind: LinkKind) async throws {
        let hub = try await FlareHub.home()
        try await withLink(kind, to: hub) { link in
            try await hub.setData(Home.lampObject, ["unheard": true])
            #expect(await link.ask(.subscribe(environment: Home.house)) == .success(.done))
            for number in 0..<100 { try await hub.setData(Home.lampObject, ["n": JSONValue(number)]) }
            for number in 0..<100 {
                #expect(
                    await link.nextNotice() == .data(Home.lampObject, ["n": JSONValue(number)], sender: nil)
                )
            }
            let other = Home.text(Home.sofa)
            try await hub.setPosition(Home.sofaObject, Point3D(x: 3, y: 4, z: 5), sender: other)
            #expect(
                await link.nextNews(since: ("n", 99))
                    == .position(Home.sofaObject, Point3D(x: 3, y: 4, z: 5), sender: other)
            )
            try await hub.performAction(Home.lampObject, "dance", sender: other)
            #expect(await link.nextNotice() == .handleAction(Home.lampObject, "dance", sender: other))

            #expect(await link.ask(.unsubscribe(environment: Home.house)) == .success(.done))
            try await hub.setData(Home.sofaObject, ["n": "unheard"])
            let late = await link.perform(.loadEnvironments(near: nil))
            #expect(late.events.isEmpty)
        }
    }

    @Test(arguments: LinkKind.allCases)
    func `with two writers of a value, the last notice or reply is the stored value`(kind: LinkKind)
        async throws
    {
        let hub = try await FlareHub.home()
        try await withLink(kind, to: hub) { link in
            #expect(await link.ask(.subscribe(environment: Home.house)) == .success(.done))
            async let others: Void = {
                for number in 0..<60 {
                    try await hub.setData(Home.lampObject, ["n": JSONValue(number)])
                    await Task.yield()
                }
            }()
            for number in 0..<30 {
                link.requests.yield(
                    .setData(Home.lampObject, values: ["n": JSONValue(1000 + number)], sender: nil)
                )
            }
            try await others
            try await hub.setData(Home.sofaObject, ["end": true])
            var last: JSONValue?
            var replies = 0
            var isOver = false
            while !isOver || replies < 30, let event = await link.next() {
                switch event {
                case .notice(.data(Home.lampObject, let values, _)): last = values["n"]
                case .notice(.data(Home.sofaObject, _, _)): isOver = true
                case .replied(.setData(_, let values, _, _), .success(.done)):
                    last = values["n"]
                    replies += 1
                default: Issue.record("unexpected \(event)")
                }
            }
            // Includes the notices after the last reply.
            let after = await link.perform(.loadEnvironments(near: nil))
            for case .notice(.data(Home.lampObject, let values, _)) in after.events { last = values["n"] }
            #expect(await hub.record(Home.lampObject)?.data?["n"] == last)
        }
    }

    @Test(arguments: LinkKind.allCases)
    func
        `presence is the zone at the position and the stored thing, or the nearest thing if that was removed`(
            kind: LinkKind
        ) async throws
    {
        let hub = try await FlareHub.home()
        try await withLink(kind, to: hub) { link in
            let here = FlareRequest.loadPresence(
                device: Home.phone,
                environment: Home.house,
                position: Point3D(x: 2.5, y: 2)
            )
            #expect(await link.ask(here) == .success(.presence(zone: Home.kitchen, nearest: nil)))
            try await hub.setPosition(Home.phoneObject, Point3D(x: 6, y: 2))
            #expect(await link.ask(here) == .success(.presence(zone: Home.kitchen, nearest: Home.sofa)))
            try await hub.remove(Home.sofaObject)
            #expect(await link.ask(here) == .success(.presence(zone: Home.kitchen, nearest: Home.lamp)))
            let away = FlareRequest.loadPresence(
                device: Home.phone,
                environment: Home.house,
                position: Point3D(x: 15.5, y: 2)
            )
            #expect(await link.ask(away) == .success(.presence(zone: nil, nearest: nil)))
        }
    }

    @Test(arguments: LinkKind.allCases)
    func `unknown objects are reported`(kind: LinkKind) async throws {
        let nobody = Home.nobody
        let draft = DeviceDraft(name: "", description: "", data: [:])
        let unknown: [(FlareRequest, FlareClass)] = [
            (.loadPlace(environment: nobody), .environment), (.subscribe(environment: nobody), .environment),
            (.createDevice(draft, environment: nobody), .environment),
            (.loadPresence(device: nobody, environment: Home.house, position: .zero), .device),
            (.setData(ObjectReference(.thing, nobody), values: ["a": 1], sender: nil), .thing),
            (.setData(ObjectReference(.thing, nobody), values: [:], sender: nil), .thing),
            (.setPosition(ObjectReference(.zone, nobody), .zero, sender: nil), .zone),
            (.setPosition(ObjectReference(.device, nobody), .zero, sender: nil), .device),
            (.performAction(ObjectReference(.thing, nobody), action: "on", sender: nil), .thing),
            (.performAction(ObjectReference(.device, nobody), action: "north", sender: nil), .device),
            (.renameDevice(nobody, environment: Home.house, name: "x"), .device),
            (.create(.thing, ObjectEdit(), zone: nobody, environment: Home.house), .zone),
            (.create(.zone, ObjectEdit(), environment: nobody), .environment),
            (.change(ObjectReference(.thing, nobody), ObjectEdit()), .thing),
            (.change(ObjectReference(.environment, nobody), ObjectEdit()), .environment),
            (.remove(ObjectReference(.thing, nobody), withContents: false), .thing),
            (.remove(ObjectReference(.zone, nobody), withContents: true), .zone),
            (.remove(ObjectReference(.environment, nobody), withContents: true), .environment),
        ]
        let hub = try await FlareHub.home()
        try await withLink(kind, to: hub) { link in
            for (request, kind) in unknown {
                let object = ObjectReference(kind, nobody)
                #expect(await link.ask(request) == .failure(.unknownObject(object)))
            }
            #expect(await link.ask(.unsubscribe(environment: nobody)) == .success(.done))
        }
    }

    @Test(arguments: LinkKind.allCases)
    func `values that cannot be stored are refused with the reason and change nothing`(kind: LinkKind)
        async throws
    {
        let hub = try await FlareHub.home()
        try await withLink(kind, to: hub) { link in
            let refused: [FlareRequest] = [
                .setData(Home.lampObject, values: ["on": true, "a..b": 1], sender: nil),
                .setData(Home.lampObject, values: ["on": true, "b": .null], sender: nil),
                .setData(Home.lampObject, values: ["on": true, "$b": 1], sender: nil),
                .setData(Home.lampObject, values: [String(repeating: "k", count: 300): 1], sender: nil),
                .setData(
                    Home.lampObject,
                    values: ["a": .string(String(repeating: "x", count: 200_000))],
                    sender: nil
                ),
                .setData(Home.lampObject, values: ["color.deep": 1], sender: nil),
                .setPosition(Home.lampObject, Point3D(x: .infinity, y: 0), sender: nil),
            ]
            let before = await hub.record(Home.lampObject)
            for request in refused {
                let result = await link.ask(request)
                guard case .failure(.rejected(let reason))? = result else {
                    Issue.record("not refused: \(request): \(String(describing: result))")
                    continue
                }
                #expect(!reason.isEmpty)
            }
            #expect(await hub.record(Home.lampObject) == before)
        }
    }

    @Test(arguments: LinkKind.allCases)
    func `values of every kind are stored unchanged`(kind: LinkKind) async throws {
        let hub = try await FlareHub.home()
        try await withLink(kind, to: hub) { link in
            let values: JSONObject = [
                "text": "é \"😀\" \u{1}", "false": false, "zero": 0, "empty": "", "number": 0.1, "big": 1e21,
                "list": [1, "two", [3]], "object": ["deep": ["er": true]], "a.b": 7,
                "?": "a key like any other",
            ]
            let set = FlareRequest.setData(Home.sofaObject, values: values, sender: nil)
            let told = await link.perform(set)
            #expect(told.events.isEmpty && told.result == .success(.done))
            let data = await hub.record(Home.sofaObject)?.data
            #expect(data?["text"] == values["text"] && data?["object"] == values["object"])
            #expect(data?["a"] == ["b": 7] && data?["empty"] == "" && data?["list"] == values["list"])
        }
    }

    @Test(arguments: LinkKind.allCases)
    func `a link whose requests end answers all of them first`(kind: LinkKind) async throws {
        let hub = try await FlareHub.home()
        try await withLink(kind, to: hub) { link in
            for number in 0..<20 {
                link.requests.yield(.setData(Home.lampObject, values: ["n": JSONValue(number)], sender: nil))
            }
            let events = await link.rest()
            #expect(events.count == 20)
            #expect(await hub.record(Home.lampObject)?.data?["n"] == 19)
        }
    }

    @Test(arguments: LinkKind.allCases)
    func `a cancelled link leaves the server`(kind: LinkKind) async throws {
        let hub = try await FlareHub.home()
        try await withLink(kind, to: hub) { link in
            #expect(await link.ask(.subscribe(environment: Home.house)) == .success(.done))
        }
        try await hub.setData(Home.lampObject, ["on": true])
    }
}
