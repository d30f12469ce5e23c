import Flare
import FlareClient
import JSON
import Testing

@Suite struct PollingPipelineTests {
    private let place = FlareRequest.loadPlace(environment: Home.house)
    private let set = FlareRequest.setData(Home.lampObject, values: ["on": true], sender: nil)

    /// A pipeline whose owner has subscribed to the house and read its place, at time 0.
    private func following(_ things: JSONValue = []) -> PollingPipeline {
        var pipeline = PollingPipeline(milliseconds: 1000)
        #expect(pipeline.linkUp(now: 0) == [.emit(.linkUp)])
        let subscribe = FlareRequest.subscribe(environment: Home.house)
        #expect(pipeline.requested(subscribe, now: 0) == [.emit(.replied(subscribe, .success(.done)))])
        #expect(pipeline.requested(place, now: 0).count == 2)
        #expect(pipeline.receivedResponse(0, .success([["_id": Home.text(Home.kitchen)]]), now: 0).isEmpty)
        #expect(pipeline.receivedResponse(1, .success(things), now: 0).count == 1)
        #expect(pipeline.isIdle && pipeline.deadline == 1000)
        return pipeline
    }

    private let zones: JSONValue = [["_id": Home.text(Home.kitchen)]]

    private func lamp(_ isOn: Bool) -> JSONValue {
        [["_id": Home.text(Home.lamp), "data": ["on": .bool(isOn)]]]
    }

    @Test func `the next reading is due some time after the end of the one before`() {
        var pipeline = following()
        #expect(pipeline.tick(now: 999).isEmpty)
        #expect(pipeline.tick(now: 1000).count == 2)
        // Nothing is due while it goes on, however long.
        #expect(pipeline.deadline == nil && pipeline.tick(now: 9000).isEmpty)
        #expect(pipeline.receivedResponse(2, .success(zones), now: 9000).isEmpty)
        #expect(pipeline.receivedResponse(3, .success([]), now: 9001).isEmpty)
        #expect(pipeline.deadline == 10_001)
    }

