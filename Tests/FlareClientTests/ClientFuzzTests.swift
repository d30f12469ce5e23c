import Flare
import FlareClient
import JSON
import SeededRandom
import TestSupport
import Testing

/// With random input nothing traps, and every request is answered exactly once.
@Suite(.timeLimit(.minutes(2))) struct ClientFuzzTests {
    private struct Nonsense {
        var dice: SplitMix64

        private static let words: [JSONValue] = [
            .null, true, 0, -1, 1e300, "", "a", "é😀", .string("\(Home.lamp)"), .string("\(Home.phone)"),
            .string("\(Home.house)"), .numeral("99999999999999999999"), "data", "position",
        ]
        private static let keys = [
            "_id", "data", "position", "x", "y", "z", "thing", "device", "zone", "environment", "sender", "a",
            "nearest", "distance", "action", "perimeter", "geofence", "origin", "size", "message", "name",
        ]

        mutating func value(depth: Int = 0) -> JSONValue {
            switch dice.number(below: depth > 3 ? 4 : 10) {
            case 0..<4: return Self.words[dice.number(below: Self.words.count)]
            case 4, 5: return .array((0..<dice.number(below: 4)).map { _ in value(depth: depth + 1) })
            default: return object(depth: depth)
            }
        }

        private mutating func object(depth: Int) -> JSONValue {
            var members: JSONObject = [:]
            for _ in 0..<dice.number(below: 6) {
                members[Self.keys[dice.number(below: Self.keys.count)]] = value(depth: depth + 1)
            }
            return .object(members)
        }

        mutating func message() -> FlareMessage {
            let names = ["data", "position", "handleAction", "enter", "exit", "near", "far", "what"]
            var argument = object(depth: 1)
            if dice.chance(2), case .object(var members) = argument {
                members["thing"] = .string("\(Home.lamp)")
                argument = .object(members)
            }
            return FlareMessage(names[dice.number(below: names.count)], argument)
        }

        mutating func request() -> FlareRequest {
            let place = Point3D(x: 1, y: 2)
            let all: [FlareRequest] = [
                .loadEnvironments(near: nil), .loadEnvironments(near: GeoPoint(latitude: 1, longitude: 2)),
                .loadPlace(environment: Home.house), .loadDevice(Home.phone, environment: Home.house),
                .createDevice(DeviceDraft(name: "a", description: "", data: [:]), environment: Home.house),
                .loadPresence(device: Home.phone, environment: Home.house, position: place),
                .subscribe(environment: Home.house), .unsubscribe(environment: Home.house),
                .setData(Home.lampObject, values: ["a": 1, "x.y": 2], sender: nil),
                .setPosition(Home.phoneObject, place, sender: Home.phone),
                .setPosition(Home.lampObject, place, sender: nil),
                .performAction(Home.lampObject, action: "north", sender: nil),
                .performAction(Home.phoneObject, action: "up", sender: nil),
                .renameDevice(Home.phone, environment: Home.house, name: "b"),
            ]
            return all[dice.number(below: all.count)]
        }
    }

    @Test func `random messages and responses never trap`() {
        var nonsense = Nonsense(dice: SplitMix64(seed: 5))
        var pipeline = RequestPipeline(confirmationMilliseconds: 1000)
        var open: [(number: Int, request: RESTRequest)] = []
        var now = 0
        var asked = 0
        var replied = 0

        func take(_ actions: [RequestPipeline.Action]) {
            for action in actions {
                switch action {
                case .emit(.replied): replied += 1
                case .fetch(let request, let number): open.append((number, request))
                case .emit, .send: break
                }
            }
        }
        take(pipeline.linkUp(isOrdered: false, now: now))
        for _ in 0..<30_000 {
            now += nonsense.dice.number(below: 100)
            switch nonsense.dice.number(below: 10) {
            case 0, 1:
                asked += 1
                take(pipeline.requested(nonsense.request(), now: now))
            case 2, 3, 4: take(pipeline.received(nonsense.message(), now: now))
            case 5, 6, 7:
                guard !open.isEmpty else { continue }
                let (number, request) = open.remove(at: nonsense.dice.number(below: open.count))
                let body = nonsense.dice.chance(10) ? [] : nonsense.value().bytes
                let status = [200, 200, 200, 200, 201, 302, 404, 500][nonsense.dice.number(below: 8)]
                let answer = Result { () throws(FlareLinkError) in
                    try JSONValue.answer(status: status, location: "\u{0}x", body: body, to: request)
                }
                take(pipeline.receivedResponse(number, answer, now: now))
            case 8: take(pipeline.tick(now: now))
            default:
                guard nonsense.dice.chance(100) else { continue }
                take(pipeline.linkDown(reason: "gone"))
                #expect(replied == asked)
                open = []
                take(pipeline.linkUp(isOrdered: nonsense.dice.chance(2), now: now))
            }
        }
        take(pipeline.linkDown(reason: "over"))
        #expect(replied == asked && pipeline.isIdle && asked > 1000)
    }

    @Test func `random bytes never trap the message parser`() {
        var dice = SplitMix64(seed: 6)
        let whole = Array(
            #"["data",{"data":{"a":[1,2.5e3,"é\u00e9"]},"thing":"\#(Home.lamp)","sender":null}]"#.utf8
        )
        var messages = 0
        for _ in 0..<30_000 {
            var bytes = whole
            for _ in 0...dice.number(below: 3) where !bytes.isEmpty {
                let place = dice.number(below: bytes.count)
                switch dice.number(below: 4) {
                case 0: bytes.removeSubrange(place...)
                case 1: bytes[place] = UInt8(truncatingIfNeeded: dice.number(below: 256))
                case 2: bytes.insert(contentsOf: bytes.prefix(dice.number(below: 20)), at: place)
                default: bytes.remove(at: place)
                }
            }
            if FlareMessage(json: bytes) != nil { messages += 1 }
        }
        #expect(messages > 1000)
    }

    @Test func `every HTTP response leads to a reply`() async throws {
        let whole = Array(
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n[]".utf8
        )
        let chunked = Array(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n[\r\n1\r\n]\r\n0\r\n\r\n".utf8
        )
        var dice = SplitMix64(seed: 7)
        var answers: [String] = []
        for _ in 0..<300 {
            var bytes = dice.chance(2) ? whole : chunked
            for _ in 0..<dice.number(below: 4) {
                let place = dice.number(below: bytes.count)
                switch dice.number(below: 3) {
                case 0: bytes.removeSubrange(place...)
                case 1: bytes[place] = UInt8(dice.number(below: 128))
                default: bytes.insert(contentsOf: "9".utf8, at: place)
                }
                if bytes.isEmpty { break }
            }
            answers.append(String(decoding: bytes, as: UTF8.self))
        }
        let bodies = answers
        let script = FakeServer.original(http: { request in
            // The request selects the response.
            let number = request.target.split(separator: "=").last.flatMap { Double($0) }.map { Int($0) } ?? 0
            return .bytes(bodies.indices.contains(number) ? bodies[number] : "", closes: true)
        })
        try await withFakeServer(script) { server in
            try await withLink(FlareClient(.local(server.port), logger: .silent)) { link in
                #expect(await link.linkUp())
                var read = 0
                for number in bodies.indices {
                    let place = GeoPoint(latitude: 0, longitude: Double(number))
                    let told = await link.perform(.loadEnvironments(near: place))
                    #expect(told.events.isEmpty)
                    if case .success(.environments)? = told.result { read += 1 }
                }
                #expect(read > 50 && read < 300)
            }
        }
    }
}
