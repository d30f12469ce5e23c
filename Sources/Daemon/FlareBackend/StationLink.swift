import Controller
import Directory
import Flare
package import FlareClient
import Logging
import Messages
import Resolution
package import Settings
import Text
import Threading

/// The connection to a Flare server that is found by its serial: when it cannot be reached, a resolver is asked where it
/// is by now.
///
/// Each address has a client of its own, so that nothing of the old one is left.
/// - Source: contrib/contract/directory.md, "Finding the server again".
package struct StationLink: Sendable {
    private struct State: Sendable {
        var port: AsyncStream<FlareRequest>.Continuation?
        var isUp = false
        var isClosed = false
        var changes = 0
        var askedAt: ContinuousClock.Instant?
        /// What is waited for; cancelled at the end.
        var waiting: Task<Void, Never>?
        /// Why the server is not found, as last reported.
        var problem: String?
    }

    /// The pause between two questions.
    private static let pause = Duration.seconds(10)

    /// Its name or serial.
    let word: String
    private let remote: TrilateralConfiguration.Remote
    private let store: StateStore
    private let secrets: KnownSecrets
    private let resolver: DirectoryClient
    private let clock: @Sendable () -> Instant
    private let logger: Logger
    private let state = Locked(State())
    /// An element when the link goes down.
    private let losses: AsyncStream<Void>
    private let loss: AsyncStream<Void>.Continuation

    init(
        _ word: String,
        _ remote: TrilateralConfiguration.Remote,
        store: StateStore,
        secrets: KnownSecrets,
        clock: @escaping @Sendable () -> Instant,
        logger: Logger
    ) {
        (self.word, self.remote, self.store, self.secrets) = (word, remote, store, secrets)
        (self.clock, self.logger) = (clock, logger)
        (losses, loss) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        resolver = DirectoryClient(host: remote.resolver.host, port: remote.resolver.port)
    }

    /// How often the directory had another address.
    var changes: Int { state.withLock { $0.changes } }

    /// Sends a request over the link of now; without one it is dropped, since nobody asks while it is down.
    func send(_ request: FlareRequest) { state.withLock { $0.port }?.yield(request) }

    /// No request follows.
    func close() {
        let (port, waiting) = state.withLock { state in
            state.isClosed = true
            return (state.port, state.waiting)
        }
        waiting?.cancel()
        port?.finish()
        loss.finish()
    }

    /// Maintains the link until it is closed or the task is cancelled.
    /// - Parameter report: Called with why the server is not found, as a sentence; `nil` when it is.
    func run(
        emit: @escaping @Sendable (FlareEvent) -> Void,
        report: @escaping @Sendable (String?) -> Void
    ) async {
        let report: @Sendable (String?) -> Void = { problem in
            if tell(problem) { report(problem) }
        }
        // Nothing has failed yet: the stored address may serve.
        var station = await find(isFailure: false, report)
        while !Task.isCancelled, !state.withLock({ $0.isClosed }) {
            if let known = station {
                do {
                    station = try await run(known, emit, report)
                    // It was forgotten, and the directory has just been asked, or the link is closed.
                    if station != nil { continue }
                } catch {
                    report("\(error)")
                }
            }
            await waitForPause()
            guard !Task.isCancelled, !state.withLock({ $0.isClosed }) else { return }
            station = await find(isFailure: false, report)
        }
    }

    /// Logs a problem that is new, and the end of one.
    /// - Returns: Whether it is another one than before.
    private func tell(_ problem: String?) -> Bool {
        let (isNew, last) = state.withLock { state in
            defer { state.problem = problem }
            return (state.problem != problem, state.problem)
        }
        guard isNew else { return false }
        if let problem {
            logger.warning("the Flare server is not found", metadata: ["why": "\(problem)"])
        } else if last != nil {
            logger.notice("the Flare server is found again")
        }
        return true
    }

    /// Runs a client for the station's address until there is another one.
    /// - Returns: The station with its new address; `nil` if it was forgotten, or at the end.
    private func run(
        _ station: RegisteredStation,
        _ emit: @escaping @Sendable (FlareEvent) -> Void,
        _ report: @escaping @Sendable (String?) -> Void
    ) async throws -> RegisteredStation? {
        let client = try FlareClient(FlareClientConfiguration(station, remote), logger: logger)
        let (requests, port) = AsyncStream.makeStream(of: FlareRequest.self)
        let isClosed = state.withLock { state in
            (state.port, state.isUp) = (port, false)
            return state.isClosed
        }
        if isClosed { port.finish() }
        let moved = await withTaskGroup(of: RegisteredStation?.self) { group in
            group.addTask {
                await client.run(requests) { event in
                    follow(event, report)
                    emit(event)
                }
                return nil
            }
            group.addTask { await watch(station, report) }
            // Whichever ends first: the requests, or the address.
            let moved = await group.next() ?? nil
            group.cancelAll()
            return moved
        }
        state.withLock { $0.port = nil }
        port.finish()
        return moved
    }

    private func follow(_ event: FlareEvent, _ report: @Sendable (String?) -> Void) {
        switch event {
        case .linkUp:
            state.withLock { $0.isUp = true }
            report(nil)
        case .linkDown:
            state.withLock { $0.isUp = false }
            loss.yield()
        case .replied, .notice: break
        }
    }

    /// Waits until the station has another address, or was forgotten.
    private func watch(
        _ station: RegisteredStation,
        _ report: @Sendable (String?) -> Void
    ) async -> RegisteredStation? {
        while !Task.isCancelled {
            await waitForPause()
            guard !Task.isCancelled, !state.withLock({ $0.isUp || $0.isClosed }) else { continue }
            let found = await find(isFailure: true, report)
            // A link that is up is never dropped for it.
            guard !state.withLock({ $0.isUp }) else { continue }
            if found?.address != station.address || found?.url != station.url { return found }
        }
        return nil
    }

    /// Waits until the link is down, if it is up, and the pause since the last question is over.
    private func waitForPause() async {
        if state.withLock({ $0.isUp }) {
            for await _ in losses { break }
        }
        guard let askedAt = state.withLock({ $0.askedAt }) else { return }
        // A task of its own, so that closing the link can end it.
        let waiting = Task { _ = try? await Task.sleep(until: askedAt + Self.pause) }
        let isClosed = state.withLock { state in
            state.waiting = waiting
            return state.isClosed
        }
        if isClosed { waiting.cancel() }
        await withTaskCancellationHandler {
            await waiting.value
        } onCancel: {
            waiting.cancel()
        }
    }

    /// The station with the address of now; `nil` if it is not registered.
    /// - Parameter isFailure: Whether it could not be reached: before that, the stored address may serve.
    private func find(
        isFailure: Bool,
        _ report: @Sendable (String?) -> Void
    ) async -> RegisteredStation? {
        state.withLock { $0.askedAt = .now }
        do {
            guard var station = try store.station(word) else {
                report(
                    "No station is called \(word). First set it up: station.announce in its configuration, and a Flare "
                        + "server that others reach. Then: trilateral station add --serial SERIAL --name NAME "
                        + "--password-file FILE"
                )
                return nil
            }
            secrets.add([station])
            let result = await resolver.ask(station.serial)
            if case .found(let address) = result, address != station.address {
                (station.address, station.updated) = (address, clock().timestamp)
                try store.save(station)
                state.withLock { $0.changes += 1 }
                logger.notice("the Flare server has another address", metadata: ["address": "\(address)"])
            } else if isFailure {
                report(problem(result, station))
            }
            return station
        } catch {
            report("\(error)")
            return nil
        }
    }

    /// Why the server is not found, although it was asked for.
    private func problem(_ result: ResolverQuery.Result, _ station: RegisteredStation) -> String {
        switch result {
        case .found:
            "\(station.name) is still at \(station.address): update the station's address, or look whether it is on."
        case .unknown: "\(station.name) is not known: check the serial, and that the station is set up."
        case .noAnswer:
            "\(remote.resolver) did not answer within 3 s: check your connection, or try again later."
        case .unreachable(let reason):
            "\(remote.resolver) cannot be reached: \(reason). Check the address, and that the resolver is on."
        case .badAnswer: "\(remote.resolver) gave an answer that cannot be read."
        }
    }
}

extension FlareClientConfiguration {
    /// The connection to a registered station: its URL gives scheme, port and name, the directory where to connect.
    package init(_ station: RegisteredStation, _ remote: TrilateralConfiguration.Remote) {
        var remote = remote
        remote.url = station.url ?? "http://\(station.address):1234"
        self = Self(remote) ?? Self(host: "\(station.address)", port: 1234)
        address = "\(station.address)"
        // Against a false station only a verified name protects.
        if tls?.verifiesName == true {
            headers.append(Header("Authorization", "Bearer \(station.password.reveal())"))
        }
    }
}
