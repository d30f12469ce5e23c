extension ServerSession {
    /// When to call ``tick(now:)``; never after the session has ended.
    package var deadline: Int {
        guard !isEnded else { return .max }
        return min(nextPing ?? patience, probe?.deadline ?? .max)
    }

    /// Handles timeouts, and sends the pings of revision 4.
    package mutating func tick(now: Int) -> [Action] {
        guard !isEnded else { return [] }
        var actions: [Action] = []
        if let probe, now >= probe.deadline {
            self.probe = nil
            actions.append(.closeSocket)
        }
        if let due = nextPing {
            if now >= due {
                nextPing = nil
                patience = now + settings.four.timeout
                post([EnginePacket.Kind.ping.digit], &actions)
            }
        } else if now >= patience {
            finish(.timedOut, &actions)
        }
        settle(&actions)
        return actions
    }

    /// Restarts the timeout: after any packet of revision 3, or a pong of revision 4.
    mutating func restartPatience(_ now: Int) {
        switch revision {
        case .three: patience = now + settings.three.interval + settings.three.timeout
        case .four: nextPing = now + settings.four.interval
        }
    }
}
