import Flare
import FlareClient
import JSON
import SeededRandom
import Testing

@Suite struct RequestPipelineTests {
    /// The data of the things after applying the events, as the controller does.
    private struct Mirror {
        var data: [ObjectReference: JSONObject] = [:]
        var replies = 0
        var failures: [FlareLinkError] = []

        mutating func take(_ event: FlareEvent) {
            switch event {
            case .notice(.data(let object, let values, _)): data[object, default: [:]].merge(values) { $1 }
            case .replied(let request, let result):
                replies += 1
                switch (request, result) {
                case (.setData(let object, let values, _, _), .success):
                    data[object, default: [:]].merge(values) { $1 }
                case (.loadPlace, .success(.place(_, let things))):
                    for thing in things { data[ObjectReference(.thing, thing.id)] = thing.data }
                case (_, .failure(let error)): failures.append(error)
                default: break
                }
            default: break
            }
        }
    }

    /// A random session with the original server: many writers, reads in between, and reordered messages.
    private func live(seed: UInt64) -> (mirror: Mirror, model: OriginalModel, requests: Int) {
        var dice = SplitMix64(seed: seed)
        let objects = [Home.lampObject, Home.sofaObject]
        var model = OriginalModel(objects)
        var mirror = Mirror()
        var pipeline = RequestPipeline(confirmationMilliseconds: 60_000)
        var now = 0
        var requests = 0
        var written = 0

        func take(_ actions: [RequestPipeline.Action]) {
            for action in actions {
                model.take(action)
                if case .emit(let event) = action { mirror.take(event) }
            }
        }
        func run(_ steps: Int) {
            for _ in 0..<steps {
                now += dice.number(below: 20)
                switch model.step(&dice) {
                case .message(let message)?: take(pipeline.received(message, now: now))
                case .answer(let number, let json)?:
                    take(pipeline.receivedResponse(number, .success(json), now: now))
                case nil: break
                }
                if pipeline.deadline.map({ now >= $0 }) == true { take(pipeline.tick(now: now)) }
            }
        }

        take(pipeline.linkUp(isOrdered: false, now: now))
        for _ in 0..<40 {
            written += 1
            let (object, key) = (objects[dice.number(below: 2)], ["a", "b"][dice.number(below: 2)])
            switch dice.number(below: 5) {
            case 0, 1: model.others(set: object, key, JSONValue(written))
            case 2, 3:
                requests += 1
                let values: JSONObject =
                    dice.chance(2) ? [key: JSONValue(written)] : ["a": JSONValue(written), "b": "x"]
                take(pipeline.requested(.setData(object, values: values, sender: nil), now: now))
            default:
                requests += 1
                take(pipeline.requested(.loadPlace(environment: Home.house), now: now))
            }
            run(dice.number(below: 10))
        }
        // The end of the burst.
        var rounds = 0
        while rounds < 2000, !(pipeline.isIdle && model.isQuiet && pipeline.deadline == nil) {
            rounds += 1
            if model.isQuiet, let deadline = pipeline.deadline { now = max(now, deadline) }
            run(1)
        }
        return (mirror, model, requests)
    }

    @Test func `after a burst the mirror equals the state of the original server`() {
        for seed in 0..<500 as Range<UInt64> {
            let (mirror, model, requests) = live(seed: seed)
            #expect(mirror.replies == requests)
            for object in model.objects where mirror.data[object] != nil {
                #expect(mirror.data[object] == model.stored[object], "seed \(seed)")
            }
            // With such reordering a request may fail as not stored, but it is always answered.
            #expect(mirror.failures.allSatisfy { if case .rejected = $0 { true } else { false } })
        }
    }

    private var place: FlareRequest { .loadPlace(environment: Home.house) }

    @Test func `notices during a read are applied to its reply`() {
        var pipeline = RequestPipeline(confirmationMilliseconds: 1000)
        _ = pipeline.linkUp(isOrdered: true, now: 0)
        let paths = pipeline.requested(place, now: 0).map {
            if case .fetch(let request, let number) = $0 { "\(number) \(request.path)" } else { "" }
        }
        #expect(paths == ["0 /environments/\(Home.house)/zones", "1 /environments/\(Home.house)/things"])
        let news: [FlareMessage] = [
            FlareMessage("data", ["data": ["on": true], "thing": Home.text(Home.lamp)]),
            FlareMessage("position", ["position": ["x": 9, "y": 9], "thing": Home.text(Home.lamp)]),
        ]
        for message in news { #expect(pipeline.received(message, now: 0).count == 1) }
        #expect(pipeline.receivedResponse(0, .success([]), now: 0).isEmpty)
        let old: JSONValue = [["_id": Home.text(Home.lamp), "data": ["on": false, "color": "red"]]]
        var thing = FlareThing(id: Home.lamp)
        thing.data = ["on": true, "color": "red"]
        thing.position = Point3D(x: 9, y: 9)
        #expect(
            pipeline.receivedResponse(1, .success(old), now: 0)
                == [.emit(.replied(place, .success(.place(zones: [], things: [thing]))))]
        )
        #expect(pipeline.isIdle)
    }

