// Listening: silence, and what others do.
extension ScanSession {
    mutating func listen() {
        phase = .listening
        others.settled()
        condition.isExtended = !isLegacy
        if condition.state == .deaf {
            silence.goOn(at: now)
        } else {
            condition.state = .scanning
            condition.problem = nil
            if silence.next == .infinity { silence.heard(at: now) } else { silence.goOn(at: now) }
        }
    }

    mutating func heard() {
        silence.heard(at: now)
        guard phase == .listening else { return }
        failures = 0
        guard condition.state == .deaf else { return }
        condition.state = .scanning
        condition.problem = nil
    }

    /// Something is due while listening.
    mutating func watch() {
        if let next = others.next, next <= now {
            condition.restarts += 1
            begin(others.isScanning ? .refresh : .start)
        } else {
            overcomeSilence()
        }
    }

    private mutating func overcomeSilence() {
        let seconds = Int(now - silence.since)
        condition.restarts += 1
        switch silence.step(at: now) {
        case .enable: switchOnAgain()
        case .restart: begin(.refresh)
        case .reset:
            condition.state = .deaf
            if condition.problem == nil { condition.problem = words.deaf(seconds) }
            if !resetAdapter() { begin(.refresh) }
        }
    }
}
