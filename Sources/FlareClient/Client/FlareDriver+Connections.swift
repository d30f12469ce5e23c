import Logging
import NIOCore
import NIOHTTP1
import NIOWebSocket
import SocketIO
import Threading

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
            self.onExecutor { $0.socketConnected(channel, attempt) }
        } handle: { channel in
            let handler = WebSocketHandler(driver: self, attempt: attempt)
            try channel.pipeline.syncOperations.addHandler(handler)
            self.onExecutor {
                $0.advance(attempt) { $0.socketOpened(now: $1) }
                // The handler is not notified if the channel closed during the handshake.
                if !channel.isActive { $0.socketClosed(.connectionClosed, attempt) }
            }
        }.whenFailure { error in
            let reason = error as? ClientSessionEnd ?? .unreachable("\(error)")
            self.onExecutor { $0.socketClosed(reason, attempt) }
        }
    }

    private func socketConnected(_ channel: any Channel, _ attempt: Int) {
        guard attempt == self.attempt, session != nil else { return channel.close(promise: nil) }
        socket = channel
    }

    func socketReceived(_ frame: EngineFrame, _ attempt: Int) {
        guard attempt == self.attempt, session != nil else { return }
        advance(attempt) { $0.received(frame, now: $1) }
        let pause = meter.pause(now: now)
        guard pause > 0 else { return }
        pauseReading(milliseconds: pause)
        limitReading()
    }

    private func pauseReading(milliseconds: Int) {
        guard !isPaused, let socket else { return }
        isPaused = true
        // The option cannot fail on an open socket, and a closed one does not need it.
        try? socket.syncOptions?.setOption(.autoRead, value: false)
        loop.scheduleTask(in: .milliseconds(Int64(milliseconds))) {
            self.onExecutor { $0.isPaused = false }
            try? socket.syncOptions?.setOption(.autoRead, value: true)
        }
    }

    /// The WebSocket was closed, or could not be opened.
    func socketClosed(_ reason: ClientSessionEnd, _ attempt: Int) {
        guard attempt == self.attempt else { return }
        socket = nil
        advance(attempt) { $0.socketClosed(reason, now: $1) }
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
            self.onExecutor { if $0.attempt == attempt, $0.session != nil { $0.pollNow(query) } }
        }
    }

    private func pollNow(_ query: String) {
        exchange(socketRequest(.GET, query, milliseconds: nil)) { [attempt] driver, result in
            driver.advance(attempt) { $0.polled(driver.answer(result), now: $1) }
        }
    }

    func post(_ query: String, _ body: [UInt8], _ contentType: String) {
        let milliseconds = endpoint.configuration.answerMilliseconds
        exchange(socketRequest(.POST, query, contentType, body, milliseconds: milliseconds)) {
            [attempt] driver, result in
            driver.advance(attempt) { $0.posted(driver.answer(result), now: $1) }
        }
    }

    /// Posts the close packet of the session.
    func postClose(_ query: String, _ body: [UInt8], _ contentType: String) {
        exchange(socketRequest(.POST, query, contentType, body, milliseconds: 1000)) { driver, _ in
            driver.closePosted()
        }
    }

    private func socketRequest(
        _ method: HTTPMethod,
        _ query: String,
        _ contentType: String? = nil,
        _ body: [UInt8] = [],
        milliseconds: Int?
    ) -> HTTPClientRequest {
        HTTPClientRequest(
            method: method,
            target: "\(Self.socketPath)?\(query)",
            contentType: contentType,
            body: body,
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
        exchange(request) { driver, result in
            driver.perform(driver.pipeline.receivedResponse(number, result, now: driver.now))
            driver.update()
        }
    }

    // MARK: Session

    /// Continues the session, unless it is of a later attempt, whose connections are others.
    private func advance(_ attempt: Int, _ change: (inout ClientSession, Int) -> [ClientSession.Action]) {
        guard attempt == self.attempt, var changed = session else { return }
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
