import HTTPListener
import NIOCore

/// Sends back what it gets at `/echo`, has an own refusal at `/refused`, and is nowhere else.
struct EchoGate: WebSocketGate {
    /// Outbound of each WebSocket that is over.
    var closings: AsyncStream<Void>.Continuation?

    func admission(of request: WebSocketRequest) -> WebSocketAdmission {
        switch request.target {
        case "/echo": .accepted
        case "/refused": .refused(status: 418, contentType: "text/teapot", text: "short and stout")
        default: .noWebSocket
        }
    }

    func opened(_ socket: WebSocket, _ request: WebSocketRequest) -> any WebSocketListener {
        socket.write(WebSocketMessage.text(Array("welcome".utf8)).framed)
        socket.flush()
        return Echo(socket: socket, closings: closings)
    }

    private final class Echo: WebSocketListener {
        private let socket: WebSocket
        private let closings: AsyncStream<Void>.Continuation?

        init(socket: WebSocket, closings: AsyncStream<Void>.Continuation?) {
            self.socket = socket
            self.closings = closings
        }

        func received(_ message: WebSocketMessage) {
            switch message {
            case .text(Array("leave".utf8)):
                socket.close(.normal)
            case .text(Array("flood".utf8)):
                let frame = WebSocketMessage.binary([UInt8](repeating: 7, count: 1 << 20)).framed
                for _ in 0..<64 { socket.write(frame) }
                socket.flush()
            default:
                socket.write(message.framed)
                socket.flush()
            }
        }

        func closed() {
            closings?.yield()
        }
    }
}
