import JSON

/// A client's end of one connection: it waits for the greeting, asks for one serial, and takes the first entry that
/// matches.
/// - Source: contrib/contract/directory.md, "The client".
package struct ResolverQuery: DirectoryExchange {
    package enum Result: Sendable, Hashable {
        case found(StationAddress)
        /// The resolver does not know the serial.
        case unknown
        /// No connection, no greeting or no reply in time.
        case noAnswer
        /// There was no connection, and why: `the connection was refused`.
        case unreachable(String)
        /// What it said is no answer, or one for another serial.
        case badAnswer
    }

    private enum Phase: Sendable, Hashable {
        case greeting, reply, ended
    }

    /// How long to wait for the greeting, and then for the reply, milliseconds.
    package static let patience: Int64 = 3000

    private let serial: StationSerial
    private var phase = Phase.greeting
    private var buffer = MessageBuffer()
    /// When to call ``tick(now:)``.
    package private(set) var deadline: Int64

    /// - Parameter now: The moment at which the connection is attempted.
    package init(_ serial: StationSerial, now: Int64) {
        (self.serial, deadline) = (serial, now + Self.patience)
    }

    package mutating func received(_ bytes: [UInt8], now: Int64) -> [DirectoryAction<Result>] {
        guard phase != .ended else { return [] }
        var step = buffer.append(bytes)
        var actions: [DirectoryAction<Result>] = []
        while case .complete(let message) = step {
            switch phase {
            case .greeting:
                guard Self.isGreeting(message) else { return actions + end(.badAnswer) }
                (phase, deadline) = (.reply, now + Self.patience)
                actions.append(.send(DirectoryMessage.request([serial.text])))
            case .reply: return actions + end(result(of: message))
            case .ended: return actions
            }
            step = buffer.next()
        }
        if case .refused = step { return actions + end(.badAnswer) }
        return actions
    }

    /// The connection could not be made, or has ended.
    package mutating func closed() -> [DirectoryAction<Result>] {
        end(buffer.isEmpty ? .noAnswer : .badAnswer)
    }

    package mutating func tick(now: Int64) -> [DirectoryAction<Result>] {
        now >= deadline ? end(.noAnswer) : []
    }

    private mutating func end(_ result: Result) -> [DirectoryAction<Result>] {
        guard phase != .ended else { return [] }
        phase = .ended
        return [.end(result)]
    }

    static func isGreeting(_ message: [UInt8]) -> Bool {
        DirectoryMessage.value(message)?["DDNSConnected"]?.array?.first?["Connected"] == .bool(true)
    }

    private func result(of message: [UInt8]) -> Result {
        guard let entries = DirectoryMessage.value(message)?["HRHomeStationReply"]?.array else {
            return .badAnswer
        }
        let entry = entries.first { $0["StationDID"]?.string.flatMap { StationSerial($0) } == serial }
        guard let entry else { return .badAnswer }
        switch entry["StationIP"] {
        case nil, .null?: return .unknown
        case .string(let text)?: return StationAddress(text).map { .found($0) } ?? .badAnswer
        default: return .badAnswer
        }
    }
}
