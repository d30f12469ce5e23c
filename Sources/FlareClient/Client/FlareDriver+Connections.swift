import Flare
import Logging
import NIOCore
import NIOHTTP1
import NIOWebSocket
import SocketIO

// Input and output of the connections.
extension FlareDriver {
    private static let socketPath = "/socket.io/"

    // MARK: WebSocket

    func openSocket(_ query: String) {
        let opening = WebSocketOpening(
            endpoint: endpoint,
            target: "\(Self.socketPath)?\(query)",
            maximumMessageBytes: endpoint.configuration.sessionSettings.limits.maximumPacketBytes
        )
        let attempt = attempt
        opening.open(on: loop) { channel in
            self.assumeIsolated { $0.socketConnected(channel, attempt) }
        } handle: { channel in
            let handler = WebSocketHandler(driver: self, attempt: attempt)
            try channel.pipeline.syncOperations.addHandler(handler)
            self.assumeIsolated {
                $0.socketOpened(attempt)
                // The handler is not notified if the channel closed during the handshake.
                if !channel.isActive { $0.socketClosed(attempt) }
            }
        }.whenFailure { error in
            let reason = error as? ClientSessionEnd ?? .unreachable("\(error)")
            self.assumeIsolated { $0.socketFailed(reason, attempt) }
        }
    }

    private func socketConnected(_ channel: any Channel, _ attempt: Int) {
        guard attempt == self.attempt, session != nil else { return channel.close(promise: nil) }
        socket = channel
    }

    private func socketOpened(_ attempt: Int) {
        guard attempt == self.attempt else { return }
        advance { $0.socketOpened(now: $1) }
    }

    private func socketFailed(_ reason: ClientSessionEnd, _ attempt: Int) {
        guard attempt == self.attempt else { return }
        socket = nil
        advance { $0.socketFailed(reason, now: $1) }
    }

    func socketReceived(_ frame: EngineFrame, _ attempt: Int) {
        guard attempt == self.attempt, session != nil else { return }
        advance { $0.received(frame, now: $1) }
        let pause = meter.pause(now: now)
        guard pause > 0 else { return }
        socket?.triggerUserOutboundEvent(WebSocketHandler.PauseReading(milliseconds: pause), promise: nil)
        limitReading()
    }

    func socketClosed(_ attempt: Int) {
        guard attempt == self.attempt else { return }
        socket = nil
        advance { $0.socketClosed(now: $1) }
    }

    func send(_ frame: EngineFrame) {
        guard let socket else { return }
        unwritten = socket.isWritable ? 0 : unwritten + 1
        guard unwritten <= Self.maximumUnwritten else { return end(.tooMuchWaiting) }
        let (opcode, bytes): (WebSocketOpcode, [UInt8]) =
            switch frame {
            case .text(let bytes): (.text, bytes)
            case .binary(let bytes): (.binary, bytes)
            }
        socket.writeAndFlush(
            WebSocketFrame(fin: true, opcode: opcode, maskKey: .random(), data: ByteBuffer(bytes: bytes)),
            promise: nil
        )
    }

    // MARK: Polling

    func poll(_ query: String) {
        let pause = meter.pause(now: now)
        guard pause > 0 else { return pollNow(query) }
        limitReading()
        let attempt = attempt
        loop.scheduleTask(in: .milliseconds(Int64(pause))) {
            self.assumeIsolated { if $0.attempt == attempt, $0.session != nil { $0.pollNow(query) } }
        }
    }

    private func pollNow(_ query: String) {
        let attempt = attempt
        exchange(socketRequest(.GET, query, milliseconds: nil)) { driver, result in
            guard attempt == driver.attempt else { return }
            driver.advance { $0.polled(driver.answer(result), now: $1) }
        }
    }

    func post(_ query: String, _ body: [UInt8], _ contentType: String) {
        let attempt = attempt
        var request = socketRequest(.POST, query, milliseconds: endpoint.configuration.answerMilliseconds)
        request.body = body
        request.contentType = contentType
        exchange(request) { driver, result in
            guard attempt == driver.attempt else { return }
            driver.advance { $0.posted(driver.answer(result), now: $1) }
        }
    }