    @Test func `a difference becomes a notice`() {
        var pipeline = following(lamp(false))
        _ = pipeline.tick(now: 1000)
        #expect(pipeline.receivedResponse(2, .success(zones), now: 1000).isEmpty)
        #expect(
            pipeline.receivedResponse(3, .success(lamp(true)), now: 1000)
                == [.emit(.notice(.data(Home.lampObject, ["on": true], sender: nil)))]
        )
    }

    @Test func `a request waits for a reading, and a reading for a request`() {
        var pipeline = following(lamp(false))
        _ = pipeline.tick(now: 1000)
        #expect(pipeline.requested(set, now: 1001).isEmpty && !pipeline.isIdle)
        _ = pipeline.receivedResponse(2, .success(zones), now: 1002)
        #expect(pipeline.receivedResponse(3, .success(lamp(false)), now: 1002) == [.write(set)])
        #expect(pipeline.deadline == nil && pipeline.tick(now: 5000).isEmpty)
        let answer = PollingPipeline.Action.emit(.replied(set, .success(.done)))
        // The reading was due in the meantime.
        let actions = pipeline.received(.replied(set, .success(.done)), now: 5000)
        #expect(actions.first == answer && actions.count == 3)
        _ = pipeline.receivedResponse(4, .success(zones), now: 5000)
        #expect(pipeline.receivedResponse(5, .success(lamp(true)), now: 5000).isEmpty)
    }

    @Test func `many requests do not keep a reading waiting`() {
        var pipeline = following()
        for _ in 0..<3 { _ = pipeline.requested(set, now: 10) }
        #expect(pipeline.received(.replied(set, .success(.done)), now: 20).last == .write(set))
        let actions = pipeline.received(.replied(set, .success(.done)), now: 1000)
        #expect(actions.count == 3 && !actions.contains(.write(set)))
    }

    @Test func `a notice during a reading is newer than its response`() {
        var pipeline = following(lamp(false))
        _ = pipeline.tick(now: 1000)
        let notice = FlareNotice.data(Home.lampObject, ["on": true], sender: nil)
        #expect(pipeline.received(.notice(notice), now: 1000) == [.emit(.notice(notice))])
        _ = pipeline.receivedResponse(2, .success(zones), now: 1000)
        #expect(pipeline.receivedResponse(3, .success(lamp(false)), now: 1000).isEmpty)
    }

    @Test func `a reading that cannot reach the server ends the link`() {
        var pipeline = following()
        _ = pipeline.tick(now: 1000)
        _ = pipeline.requested(set, now: 1000)
        #expect(
            pipeline.receivedResponse(2, .failure(.unreachable("gone")), now: 1000) == [.lost(reason: "gone")]
        )
        #expect(
            pipeline.linkDown(reason: "gone") == [
                .emit(.linkDown(reason: "gone")), .emit(.replied(set, .failure(.unreachable("gone")))),
            ]
        )
        #expect(pipeline.linkDown(reason: "gone").isEmpty && pipeline.deadline == nil && pipeline.isIdle)
        #expect(pipeline.requested(set, now: 1000) == [.emit(.replied(set, .failure(.unreachable("gone"))))])
        // The subscription is gone too.
        _ = pipeline.linkUp(now: 2000)
        #expect(pipeline.tick(now: 3000).isEmpty && pipeline.deadline == 4000)
    }

    @Test func `a request that cannot reach the server ends the link and is answered once`() {
        var pipeline = following()
        _ = pipeline.requested(place, now: 10)
        let actions = pipeline.receivedResponse(2, .failure(.unreachable("gone")), now: 10)
        #expect(actions == [.lost(reason: "gone")])
        #expect(
            pipeline.linkDown(reason: "gone") == [
                .emit(.linkDown(reason: "gone")), .emit(.replied(place, .failure(.unreachable("gone")))),
            ]
        )
    }

    @Test func `after a timeout the server is asked whether it still answers`() {
        var pipeline = following()
        _ = pipeline.tick(now: 1000)
        #expect(pipeline.receivedResponse(2, .failure(.timedOut(seconds: 1)), now: 2000) == [.probe])
        #expect(pipeline.deadline == 3000)
    }

    @Test func `a reading that is refused has the owner read for itself`() {
        var pipeline = following()
        _ = pipeline.tick(now: 1000)
        let actions = pipeline.receivedResponse(2, .failure(.rejected("status 500")), now: 1000)
        #expect(
            actions == [
                .emit(
                    .notice(.modelChanged(ObjectReference(.zone, Home.house), environment: Home.house))
                )
            ]
        )
        #expect(pipeline.deadline == 2000)
    }

    @Test func `a list with an element that cannot be read is an error, and nothing is gone`() {
        var pipeline = following(lamp(false))
        _ = pipeline.tick(now: 1000)
        _ = pipeline.receivedResponse(2, .success(zones), now: 1000)
        let broken: JSONValue = [5, .null, ["_id": "x"]]
        let again = FlareNotice.modelChanged(ObjectReference(.zone, Home.house), environment: Home.house)
        #expect(pipeline.receivedResponse(3, .success(broken), now: 1000) == [.emit(.notice(again))])
        #expect(pipeline.requested(place, now: 1001).count == 2)
        _ = pipeline.receivedResponse(4, .success(zones), now: 1001)
        let error = FlareLinkError.rejected("the server's list has an object that cannot be read: 5")
        #expect(
            pipeline.receivedResponse(5, .success(broken), now: 1001)
                == [.emit(.replied(place, .failure(error)))]
        )
        // What the owner knows is as it was.
        _ = pipeline.tick(now: 2000)
        _ = pipeline.receivedResponse(6, .success(zones), now: 2000)
        #expect(pipeline.receivedResponse(7, .success(lamp(false)), now: 2000).isEmpty)
    }

    @Test func `a reading of too many objects is an error`() {
        var pipeline = following()
        let element: JSONValue = ["_id": Home.text(Home.lamp)]
        for (others, isRead) in [(20_000, false), (19_999, true)] {
            let request = pipeline.requested(place, now: 10).compactMap { action -> Int? in
                if case .fetch(_, let number) = action { number } else { nil }
            }
            #expect(request.count == 2)
            #expect(pipeline.receivedResponse(request[0], .success(zones), now: 10).isEmpty)
            let things = JSONValue.array(Array(repeating: element, count: others))
            guard
                case .emit(.replied(place, let result))? =
                    pipeline.receivedResponse(request[1], .success(things), now: 10).first
            else {
                Issue.record("no reply")
                return
            }
            switch result {
            case .success: #expect(isRead)
            case .failure(let error):
                #expect(!isRead && error == .rejected("the server's lists have more than 20000 objects"))
            }
        }
    }

    @Test func `after a write that finds no server the place is read soon`() {
        var pipeline = PollingPipeline(milliseconds: 60_000)
        _ = pipeline.linkUp(now: 0)
        _ = pipeline.requested(set, now: 0)
        _ = pipeline.received(.replied(set, .failure(.unreachable("no socket"))), now: 0)
        #expect(pipeline.deadline == 1000)
    }

    @Test func `requests wait for the first attempt, and their number is limited`() {
        var pipeline = PollingPipeline(milliseconds: 1000)
        var refused = 0
        for _ in 0..<10_005 { refused += pipeline.requested(place, now: 0).count }
        #expect(refused == 5)
        #expect(pipeline.linkDown(reason: "a").count == 10_001)
    }
}
