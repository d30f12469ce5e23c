import Flare
import FlareServer
import JSON
import Testing

@Suite struct FlareHubTests {
    @Test(arguments: StoreKind.allCases)
    func `objects are created, listed in order of creation, changed and removed`(kind: StoreKind) async throws
    {
        try await FlareHub.withStore(kind) { hub in
            let made = try await hub.insert(Hall.records)
            let now = JSONValue.string("2023-11-14T22:13:20.123Z")
            #expect(made.map(\.id) == Hall.records.map(\.id))
            #expect(made.allSatisfy { $0.members["created"] == now && $0.members["modified"] == now })
            #expect(made[0].json["__v"] == 0 && made[0].json["actions"] == [])
            #expect(await hub.records(.environment).map(\.id) == [Hall.hall])
            #expect(await hub.records(.zone, environment: Hall.hall).map(\.id) == [Hall.west, Hall.east])
            #expect(
                await hub.records(.thing, environment: Hall.hall).map(\.id)
                    == [Hall.lamp, Hall.sofa, Hall.sign]
            )
            #expect(await hub.records(.thing, zone: Hall.west).map(\.id) == [Hall.lamp, Hall.sofa])
            #expect(await hub.records(.thing, environment: Hall.id(9), zone: Hall.west).isEmpty)
            #expect(await hub.records(.device) { $0.position?.x == 15 }.map(\.id) == [Hall.phone])

            let moved = try await hub.update(Hall.lampObject) {
                $0["zone"] = Hall.text(Hall.east)
                $0["_id"] = "stolen"
                $0["actions"] = nil
            }
            #expect(moved?.members["_id"] == Hall.text(Hall.lamp))
            #expect(moved?.members["actions"] == [])
            #expect(await hub.records(.thing, zone: Hall.east).map(\.id) == [Hall.lamp, Hall.sign])
            #expect(await hub.record(Hall.lampObject) == moved)

            #expect(try await hub.remove(Hall.lampObject) == moved)
            #expect(try await hub.remove(Hall.lampObject) == nil)
            #expect(try await hub.update(Hall.lampObject) { $0 = [:] } == nil)
            #expect(await hub.records(.thing, environment: Hall.hall).map(\.id) == [Hall.sofa, Hall.sign])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a duplicate refuses all objects of the call`(kind: StoreKind) async throws {
        try await FlareHub.withStore(kind) { hub in
            try await hub.insert(Hall.records)
            let fresh = Hall.device(Hall.id(60), x: 0, y: 0)
            for taken in [Hall.device(Hall.phone, x: 0, y: 0), fresh] {
                await #expect(throws: FlareHubError.duplicate(taken)) {
                    try await hub.insert([fresh, taken])
                }
            }
            #expect(await hub.record(fresh.reference) == nil)
            // Another class may have the same identifier.
            try await hub.insert([FlareRecord(.zone, Hall.phone)])
        }
    }

    @Test func `a change that throws changes nothing`() async throws {
        struct Refused: Error {}
        let hub = try FlareHub(FlareStore())
        try await hub.insert(Hall.records)
        let before = await hub.record(Hall.lampObject)
        await #expect(throws: Refused.self) {
            try await hub.update(Hall.lampObject) {
                $0["name"] = "changed"
                throw Refused()
            }
        }
        #expect(await hub.record(Hall.lampObject) == before)
    }

    @Test(
        arguments: [
            (["on": true], ["color": "red", "on": true], ["on": true]),
            (["new": 0, "color": ""], ["color": "", "new": 0], ["new": 0, "color": ""]),
            (["a.b": 1], ["color": "red", "a": ["b": 1]], ["a.b": 1]),
            (["color": .null], ["color": "red"], nil), ([:], ["color": "red"], nil),
        ] as [(JSONObject, JSONValue, JSONObject?)]
    )
    func `data is merged key by key and announced as it was sent`(
        values: JSONObject,
        stored: JSONValue,
        announced: JSONObject?
    ) async throws {
        let hub = try FlareHub(FlareStore())
        let lamp = Hall.thing(Hall.lamp, in: Hall.west, x: 0, data: ["color": "red"])
        try await hub.insert([lamp])
        let collector = Collector<ReceivedNotice>()
        _ = await hub.listen("zone", to: Hall.lampObject, collector)
        #expect(try await hub.setData(Hall.lampObject, values))
        #expect(await hub.record(Hall.lampObject)?.members["data"] == stored)
        #expect(
            await collector.all().map(\.notice)
                == (announced.map { [.data(Hall.lampObject, $0, sender: nil)] } ?? [])
        )
    }

    @Test(arguments: ["", ".", "a.", ".a", "a..b", "$set", "a.$b", "color.deep", "list.7", "list.x"])
    func `a key that cannot be stored is announced to the object's own subscribers only`(key: String)
        async throws
    {
        let hub = try FlareHub(FlareStore())
        try await hub.insert(Hall.records)
        try await hub.update(Hall.lampObject) { $0["data"] = ["color": "red", "list": [1]] }
        let before = await hub.record(Hall.lampObject)
        let collector = Collector<ReceivedNotice>()
        _ = await hub.listen("lamp", to: Hall.lampObject, collector)
        _ = await hub.listen("west", to: Hall.westObject, all: true, collector)
        #expect(try await hub.setData(Hall.lampObject, [key: 1]))
        await #expect(throws: FlareHubError.self) {
            try await hub.setData(Hall.lampObject, [key: 1, "on": true], allOrNone: true)
        }
        #expect(await hub.record(Hall.lampObject) == before)
        #expect(
            await collector.all() == [ReceivedNotice("lamp", .data(Hall.lampObject, [key: 1], sender: nil))]
        )
    }

    @Test func `data is created if missing, and a dotted key can address list elements`() async throws {
        let hub = try FlareHub(FlareStore())
        try await hub.insert([
            FlareRecord(.thing, Hall.lamp), FlareRecord(.thing, Hall.sofa, ["data": .null]),
        ])
        for id in [Hall.lamp, Hall.sofa] {
            let object = ObjectReference(.thing, id)
            try await hub.setData(object, ["list": [1, ["a": 2]]])
            try await hub.setData(object, ["list.1.a": 3])
            try await hub.setData(object, ["list.2": 4])
            #expect(await hub.record(object)?.members["data"] == ["list": [1, ["a": 3], 4]])
        }
        #expect(try await !hub.setData(ObjectReference(.thing, Hall.sign), ["a": 1]))
    }

    @Test func `a message of exactly the limit is stored, and one byte more is refused`() async throws {
        var limits = FlareLimits()
        limits.messageBytes = 100
        let hub = try FlareHub(FlareStore(), limits: limits)
        try await hub.insert([FlareRecord(.thing, Hall.lamp)])
        // {"a":"…"}; a control character takes six bytes.
        for (character, most, rest) in [("x", 92, ""), ("\u{1}", 15, "xx")] {
            let text = String(repeating: character, count: most) + rest
            try await hub.setData(Hall.lampObject, ["a": .string(text)])
            await #expect(throws: FlareHubError.self) {
                try await hub.setData(Hall.lampObject, ["a": .string(text + "x")])
            }
            #expect(await hub.record(Hall.lampObject)?.data == ["a": .string(text)])
        }
    }

    @Test func `values over the limits are refused and change nothing`() async throws {
        var limits = FlareLimits()
        limits.objects = 2
        limits.objectBytes = 400
        limits.messageBytes = 100
        limits.keyBytes = 10
        limits.nesting = 4
        let hub = try FlareHub(FlareStore(), limits: limits)
        try await hub.insert([FlareRecord(.thing, Hall.lamp)])
        let before = await hub.record(Hall.lampObject)
        let collector = Collector<ReceivedNotice>()
        _ = await hub.listen("lamp", to: Hall.lampObject, collector)
        let long = JSONValue.string(String(repeating: "x", count: 101))
        await #expect(throws: FlareHubError.self) { try await hub.setData(Hall.lampObject, ["a": long]) }
        await #expect(throws: FlareHubError.self) {
            try await hub.setData(Hall.lampObject, ["a": 1], sender: long)
        }
        await #expect(throws: FlareHubError.self) {
            try await hub.setData(Hall.lampObject, ["elevenbytes": 1])
        }
        await #expect(throws: FlareHubError.self) {
            try await hub.setData(Hall.lampObject, ["a.b.c.d": 1])
        }
        await #expect(throws: FlareHubError.self) {
            try await hub.performAction(Hall.lampObject, "elevenbytes")
        }
        await #expect(throws: FlareHubError.self) {
            try await hub.update(Hall.lampObject) { $0["name"] = .string(String(repeating: "x", count: 400)) }
        }
        await #expect(throws: FlareHubError.tooManyObjects(limit: 2)) {
            try await hub.insert([FlareRecord(.zone, Hall.west), FlareRecord(.zone, Hall.east)])
        }
        #expect(await hub.record(Hall.lampObject) == before)
        try await hub.setData(Hall.lampObject, ["a.b.c": 1], sender: .null)
        #expect(await hub.record(Hall.lampObject)?.data == ["a": ["b": ["c": 1]]])
        #expect(
            await collector.all() == [
                ReceivedNotice("lamp", .data(Hall.lampObject, ["a.b.c": 1], sender: nil))
            ]
        )
    }

    @Test func `changes of one object are announced in order of arrival`() async throws {
        let hub = try FlareHub(FlareStore())
        try await hub.insert(Hall.records)
        let collector = Collector<ReceivedNotice>()
        _ = await hub.listen("lamp", to: Hall.lampObject, collector)
        for number in 0..<200 { try await hub.setData(Hall.lampObject, ["n": JSONValue(number)]) }
        let numbers = await collector.all().map { received -> Int? in
            if case .data(_, let values, _) = received.notice { values["n"]?.integer } else { nil }
        }
        #expect(numbers == Array(0..<200))
        #expect(await hub.record(Hall.lampObject)?.data?["n"] == 199)
    }

    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (sampleTime, "2023-11-14T22:13:20.123Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"), (951_868_799_999, "2000-02-29T23:59:59.999Z"),
            (-1, "1969-12-31T23:59:59.999Z"), (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
            (.max, "9999-12-31T23:59:59.999Z"), (.min, "0000-01-01T00:00:00.000Z"),
        ] as [(Int64, String)]
    )
    func `times are written in UTC with milliseconds`(milliseconds: Int64, text: String) {
        #expect(FlareTime.text(wallMilliseconds: milliseconds) == text)
    }
}
