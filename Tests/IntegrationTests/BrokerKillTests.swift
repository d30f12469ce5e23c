import TestSupport
import Testing

/// A broker that is killed while much is published to it.
@Suite(.enabled(if: Mosquitto.isExpected), .timeLimit(.minutes(3)))
struct BrokerKillTests {
    /// Each has three topics.
    private static let numbers = 10_000..<11_000
    private static let things = "/environments/\(hall)/zones/\(room)/things"
    private static let hall = "4b696c6c0000000000000001"
    private static let room = "4b696c6c0000000000000010"

    private static func path(_ number: Int) -> String { "\(things)/4b696c6c00000000000\(number)" }

    private static var model: String {
        let things = numbers.map { number in
            """
            {"_id": "4b696c6c00000000000\(number)", "name": "Thing \(number)",
             "position": {"x": 1, "y": 1, "z": 1}, "data": {"value": 0}}
            """
        }
        return """
            {"environments": [
              {"_id": "\(hall)", "name": "Hall", "zones": [
                {"_id": "\(room)", "name": "Room",
                 "perimeter": {"origin": {"x": 0, "y": 0, "z": 0}, "size": {"width": 5, "height": 4, "depth": 3}},
                 "things": [\(things.joined(separator: ",\n"))]}]}]}
            """
    }

    /// How many data of things the broker has received.
    private static func passed(_ broker: Mosquitto) -> Int {
        broker.log.split(separator: "\n").count {
            $0.contains("Received PUBLISH from trilateral-") && $0.contains("/data'")
        }
    }

    /// Starts a daemon, and kills the broker when a part of its publications has come.
    ///
    /// - Returns: What the daemon reaches the broker through from now on.
    private func kill(_ broker: Mosquitto, inTheMiddleOf home: Home) async throws -> NarrowRelay {
        let relay = try NarrowRelay(to: broker.port, count: Self.numbers.count / 2, of: "/data")
        try await home.start(["discovery.enabled": "false", "mqtt.port": "\(relay.port)"])
        #expect(await eventually(within: .seconds(30)) { relay.isFull && Self.passed(broker) > 0 })
        await broker.kill()
        return relay
    }

    /// With a store the broker comes back with a part of what it had, which is not true any more.
    @Test(arguments: [false, true])
    func `after a kill in the middle of thousands of publications the broker holds what is true now`(
        hasStore: Bool
    ) async throws {
        var options = MosquittoOptions()
        options.hasStore = hasStore
        if hasStore { options.lines = ["autosave_on_changes true", "autosave_interval 200"] }
        try await withMosquitto(options) { broker in
            try await withEmptyHome(port: broker.port) { home, _ in
                try await home.take(Self.model)
                let relay = try await kill(broker, inTheMiddleOf: home)
                defer { relay.stop() }
                #expect(Self.passed(broker) < Self.numbers.count)
                #expect(await home.logs("the link to the broker"))

                var expected = [String: String]()
                for number in Self.numbers {
                    expected["\(home.root)/things/thing-\(number)/data"] = #"{"value":0}"#
                }
                for number in [10_002, 10_003, 10_998] {
                    let reply = try await home.rest("PUT", Self.path(number), #"{"data.value":1}"#)
                    #expect(reply.status == 200)
                    expected["\(home.root)/things/thing-\(number)/data"] = #"{"value":1}"#
                }
                for number in [10_000, 10_001, 10_999] {
                    #expect(try await home.rest("DELETE", Self.path(number)).status == 200)
                    expected["\(home.root)/things/thing-\(number)/data"] = nil
                }
                let names = Set(expected.keys.map { $0.dropLast(5) })

                try await broker.start()
                var wrong: [String: String] = [:]
                let isRight = try await eventually(within: .seconds(20)) {
                    let all = try await retainedMessages(port: broker.port)
                    guard all["\(home.root)/status"] == "online" else { return false }
                    let things = all.filter { $0.key.hasPrefix("\(home.root)/things/") }
                    wrong = things.filter { topic, text in
                        topic.hasSuffix("/data")
                            ? expected[topic] != text : !names.contains { topic.hasPrefix($0) }
                    }
                    return wrong.isEmpty && things.keys.count { $0.hasSuffix("/data") } == expected.count
                }
                #expect(isRight, "\(wrong.prefix(5))")
            }
        }
    }
}
