import SystemPackage

// Commands and their results.
extension ScanSession {
    private static let commandTimeout = 2.0
    private static let stopTimeout = 1.0
    private static let resetPause = 600.0

    private enum Status {
        static let success: UInt8 = 0x00
        static let unknownCommand: UInt8 = 0x01
        static let disallowed: UInt8 = 0x0C
        /// Errors of controllers that have the commands without supporting their function.
        static let unsupported: Set<UInt8> = [unknownCommand, 0x11, 0x12]
    }

    var isStopping: Bool {
        if case .commanding(.stop, _) = phase { true } else { false }
    }

    private var setUp: HCICommand { .setScan(isExtended: !isLegacy, isActive: settings.isActive) }
    private func enable(_ isOn: Bool) -> HCICommand { .enableScan(isOn, isExtended: !isLegacy) }

    /// Starts scanning.
    ///
    /// Switches it off before if it is on, because parameters cannot be changed then.
    mutating func begin(_ purpose: Purpose) {
        isScriptRepeated = purpose == .refresh
        run(purpose == .refresh ? [enable(false), setUp, enable(true)] : [setUp, enable(true)], purpose)
        if ![.scanning, .deaf].contains(condition.state) { condition.state = .starting }
    }

    /// The gentlest attempt to end a silence.
    mutating func enableAgain() {
        isScriptRepeated = true
        run([enable(true)], .refresh)
    }

    private mutating func run(_ commands: [HCICommand], _ purpose: Purpose) {
        script = commands
        sendNext(purpose)
    }

    private mutating func sendNext(_ purpose: Purpose) {
        guard let command = script.first else { return finished(purpose) }
        let timeout = purpose == .stop ? Self.stopTimeout : Self.commandTimeout
        phase = .commanding(purpose, until: now + timeout)
        actions.append(.send(command))
    }

    mutating func handleResult(_ opcode: UInt16, _ status: UInt8) {
        guard case .commanding(let purpose, _) = phase, let command = script.first, command.opcode == opcode
        else { return }
        let isDisallowed = status == Status.disallowed
        // Switching off fails when scanning is off; switching on may fail when it is on.
        let isSoAlready = isDisallowed && (command.switchesScan == false || purpose == .refresh)
        if status == Status.success || isSoAlready && command.switchesScan != nil {
            script.removeFirst()
            sendNext(purpose)
        } else if purpose == .stop {
            finishStop()
        } else if isDisallowed, command.switchesScan == nil, !isScriptRepeated {
            isScriptRepeated = true
            others.foundScanning()
            run([enable(false), setUp, enable(true)], purpose)
        } else if !isLegacy, isDisallowed || Status.unsupported.contains(status) {
            isLegacy = true
            isScriptRepeated = false
            run([setUp, enable(true)], purpose)
        } else {
            fail(messages.refused(command, status))
        }
    }

    mutating func handleTimeout(_ purpose: Purpose) {
        if purpose == .stop { return finishStop() }
        fail(messages.noAnswer)
    }

    /// The controller does not work: resets it, or tries again later.
    private mutating func fail(_ problem: String) {
        // The first time it may just be busy.
        if failures > 0, resetAdapter() {
            failures += 1
            if condition.state == .scanning { condition.state = .starting }
            condition.problem = problem
        } else {
            waitAfterFailure(problem)
        }
    }

    /// - Returns: Whether a reset is permitted now.
    mutating func resetAdapter() -> Bool {
        guard settings.mayReset, let adapter, now - lastReset >= Self.resetPause else { return false }
        lastReset = now
        script = []
        phase = .acting
        actions.append(.reset(adapter.index))
        return true
    }

    mutating func resetFinished(_ error: Errno?) {
        // Without permission to reset, continue all the same.
        if error == nil { condition.resets += 1 }
        others = OtherScanners()
        begin(.start)
    }

    private mutating func finished(_ purpose: Purpose) {
        switch purpose {
        case .stop: finishStop()
        case .start, .refresh: listen()
        }
    }

    /// Stops scanning, and restores the adapter's earlier state.
    mutating func finish() {
        if isStopping { return }
        // Other programs that scan must not be interrupted.
        if isOpen, !others.isScanning {
            run([enable(false)], .stop)
        } else {
            finishStop()
        }
    }

    /// Closes the adapter, and switches it off if it was off before.
    mutating func releaseAdapter() {
        close()
        if let index = broughtUp { actions.append(.takeDown(index)) }
        broughtUp = nil
    }

    mutating func finishStop() {
        releaseAdapter()
        silence = SilenceMonitor()
        others = OtherScanners()
        failures = 0
        phase = .idle
        let (restarts, resets) = (condition.restarts, condition.resets)
        condition = ScanCondition()
        (condition.restarts, condition.resets) = (restarts, resets)
        if isEnding {
            phase = .ended
            actions.append(.end)
        } else if isOn {
            // It was switched on again in the meantime.
            findAdapter()
        }
    }
}
