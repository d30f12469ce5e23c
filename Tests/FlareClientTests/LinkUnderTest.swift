import Flare
import FlareClient
import FlareServer
import HTTPListener
import JSON
import Logging
import ServiceLifecycle
import SocketIO
import TestSupport

/// A running link, its requests and its events.
struct LinkUnderTest {
    let requests: AsyncStream<FlareRequest>.Continuation
    private var iterator: AsyncStream<FlareEvent>.Iterator

    fileprivate init(
        requests: AsyncStream<FlareRequest>.Continuation,
        iterator: AsyncStream<FlareEvent>.Iterator
    ) {
        self.requests = requests
        self.iterator = iterator
    }

    mutating func next() async -> FlareEvent? { await iterator.next(isolation: #isolation) }

    /// The next event of a kind.
    mutating func next(where isMeant: (FlareEvent) -> Bool) async -> FlareEvent? {
        while let event = await next() { if isMeant(event) { return event } }
        return nil
    }

    mutating func linkUp() async -> Bool { await next { $0 == .linkUp } != nil }

    /// The reason of the next loss.
    mutating func linkDown() async -> String? {
        while let event = await next() { if case .linkDown(let reason) = event { return reason } }
        return nil
    }

    /// Sends a request and waits for its reply.
    mutating func ask(_ request: FlareRequest) async -> Result<FlareReply, FlareLinkError>? {
        await perform(request).result
    }

    /// Sends a request; returns the events before its reply too.
    mutating func perform(
        _ request: FlareRequest
    ) async -> (events: [FlareEvent], result: Result<FlareReply, FlareLinkError>?) {
        requests.yield(request)
        var events: [FlareEvent] = []
        while let event = await next() {
            if case .replied(request, let result) = event { return (events, result) }
            events.append(event)
        }
        return (events, nil)
    }

    mutating func nextNotice() async -> FlareNotice? {
        while let event = await next() { if case .notice(let notice) = event { return notice } }
        return nil
    }

    /// The next notice, without repeated values: after a long burst the link reads the value again.
    mutating func nextNews(since value: (key: String, value: JSONValue)) async -> FlareNotice? {
        while let notice = await nextNotice() {
            if case .data(_, let values, _) = notice, values[value.key] == value.value { continue }
            return notice
        }
        return nil
    }

    /// All events until the link ends.
    mutating func rest() async -> [FlareEvent] {
        requests.finish()
        var events: [FlareEvent] = []
        while let event = await next() { events.append(event) }
        return events
    }
}

/// Runs a link while the body runs.
func withLink<Value>(
    _ link: some FlareLink,
    _ body: (inout LinkUnderTest) async throws -> Value
) async throws -> Value {
    let (stream, requests) = AsyncStream<FlareRequest>.makeStream()
    let (events, taken) = AsyncStream<FlareEvent>.makeStream()
    // Unstructured, because the body must receive the last events before the link is awaited.
    let run = Task {
        await link.run(stream) { taken.yield($0) }
        taken.finish()
    }
    var underTest = LinkUnderTest(requests: requests, iterator: events.makeAsyncIterator())
    let result: Result<Value, any Error>
    do {
        result = .success(try await body(&underTest))
    } catch {
        result = .failure(error)
    }
    requests.finish()
    run.cancel()
    await run.value
    return try result.get()
}

/// Serves a hub while the body runs.
func withListener<Value: Sendable>(
    _ hub: FlareHub,
    _ configuration: HTTPListenerConfiguration = HTTPListenerConfiguration(section: "test", port: 0),
    _ body: @escaping @Sendable (_ port: Int) async throws -> Value
) async throws -> Value {
    let (ports, port) = AsyncStream.makeStream(of: Int.self)
    let listener = FlareListener(hub: hub, configuration, logger: .silent) {
        port.yield($0)
        port.finish()
    }
    let group = ServiceGroup(services: [listener], logger: .silent)
    return try await withThrowingTaskGroup(of: Void.self) { tasks in
        tasks.addTask {
            defer { port.finish() }
            try await group.run()
        }
        for await port in ports {
            do {
                let value = try await body(port)
                await group.triggerGracefulShutdown()
                try await tasks.waitForAll()
                return value
            } catch {
                await group.triggerGracefulShutdown()
                throw error
            }
        }
        try await tasks.waitForAll()
        throw WireClient.Failure(what: "the server ended before it listened")
    }
}

extension FlareClientConfiguration {
    /// A configuration for a server on this machine, with short pauses.
    static func local(
        _ port: Int,
        _ transport: Transport = .automatic,
        _ revision: EngineRevision? = nil
    ) -> FlareClientConfiguration {
        var configuration = FlareClientConfiguration(host: "127.0.0.1", port: port)
        configuration.transport = transport
        configuration.revision = revision
        configuration.reconnectMinimumSeconds = 0.02
        configuration.reconnectMaximumSeconds = 0.1
        return configuration
    }
}
