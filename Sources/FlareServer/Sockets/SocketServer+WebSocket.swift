import HTTPListener
import SocketIO
import Threading

extension SocketServer: WebSocketGate {
    nonisolated func admission(of request: WebSocketRequest) -> WebSocketAdmission {
        let engine = EngineRequest(target: request.target)
        guard engine.isForEngine else { return .noWebSocket }
        // The identifier of a session is a secret of the client that opened it.
        if engine.session == nil, hub.access.visitor(of: request) == nil { return .unidentified }
        return onExecutor { $0.admission(of: engine) }
    }

    private func admission(of request: EngineRequest) -> WebSocketAdmission {
        guard request.transport == .websocket else { return .refused(.unknownTransport) }
        guard request.revision != nil else { return .refused(.unsupportedRevision) }
        guard let id = request.session else { return isStopping ? .refused(.badRequest) : .accepted }
        guard let connection = connections[id] else { return .refused(.unknownSession) }
        return connection.session.transport == .polling && connection.socket == nil
            ? .accepted : .refused(.badRequest)
    }

    nonisolated func opened(_ socket: WebSocket, _ request: WebSocketRequest) -> any WebSocketListener {
        let visitor = hub.access.visitor(of: request)
        return onExecutor { $0.opened(socket, EngineRequest(target: request.target), visitor) }
    }

    private func opened(
        _ socket: WebSocket,
        _ request: EngineRequest,
        _ visitor: FlareVisitor?
    ) -> SocketReceiver {
        if let id = request.session {
            // Another WebSocket may have opened since this one was admitted.
            guard let connection = connections[id], connection.socket == nil else {
                socket.close(.normal)
                return SocketReceiver(server: self, session: id, number: 0)
            }
            connection.socket = socket
            connection.socketNumber += 1
            perform(connection.session.socketOpened(now: Self.now), connection)
            return SocketReceiver(server: self, session: id, number: connection.socketNumber)
        }
        // A token may have ended since the handshake was admitted.
        guard let visitor,
            let (connection, actions) = openSession(
                request.revision ?? .three,
                .websocket,
                form: .text,
                by: visitor
            )
        else {
            socket.close(.goingAway)
            return SocketReceiver(server: self, session: "", number: 0)
        }
        connection.socket = socket
        connection.socketNumber = 1
        perform(actions, connection)
        return SocketReceiver(server: self, session: connection.session.id, number: 1)
    }

    fileprivate func received(_ message: WebSocketMessage, session: String, number: Int) {
        guard let connection = connections[session], connection.socketNumber == number,
            connection.socket != nil
        else { return }
        guard isStillKnown(connection) else { return }
        let frame: EngineFrame =
            switch message {
            case .text(let bytes): .text(bytes)
            case .binary(let bytes): .binary(bytes)
            }
        perform(connection.session.received(frame, now: Self.now), connection)
    }

    fileprivate func closed(session: String, number: Int) {
        guard let connection = connections[session], connection.socketNumber == number,
            connection.socket != nil
        else { return }
        connection.socket = nil
        perform(connection.session.socketClosed(now: Self.now), connection)
    }
}

/// Receives the messages of a WebSocket for the server.
private final class SocketReceiver: WebSocketListener, Sendable {
    let server: SocketServer
    let session: String
    let number: Int

    init(server: SocketServer, session: String, number: Int) {
        self.server = server
        self.session = session
        self.number = number
    }

    func received(_ message: WebSocketMessage) {
        server.onExecutor { $0.received(message, session: session, number: number) }
    }

    func closed() {
        server.onExecutor { $0.closed(session: session, number: number) }
    }
}

extension FlareAccess {
    fileprivate func visitor(of request: WebSocketRequest) -> FlareVisitor? {
        visitor(
            authorization: request.authorization,
            target: request.target,
            peer: request.peer,
            isForwarded: request.isForwarded
        )
    }
}

extension WebSocketAdmission {
    fileprivate static let unidentified = WebSocketAdmission.refused(
        status: 401,
        contentType: "text/plain; charset=utf-8",
        text: "a valid token is needed here\n"
    )

    fileprivate static func refused(_ error: EngineHTTPError) -> WebSocketAdmission {
        .refused(
            status: 400,
            contentType: EngineHTTPError.contentType,
            text: String(decoding: error.json, as: UTF8.self)
        )
    }
}