    @Test func `a late response is ignored`() {
        var pipeline = RequestPipeline(confirmationMilliseconds: 1000)
        _ = pipeline.linkUp(isOrdered: true, now: 0)
        _ = pipeline.requested(place, now: 0)
        #expect(pipeline.receivedResponse(0, .failure(.timedOut(seconds: 1)), now: 0).count == 1)
        #expect(pipeline.receivedResponse(1, .success([]), now: 0).isEmpty)
        _ = pipeline.requested(place, now: 0)
        _ = pipeline.linkDown(reason: "gone")
        _ = pipeline.linkUp(isOrdered: true, now: 0)
        _ = pipeline.requested(place, now: 0)
        #expect(pipeline.receivedResponse(2, .success([]), now: 0).isEmpty)
    }

    @Test func `requests wait for the first attempt, and fail between later ones`() {
        var pipeline = RequestPipeline(confirmationMilliseconds: 1000)
        #expect(pipeline.requested(place, now: 0).isEmpty)
        #expect(
            pipeline.linkDown(reason: "a") == [
                .emit(.linkDown(reason: "a")), .emit(.replied(place, .failure(.unreachable("a")))),
            ]
        )
        #expect(pipeline.linkDown(reason: "a").isEmpty)
        #expect(
            pipeline.requested(place, now: 0) == [.emit(.replied(place, .failure(.unreachable("a"))))]
        )
        #expect(pipeline.linkDown(reason: "b") == [.emit(.linkDown(reason: "b"))])
    }

    @Test func `the number of waiting requests is limited`() {
        var pipeline = RequestPipeline(confirmationMilliseconds: 1000)
        var refused = 0
        for _ in 0..<10_005 { refused += pipeline.requested(place, now: 0).count }
        #expect(refused == 5)
    }

    @Test func `a notice with a sender, another object or another key is not an answer`() {
        var pipeline = RequestPipeline(confirmationMilliseconds: 1000)
        _ = pipeline.linkUp(isOrdered: true, now: 0)
        let set = FlareRequest.setData(Home.lampObject, values: ["a": 1], sender: nil)
        #expect(pipeline.requested(set, now: 0).count == 2)
        func data(_ values: JSONValue, _ thing: FlareID = Home.lamp, sender: JSONValue = .null)
            -> FlareMessage
        {
            FlareMessage("data", ["data": values, "thing": Home.text(thing), "sender": sender])
        }
        for other in [
            data(["a": 1], Home.sofa), data(["b": 1]), data(["a": 1], sender: "x"),
            FlareMessage("position", ["position": ["x": 1, "y": 1], "thing": Home.text(Home.lamp)]),
        ] {
            let actions = pipeline.received(other, now: 0)
            #expect(actions.count == 1 && !pipeline.isIdle)
        }
        #expect(pipeline.received(data(["a": 1]), now: 0) == [.emit(.replied(set, .success(.done)))])
        #expect(pipeline.deadline == nil)
    }

    @Test func `a loosely equal value is confirmed`() {
        let pairs: [(JSONValue, JSONValue)] = [
            (true, 1), (1, true), (false, 0), (0, ""), (1, "1"),
            (.numeral("9007199254740993"), 9_007_199_254_740_992),
        ]
        for (ours, stored) in pairs {
            var pipeline = RequestPipeline(confirmationMilliseconds: 1000)
            _ = pipeline.linkUp(isOrdered: false, now: 0)
            let set = FlareRequest.setData(Home.lampObject, values: ["a": ours], sender: nil)
            _ = pipeline.requested(set, now: 0)
            let answer = FlareMessage("data", ["data": ["a": stored], "thing": Home.text(Home.lamp)])
            #expect(pipeline.received(answer, now: 0) == [.emit(.replied(set, .success(.done)))])
        }
    }
}
