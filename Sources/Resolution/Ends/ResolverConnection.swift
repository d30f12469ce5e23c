/// The resolver's end of one connection: greeting, one message, one answer.
///
/// Events go in, actions come out. Times are milliseconds of the steady clock.
/// - Source: contrib/contract/directory.md, "On the wire".
package struct ResolverConnection: Sendable {
    package enum Action: Sendable, Hashable {
        case send([UInt8])
        /// Look these up; call ``answered(_:)``.
        case lookUp([DirectoryCall.Name])
        /// Check and store it; call ``stored(_:)`` or ``refuse(_:)``.
        case update(DirectoryCall.Update)
        /// Close the own side, after everything was sent; what comes in is dropped until the peer closes or time is up.
        case closeWriting
        case close
        /// Count it, before the connection closes.
        case refused(DirectoryRefusal)
    }

    private enum Phase: Sendable, Hashable {
        case reading, working, closing, closed
    }

    /// How long a peer may send nothing, how long it may take for its message, and how long input is dropped at the end.
    private static let silence: Int64 = 3000
    private static let patience: Int64 = 10_000
    private static let lingering: Int64 = 1000

    private let acknowledges: Bool
    private var phase = Phase.reading
    private var buffer = MessageBuffer()
    private var heardAt: Int64
    private let endsAt: Int64
    private var closesAt: Int64?
    private var hasPeerClosed = false

    /// - Parameter acknowledges: Whether updates are answered (`resolver.ack`).
    package init(acknowledges: Bool, now: Int64) {
        (self.acknowledges, heardAt, endsAt) = (acknowledges, now, now + Self.patience)
    }

    /// The first thing to do.
    package var opening: [Action] { [.send(DirectoryMessage.greeting)] }

    /// When something was last heard; for choosing the longest silent connection.
    package var silentSince: Int64 { heardAt }

    /// When to call ``tick(now:)``; `nil` for never.
    package var deadline: Int64? {
        switch phase {
        case .reading: min(heardAt + Self.silence, endsAt)
        case .closing: closesAt
        case .working, .closed: nil
        }
    }

    package mutating func received(_ bytes: some Collection<UInt8>, now: Int64) -> [Action] {
        guard phase == .reading, !bytes.isEmpty else { return [] }
        heardAt = now
        switch buffer.append(bytes) {
        case .incomplete: return []
        case .refused(let refusal): return refuse(refusal, now: now)
        case .complete(let message):
            do throws(DirectoryRefusal) {
                let call = try DirectoryCall(message)
                phase = .working
                switch call {
                case .request(let names): return [.lookUp(names)]
                case .update(let update): return [.update(update)]
                }
            } catch {
                return refuse(error, now: now)
            }
        }
    }

    /// The peer sends nothing more.
    package mutating func peerClosed() -> [Action] {
        hasPeerClosed = true
        switch phase {
        case .reading:
            phase = .closed
            return buffer.isEmpty ? [.close] : [.refused(.incomplete), .close]
        // It may still read.
        case .working: return []
        case .closing:
            phase = .closed
            return [.close]
        case .closed: return []
        }
    }

    /// The names were looked up.
    package mutating func answered(
        _ entries: [(serial: String, address: StationAddress?)],
        now: Int64
    ) -> [Action] {
        guard phase == .working else { return [] }
        return [.send(DirectoryMessage.reply(entries))] + end(now: now)
    }

    /// The update is in the database.
    package mutating func stored(_ update: DirectoryCall.Update, _ address: StationAddress, now: Int64)
        -> [Action]
    {
        guard phase == .working else { return [] }
        let answer: [Action] =
            acknowledges ? [.send(DirectoryMessage.acknowledgement(update.sentSerial, address))] : []
        return answer + end(now: now)
    }

    /// The message is refused, or the connection is one too many.
    package mutating func refuse(_ refusal: DirectoryRefusal, now: Int64) -> [Action] {
        guard phase == .reading || phase == .working else { return [] }
        return [.refused(refusal)] + end(now: now)
    }

    package mutating func tick(now: Int64) -> [Action] {
        switch phase {
        case .reading:
            guard let deadline, now >= deadline else { return [] }
            phase = .closed
            return [.refused(.tooSlow), .close]
        case .closing:
            guard let closesAt, now >= closesAt else { return [] }
            phase = .closed
            return [.close]
        case .working, .closed: return []
        }
    }

    /// Closing at once would reset the connection, and the peer might lose what was sent.
    private mutating func end(now: Int64) -> [Action] {
        guard !hasPeerClosed else {
            phase = .closed
            return [.closeWriting, .close]
        }
        (phase, closesAt) = (.closing, now + Self.lingering)
        return [.closeWriting]
    }
}
