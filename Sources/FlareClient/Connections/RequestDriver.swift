import Flare
import JSON
import NIOCore
import NIOHTTP1
import Threading

/// What performs the requests of a ``FlareClient``, on its event loop.
protocol RequestDriver: Actor {
    nonisolated var loop: any EventLoop { get }
    nonisolated var endpoint: Endpoint { get }
    var connections: HTTPConnections { get set }
    /// Changes when the connections are closed, so that late results can be ignored.
    var attempt: Int { get }
    var isStopped: Bool { get }
    /// Whether every request is answered.
    var isIdle: Bool { get }
    var idleWaiters: [CheckedContinuation<Void, Never>] { get set }
    /// When ``tick()`` is due.
    var deadline: Int? { get }
    var timer: (due: Int, task: Scheduled<Void>)? { get set }

    func start()
    func request(_ request: FlareRequest)
    func tick()
    func stop() async
}

extension RequestDriver {
    /// Monotonic milliseconds.
    var now: Int { Int(NIODeadline.now().uptimeNanoseconds / 1_000_000) }

    /// Returns when every request so far is answered, or the surrounding task is cancelled.
    func waitUntilIdle() async {
        await withTaskCancellationHandler {
            // Checked inside of the continuation, because other calls may run before it.
            await withCheckedContinuation { waiting in
                guard !isIdle, !Task.isCancelled, !isStopped else { return waiting.resume() }
                idleWaiters.append(waiting)
            }
        } onCancel: {
            // Only wakes the waiting call. Unstructured, because a cancellation handler cannot await.
            Task { await resumeIdle() }
        }
    }

    func resumeIdle() {
        let waiting = idleWaiters
        idleWaiters = []
        for continuation in waiting { continuation.resume() }
    }

    /// Updates the timer and wakes waiting calls; to be called after every event.
    func update() {
        if isIdle { resumeIdle() }
        let due = deadline
        guard due != timer?.due else { return }
        timer?.task.cancel()
        timer = nil
        guard let due, !isStopped else { return }
        let task = loop.scheduleTask(in: .milliseconds(Int64(max(1, due - now)))) {
            self.onExecutor { driver in
                driver.timer = nil
                driver.tick()
            }
        }
        timer = (due, task)
    }

    /// Sends a REST request; nothing follows if the connections are closed before its response.
    func exchange(
        _ request: RESTRequest,
        then: @escaping @Sendable (isolated Self, Result<JSONValue?, FlareLinkError>) -> Void
    ) {
        var httpRequest = HTTPClientRequest(
            method: HTTPMethod(rawValue: request.method.rawValue),
            target: request.path,
            milliseconds: endpoint.configuration.answerMilliseconds,
            maximumAnswerBytes: endpoint.configuration.maximumAnswerBytes
        )
        if let body = request.body {
            httpRequest.body = body.bytes
            httpRequest.contentType = "application/json"
        }
        exchange(httpRequest) { [attempt] driver, result in
            if attempt == driver.attempt { then(driver, driver.json(result, of: request)) }
        }
    }

    private func json(
        _ result: Result<HTTPClientResponse, any Error>,
        of request: RESTRequest
    ) -> Result<JSONValue?, FlareLinkError> {
        switch result {
        case .success(let answer):
            Result { () throws(FlareLinkError) in
                try JSONValue.answer(
                    status: answer.status,
                    location: answer.location,
                    body: answer.body,
                    to: request
                )
            }
        case .failure(HTTPClientError.timedOut(let seconds)): .failure(.timedOut(seconds: seconds))
        case .failure(let error as HTTPClientError):
            switch error {
            case .connectionClosed, .timedOut: .failure(.unreachable(error.description))
            case .tooLarge, .broken: .failure(.rejected(error.description))
            }
        case .failure(let error): .failure(.unreachable(endpoint.message(for: error)))
        }
    }

    /// Sends a request over an idle connection, or a new one.
    func exchange(
        _ request: HTTPClientRequest,
        then: @escaping @Sendable (isolated Self, Result<HTTPClientResponse, any Error>) -> Void
    ) {
        guard let channel = connections.popIdle(now: now) else {
            return exchangeOverNewConnection(request, then: then)
        }
        exchange(request, on: channel) { driver, result in
            // The server closed the idle connection in the meantime.
            if case .failure(HTTPClientError.connectionClosed(hasBegun: false)) = result,
                request.isRepeatable
            {
                return driver.exchangeOverNewConnection(request, then: then)
            }
            then(driver, result)
        }
    }

    private func exchangeOverNewConnection(
        _ request: HTTPClientRequest,
        then: @escaping @Sendable (isolated Self, Result<HTTPClientResponse, any Error>) -> Void
    ) {
        let attempt = attempt
        let authority = endpoint.configuration.authority
        endpoint.connect(on: loop) { try HTTPConnections.initialize($0, authority: authority) }
            .whenComplete { result in
                self.onExecutor { driver in
                    switch result {
                    case .failure(let error): then(driver, .failure(error))
                    case .success(let channel):
                        guard attempt == driver.attempt else {
                            channel.close(promise: nil)
                            return then(driver, .failure(HTTPClientError.connectionClosed(hasBegun: false)))
                        }
                        driver.connections.opened(channel)
                        channel.closeFuture.whenComplete { _ in
                            self.onExecutor { $0.connections.closed(channel) }
                        }
                        driver.exchange(request, on: channel, then: then)
                    }
                }
            }
    }

    private func exchange(
        _ request: HTTPClientRequest,
        on channel: any Channel,
        then: @escaping @Sendable (isolated Self, Result<HTTPClientResponse, any Error>) -> Void
    ) {
        let promise = loop.makePromise(of: HTTPClientResponse.self)
        promise.futureResult.whenComplete { result in
            self.onExecutor { driver in
                if case .success(let answer) = result, answer.keepsAlive {
                    driver.connections.returnIdle(channel, now: driver.now)
                }
                then(driver, result)
            }
        }
        let exchange = HTTPExchange(
            request: request,
            headers: endpoint.configuration.headers,
            promise: promise
        )
        channel.writeAndFlush(exchange).whenFailure { _ in
            promise.fail(HTTPClientError.connectionClosed(hasBegun: false))
        }
    }
}

extension FlareClientConfiguration {
    var answerMilliseconds: Int { max(1, Int(min(answerSeconds, 3600) * 1000)) }
}
