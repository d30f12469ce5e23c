import Flare
import FlareClient
import JSON
import Testing

/// Changes that a server does not allow, which one of ours tells with `refused`.
struct RefusalTests {
    private static let reason = "you may not write thing lamp: no grant"
    private static let failure = FlareLinkError.notAllowed(reason)

    private var pipeline = RequestPipeline(confirmationMilliseconds: 1000)

    init() { _ = pipeline.linkUp(isOrdered: true, now: 0) }

    private func refused(_ thing: FlareID = Home.lamp) -> FlareMessage {
        FlareMessage("refused", ["message": .string(Self.reason), "thing": Home.text(thing)])
    }

    private func data(_ values: JSONValue) -> FlareMessage {
        FlareMessage("data", ["data": values, "thing": Home.text(Home.lamp)])
    }

    private func position(_ value: JSONValue) -> FlareMessage {
        FlareMessage("position", ["position": value, "thing": Home.text(Home.lamp)])
    }

    /// The names of the messages that are sent.
    private func sent(_ actions: [RequestPipeline.Action]) -> [String] {
        actions.compactMap { if case .send(let message) = $0 { message.name } else { nil } }
    }

    private func reply(_ request: FlareRequest) -> RequestPipeline.Action {
        .emit(.replied(request, .failure(Self.failure)))
    }

    @Test(arguments: [["on": true], [:]] as [JSONValue])
    mutating func `a refused value fails with the reason, and no late answer confirms what follows`(
        stored: JSONValue
    ) {
        let set = FlareRequest.setData(Home.lampObject, values: ["on": false], sender: nil)
        let act = FlareRequest.performAction(Home.lampObject, action: "off", sender: nil)
        #expect(sent(pipeline.requested(set, now: 0)) == ["setData", "getData"])
        #expect(pipeline.requested(act, now: 0).isEmpty)
        // The correction comes first, and the answer to getData last.
        #expect(!pipeline.received(data(["on": true]), now: 0).contains(reply(set)))
        #expect(sent(pipeline.received(refused(), now: 0)) == ["getPosition"])
        #expect(!pipeline.received(data(stored), now: 0).contains(reply(set)))
        let actions = pipeline.received(position(["x": 1, "y": 2]), now: 0)
        #expect(actions.contains(reply(set)))
        #expect(sent(actions) == ["performAction", "getData"])
        #expect(pipeline.received(refused(), now: 0).isEmpty)
        #expect(pipeline.received(data([:]), now: 0) == [reply(act)])
        #expect(pipeline.isIdle)
    }

    @Test mutating func `a refused position fails with the reason`() {
        let move = FlareRequest.setPosition(Home.lampObject, Point3D(x: 1, y: 1), sender: nil)
        #expect(sent(pipeline.requested(move, now: 0)) == ["setPosition", "getPosition"])
        _ = pipeline.received(position(["x": 3, "y": 3]), now: 0)
        #expect(sent(pipeline.received(refused(), now: 0)) == ["getData"])
        _ = pipeline.received(position(["x": 3, "y": 3]), now: 0)
        #expect(!pipeline.isIdle)
        #expect(pipeline.received(data([:]), now: 0) == [reply(move)])
    }

    @Test mutating func `a refusal about something else changes nothing`() {
        let set = FlareRequest.setData(Home.lampObject, values: ["on": true], sender: nil)
        #expect(pipeline.received(refused(), now: 0).isEmpty)
        _ = pipeline.requested(set, now: 0)
        #expect(pipeline.received(refused(Home.sofa), now: 0).isEmpty)
        #expect(
            pipeline.received(data(["on": true]), now: 0) == [.emit(.replied(set, .success(.done)))]
        )
    }
}
