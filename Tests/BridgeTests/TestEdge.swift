import Bindings
import Bridge
import Controller
import Flare
import JSON
import Logging
import MQTT
import Messages
import People
import TestSupport
import Testing
import Things
import Threading

/// A bridge whose broker and whose handlers are in the test.
final class TestEdge: Sendable {
    static let id = BindingID(high: 1, low: 2)
    static let wall: Int64 = 1_760_000_000_000

    let published: AsyncStream<MQTTMessage>
    /// What the handlers were given, in order.
    let handled = Locked<[String]>([])
    let steady = Locked<Int64>(0)
    /// The receipts of publications, by topic, which the test completes.
    let receipts = Locked<[String: AsyncStream<MQTTPublishError?>.Continuation]>([:])
    let bridge: EdgeBridge

    /// - Parameters:
    ///   - limited: Those that may report no further state.
    ///   - nodes: The end nodes of all gateways; `nil` if all are.
    init(
        error: BindingsError? = nil,
        limits: EdgeBridge.Limits = .init(),
        limited: Set<String> = [],
        nodes: Set<String>? = nil
    ) throws {
        let (published, port) = AsyncStream.makeStream(of: MQTTMessage.self)
        self.published = published
        let (handled, steady, receipts) = (handled, steady, receipts)
        let record: @Sendable (String) -> BindingsError? = { text in
            handled.withLock { $0.append(text) }
            return error
        }
        bridge = EdgeBridge(
            on: try LoopExecutor(),
            Topics(root: "t/n"),
            link: EdgeLink { message in
                let (results, result) = AsyncStream<MQTTPublishError?>.makeStream()
                receipts.withLock { $0[message.topic] = result }
                port.yield(message)
                return MQTTReceipt(results)
            },
            logger: .silent,
            clock: {
                Instant(
                    wallMilliseconds: TestEdge.wall,
                    steadyMilliseconds: steady.withLock { $0 }
                )
            },
            limits: limits,
            EdgePorts(
                refusal: { topic in
                    if topic.gateway != nil, nodes?.contains(topic.vendor) == false {
                        return .refused(Refusal(.notAllowed, "no end node"))
                    }
                    return topic.part == .state && limited.contains(topic.vendor)
                        ? .refused(Refusal(.rateLimited, "slower")) : nil
                },
                onboard: { thing, request in
                    if let error = record("onboard \(thing.vendor) \(request.password)") {
                        return .failure(error)
                    }
                    return .success(
                        OnboardingAnswer(
                            TestEdge.id,
                            isOwned: false,
                            token: "tlt_x",
                            endpoint: nil,
                            ignored: []
                        )
                    )
                },
                state: { thing, upload, isRetained in
                    let kept = isRetained ? "kept " : ""
                    return record("\(kept)state \(thing.vendor) \(upload.samples.map(\.state))")
                },
                result: { thing, report in record("result \(thing.vendor) \(report.commandID)") },
                status: { thing, status in
                    record("status \(thing.gateway ?? "")/\(thing.vendor) \(status?.rawValue ?? "none")")
                },
                nodes: { thing, nodes in record("nodes \(thing.vendor) \(nodes.map(\.vendor))") }
            )
        )
    }

    func receive(_ tail: String, _ payload: String, isRetained: Bool = false) async {
        await bridge.receive(
            MQTTMessage(
                topic: "t/n/edge/\(tail)",
                payload: Array(payload.utf8),
                qos: .atLeastOnce,
                isRetained: isRetained
            )
        )
    }

    /// The next messages to things: the topic below `edge/`, and the payload.
    func next(_ count: Int) async throws -> [(topic: String, json: JSONValue)] {
        var found: [(String, JSONValue)] = []
        for await message in published {
            #expect(message.qos == .atLeastOnce && !message.isRetained)
            found.append((String(message.topic.dropFirst(9)), try JSONValue(parsing: message.payload)))
            if found.count == count { break }
        }
        return found
    }
}
