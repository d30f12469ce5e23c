import ArgumentParser
import Flare
import FlareClient
import Logging
import Settings

/// One short visit to a Flare server by a command: questions, and an answer to each.
struct FlareSession {
    private let requests: AsyncStream<FlareRequest>.Continuation
    private var events: AsyncStream<FlareEvent>.Iterator

    /// Runs the body once the server has answered.
    ///
    /// - Throws: What the body throws, or a ``VerbError`` when nobody answers in time.
    static func run<Result: Sendable>(
        _ configuration: FlareClientConfiguration,
        within limit: Duration = .seconds(10),
        _ body: (inout FlareSession) async throws -> Result
    ) async throws -> Result {
        let client = try FlareClient(configuration, logger: .silent)
        let (requests, request) = AsyncStream.makeStream(of: FlareRequest.self)
        let (events, feed) = AsyncStream.makeStream(of: FlareEvent.self)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await client.run(requests) { feed.yield($0) } }
            let deadline = Task {
                guard (try? await Task.sleep(for: limit)) != nil else { return }
                feed.finish()
            }
            defer {
                deadline.cancel()
                request.finish()
                feed.finish()
                group.cancelAll()
            }
            var visit = FlareSession(requests: request, events: events.makeAsyncIterator())
            try await visit.enter(configuration.place)
            deadline.cancel()
            return try await body(&visit)
        }
    }

    private mutating func enter(_ address: String) async throws {
        var reason = "it does not answer"
        while let event = await events.next(isolation: #isolation) {
            switch event {
            case .linkUp: return
            case .linkDown(let why): reason = why
            case .replied, .notice: break
            }
        }
        throw VerbError("the Flare server at \(address) cannot be reached: \(reason)", .unavailable)
    }

    mutating func ask(_ request: FlareRequest) async throws -> FlareReply {
        requests.yield(request)
        while let event = await events.next(isolation: #isolation) {
            guard case .replied(request, let result) = event else { continue }
            switch result {
            case .success(let reply): return reply
            case .failure(let error): throw VerbError(error.description, .unavailable)
            }
        }
        throw VerbError("the link to the Flare server was lost", .unavailable)
    }

    /// An environment with what stands in it.
    ///
    /// - Parameter name: By name, short name or identifier; `nil` takes the only one.
    mutating func place(
        named name: String?
    ) async throws -> (environment: FlareEnvironment, zones: [FlareZone], things: [FlareThing]) {
        guard case .environments(let environments) = try await ask(.loadEnvironments(near: nil)) else {
            throw VerbError("the Flare server sent no environments", .unavailable)
        }
        let found =
            name.map { ObjectSelector($0).choice(of: environments, id: \.id, name: \.name) } ?? environments
        guard found.count == 1, let environment = found.first else {
            let names = environments.map { $0.name.isEmpty ? "\($0.id)" : $0.name }.sorted().joined(
                separator: ", "
            )
            throw environments.isEmpty
                ? VerbError("the Flare server has no environment", .dataError)
                : VerbError("name one environment with --environment: \(names)", .usage)
        }
        guard case .place(let zones, let things) = try await ask(.loadPlace(environment: environment.id))
        else {
            throw VerbError("the Flare server sent no place", .unavailable)
        }
        return (environment, zones, things)
    }
}

extension FlareClientConfiguration {
    /// Where the client connects, with the server's name if that is something else.
    fileprivate var place: String {
        let dialled = HostAndPort(host: address ?? host, port: port)
        return address == nil || address == host ? "\(dialled)" : "\(dialled) (\(host))"
    }
}
