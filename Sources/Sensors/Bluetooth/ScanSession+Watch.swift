// Listening: silence, and other scanners.
extension ScanSession {
    mutating func listen() {
        phase = .listening
        others.scanningRestarted()
        condition.isExtended = !isLegacy
        if condition.state == .deaf {
            silence.resume(at: now)
        } else {
            condition.state = .scanning
            condition.problem = nil
            if silence.next == .infinity { silence.reportReceived(at: now) } else { silence.resume(at: now) }
        }
    }

    mutating func reportReceived() {
        silence.reportReceived(at: now)
        guard phase == .listening else { return }
        failures = 0
        guard condition.state == .deaf else { return }
        condition.state = .scanning
        condition.problem = nil
    }

    /// Handles a deadline while listening.
    mutating func checkListening() {
        if let next = others.next, next <= now {
            condition.restarts += 1
            begin(others.isScanning ? .refresh : .start)
        } else {
            handleSilence()
        }
    }

    private mutating func handleSilence() {
        let seconds = Int(now - silence.since)
        condition.restarts += 1
        switch silence.step(at: now) {
        case .enable: enableAgain()
        case .restart: begin(.refresh)
        case .reset:
            condition.state = .deaf
            if condition.problem == nil { condition.problem = messages.deaf(seconds) }
            if !resetAdapter() { begin(.refresh) }
        }
    }
}
