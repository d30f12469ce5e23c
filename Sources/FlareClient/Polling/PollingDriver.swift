import DequeModule
import Flare
import Logging
import NIOCore
import Threading

/// Performs the actions of ``PollingPipeline`` on one event loop.
///
/// Reads over REST. For writes it has a ``FlareDriver`` of its own, connected with the first write and stopped some time
/// after the last one; it subscribes to nothing either. The loop is the executor of both actors.
actor PollingDriver: RequestDriver {
    /// How long a link must last to count as stable, milliseconds.
    private static let steadyMilliseconds = 5000
    /// How long the connection for writes is kept after the last one, milliseconds.
    private static let writerMilliseconds = 30_000
    /// A small request that every Flare server answers: an object that does not exist.
    private static let probe = RESTRequest.get(
        ObjectReference(.environment, FlareID(high: 0, low: 0))
    )

    let loop: any EventLoop
    let endpoint: Endpoint
    private let logger: Logger
    private let emit: @Sendable (FlareEvent) -> Void
    private let chance: @Sendable () -> Double

    private var pipeline: PollingPipeline
    private var backoff: Backoff
    var attempt = 0
    var connections = HTTPConnections()
    private var upSince: Int?
    private var isProbing = false

    private var writer: FlareDriver?
    private var writerIdleAt: Int?
    private var stopping: [Task<Void, Never>] = []

    /// Actions still to perform: performing one may cause others.
    private var waiting: Deque<PollingPipeline.Action> = []
    private var isPerforming = false
    var isStopped = false
    var timer: (due: Int, task: Scheduled<Void>)?
    private var retry: Scheduled<Void>?
    var idleWaiters: [CheckedContinuation<Void, Never>] = []

    var isIdle: Bool { pipeline.isIdle }
    var deadline: Int? { [pipeline.deadline, writerIdleAt].compactMap(\.self).min() }
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.executor.asUnownedSerialExecutor() }

    init(
        _ endpoint: Endpoint,
        on loop: any EventLoop,
        logger: Logger,
        chance: @escaping @Sendable () -> Double,
        emit: @escaping @Sendable (FlareEvent) -> Void
    ) {
        let configuration = endpoint.configuration
        (self.endpoint, self.loop, self.logger) = (endpoint, loop, logger)
        (self.chance, self.emit) = (chance, emit)
        pipeline = PollingPipeline(milliseconds: configuration.pollMilliseconds)
        backoff = Backoff(
            minimumSeconds: configuration.reconnectMinimumSeconds,
            maximumSeconds: configuration.reconnectMaximumSeconds
        )
    }

    // MARK: From outside

    func start() { probe() }

    func request(_ request: FlareRequest) { perform(pipeline.requested(request, now: now)) }

    func stop() async {
        isStopped = true
        timer?.task.cancel()
        retry?.cancel()
        closeConnections()
        stopWriter()
        // Only the replies: the link is not lost.
        for case .emit(.replied(let request, let result)) in pipeline.linkDown(
            reason: "the client is stopping"
        ) {
            emit(.replied(request, result))
        }
        resumeIdle()
        for task in stopping { await task.value }
    }

    // MARK: The link

    /// Finds out whether the server answers.
    private func probe() {
        guard !isStopped, !isProbing else { return }
        isProbing = true
        let attempt = attempt
        if upSince == nil {
            let milliseconds = endpoint.configuration.connectMilliseconds
            loop.scheduleTask(in: .milliseconds(Int64(milliseconds))) {
                self.onExecutor { driver in
                    guard attempt == driver.attempt, driver.isProbing, driver.upSince == nil else { return }
                    driver.lost("no answer within \(Double(milliseconds) / 1000) s")
                }
            }
        }
        exchange(Self.probe) { driver, result in
            driver.isProbing = false
            switch result {
            case .success: driver.answered()
            case .failure(let error): driver.lost(error.reason)
            }
        }
    }

    private func answered() {
        guard upSince == nil else { return }
        upSince = now
        logger.notice(
            "connected to the Flare server",
            metadata: [
                "server": "\(endpoint.configuration.authority)", "transport": "rest",
                "poll_seconds": "\(endpoint.configuration.pollSeconds)",
            ]
        )
        perform(pipeline.linkUp(now: now))
    }

    private func lost(_ reason: String) {
        guard !isStopped else { return }
        closeConnections()
        stopWriter()
        if let since = upSince {
            upSince = nil
            backoff.linkLost(wasSteady: now - since >= Self.steadyMilliseconds)
        }
        let actions = pipeline.linkDown(reason: reason)
        if !actions.isEmpty {
            logger.notice("cannot reach the Flare server", metadata: ["reason": "\(reason)"])
        }
        perform(actions)
        retry?.cancel()
        retry = loop.scheduleTask(in: .init(backoff.next(chance: chance()))) {
            self.onExecutor { $0.probe() }
        }
    }

    private func closeConnections() {
        // Ignore the results of the requests in progress.
        attempt += 1
        isProbing = false
        connections.closeAll()
    }

    // MARK: Actions

    private func perform(_ actions: [PollingPipeline.Action]) {
        waiting.append(contentsOf: actions)
        guard !isPerforming else { return }
        isPerforming = true
        while let action = waiting.popFirst() {
            switch action {
            case .emit(let event): emit(event)
            case .fetch(let request, let number): fetch(request, number)
            case .write(let request): write(request)
            case .probe: probe()
            case .lost(let reason): lost(reason)
            }
        }
        isPerforming = false
        update()
    }

    private func fetch(_ request: RESTRequest, _ number: Int) {
        exchange(request) { driver, result in
            driver.perform(driver.pipeline.receivedResponse(number, result, now: driver.now))
        }
    }

    // MARK: Writes

    private func write(_ request: FlareRequest) {
        writerIdleAt = nil
        let writer = writer ?? makeWriter()
        writer.onExecutor { $0.request(request) }
    }

    private func makeWriter() -> FlareDriver {
        // Its connections come and go with the writes, which are answered if there is none.
        var logger = logger
        logger.logLevel = .warning
        let number = attempt
        let made = FlareDriver(endpoint, on: loop, logger: logger, chance: chance) { [weak self] event in
            self?.onExecutor { $0.written(event, number) }
        }
        writer = made
        made.onExecutor { $0.start() }
        return made
    }

    private func written(_ event: FlareEvent, _ number: Int) {
        guard number == attempt else { return }
        // Before the next action, which may be the next write.
        if case .replied = event { writerIdleAt = now + Self.writerMilliseconds }
        perform(pipeline.received(event, now: now))
    }

    private func stopWriter() {
        writerIdleAt = nil
        guard let stopped = writer else { return }
        writer = nil
        // Unstructured, because the next requests must not wait for the end of the connection; `stop()` does.
        stopping = [
            Task { [stopping] in
                for task in stopping { await task.value }
                await stopped.stop()
            }
        ]
    }

    func tick() {
        if let writerIdleAt, now >= writerIdleAt { stopWriter() }
        perform(pipeline.tick(now: now))
    }
}

extension FlareClientConfiguration {
    fileprivate var pollMilliseconds: Int { Int(min(max(pollSeconds, 0.001), 3600) * 1000) }
}

extension FlareLinkError {
    /// The cause, without the sentence around it.
    fileprivate var reason: String {
        switch self {
        case .unreachable(let reason), .rejected(let reason), .notAllowed(let reason): reason
        case .timedOut, .unknownObject: description
        }
    }
}