    /// Posts the close packet of the session.
    func postClose(_ query: String, _ body: [UInt8], _ contentType: String) {
        var request = socketRequest(.POST, query, milliseconds: 1000)
        request.body = body
        request.contentType = contentType
        exchange(request) { driver, _ in driver.closePosted() }
    }

    private func socketRequest(_ method: HTTPMethod, _ query: String, milliseconds: Int?) -> HTTPClientRequest
    {
        HTTPClientRequest(
            method: method,
            target: "\(Self.socketPath)?\(query)",
            milliseconds: milliseconds,
            maximumAnswerBytes: endpoint.configuration.sessionSettings.limits.maximumBodyBytes
        )
    }

    private func answer(_ result: Result<HTTPClientResponse, any Error>) -> ClientSession.Answer {
        switch result {
        case .success(let answer):
            .success((status: answer.status, contentType: answer.contentType, body: answer.body))
        case .failure(let error as HTTPClientError):
            switch error {
            case .connectionClosed: .failure(.connectionClosed)
            case .timedOut(let seconds):
                .failure(.timedOut(waitingFor: "answer", milliseconds: Int(seconds * 1000)))
            case .tooLarge, .broken: .failure(.malformed("\(error)"))
            }
        case .failure(let error): .failure(.unreachable(endpoint.message(for: error)))
        }
    }

    // MARK: REST

    func fetch(_ request: RESTRequest, _ number: Int) {
        let attempt = attempt
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
        exchange(httpRequest) { driver, result in
            guard attempt == driver.attempt else { return }
            let result = driver.json(result, of: request)
            driver.perform(driver.pipeline.receivedResponse(number, result, now: driver.now))
            driver.update()
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

    // MARK: HTTP

    private typealias Completion =
        @Sendable (isolated FlareDriver, Result<HTTPClientResponse, any Error>) -> Void

    /// Sends a request over an idle connection, or a new one.
    private func exchange(_ request: HTTPClientRequest, then: @escaping Completion) {
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

    private func exchangeOverNewConnection(_ request: HTTPClientRequest, then: @escaping Completion) {
        let attempt = attempt
        let authority = endpoint.configuration.authority
        endpoint.connect(on: loop) { try HTTPConnections.initialize($0, authority: authority) }
            .whenComplete { result in
                self.assumeIsolated { driver in
                    switch result {
                    case .failure(let error): then(driver, .failure(error))
                    case .success(let channel):
                        guard attempt == driver.attempt else {
                            channel.close(promise: nil)
                            return then(driver, .failure(HTTPClientError.connectionClosed(hasBegun: false)))
                        }
                        driver.connections.opened(channel)
                        channel.closeFuture.whenComplete { _ in
                            self.assumeIsolated { $0.connections.closed(channel) }
                        }
                        driver.exchange(request, on: channel, then: then)
                    }
                }
            }
    }

    private func exchange(_ request: HTTPClientRequest, on channel: any Channel, then: @escaping Completion) {
        let promise = loop.makePromise(of: HTTPClientResponse.self)
        promise.futureResult.whenComplete { result in
            self.assumeIsolated { driver in
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

    // MARK: Session

    private func advance(_ change: (inout ClientSession, Int) -> [ClientSession.Action]) {
        guard var changed = session else { return }
        let actions = change(&changed, now)
        session = changed
        perform(actions)
        update()
    }

    private func limitReading() {
        if !isLimited {
            isLimited = true
            logger.warning("the Flare server sends too many messages; reading is slowed down")
        }
        guard meter.isFlooded(now: now) else { return }
        end(.malformed("it keeps sending too many messages"))
    }

    private func end(_ reason: ClientSessionEnd) {
        ended(reason)
        update()
    }
}

extension FlareClientConfiguration {
    fileprivate var answerMilliseconds: Int { max(1, Int(min(answerSeconds, 3600) * 1000)) }
}
