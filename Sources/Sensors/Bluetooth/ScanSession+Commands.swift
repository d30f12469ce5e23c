import SystemPackage

// Commands and their answers.
extension ScanSession {
    private static let patience = 2.0
    private static let lastPatience = 1.0
    private static let resetPause = 600.0

    private enum Status {
        static let success: UInt8 = 0x00
        static let unknownCommand: UInt8 = 0x01
        static let disallowed: UInt8 = 0x0C
        /// What a controller answers that has the commands, but not what they are for.
        static let unsupported: Set<UInt8> = [unknownCommand, 0x11, 0x12]
    }

    var isStopping: Bool {
        if case .commanding(.stop, _) = phase { true } else { false }
    }

    private var setUp: HCICommand { .setScan(isExtended: !isLegacy, isActive: settings.isActive) }
    private func enable(_ isOn: Bool) -> HCICommand { .enableScan(isOn, isExtended: !isLegacy) }

    /// Switches scanning on, or off before that, since parameters cannot be changed while it is on.
    mutating func begin(_ purpose: Purpose) {
        isScriptRepeated = purpose == .refresh
        run(purpose == .refresh ? [enable(false), setUp, enable(true)] : [setUp, enable(true)], purpose)
        if ![.scanning, .deaf].contains(condition.state) { condition.state = .starting }
    }

    /// The gentlest attempt at ending a silence.
    mutating func switchOnAgain() {
        isScriptRepeated = true
        run([enable(true)], .refresh)
    }

    private mutating func run(_ commands: [HCICommand], _ purpose: Purpose) {
        script = commands
        sendNext(purpose)
    }

    private mutating func sendNext(_ purpose: Purpose) {
        guard let command = script.first else { return finished(purpose) }
        let patience = purpose == .stop ? Self.lastPatience : Self.patience
        phase = .commanding(purpose, until: now + patience)
        actions.append(.send(command))
    }

    mutating func answered(_ opcode: UInt16, _ status: UInt8) {
        guard case .commanding(let purpose, _) = phase, let command = script.first, command.opcode == opcode
        else { return }
        let isDisallowed = status == Status.disallowed
        // What is off already cannot be switched off, and what is on already may be all right.
        let isSoAlready = isDisallowed && (command.switchesScan == false || purpose == .refresh)
        if status == Status.success || isSoAlready && command.switchesScan != nil {
            script.removeFirst()
            sendNext(purpose)
        } else if purpose == .stop {
            leave()
        } else if isDisallowed, command.switchesScan == nil, !isScriptRepeated {
            isScriptRepeated = true
            others.foundScanning()
            run([enable(false), setUp, enable(true)], purpose)
        } else if !isLegacy, isDisallowed || Status.unsupported.contains(status) {
            isLegacy = true
            isScriptRepeated = false
            run([setUp, enable(true)], purpose)
        } else {
            giveUp(words.refused(command, status))
        }
    }

    mutating func notAnswered(_ purpose: Purpose) {
        if purpose == .stop { return leave() }
        giveUp(words.noAnswer)
    }

    /// The controller does not do what it is told: perhaps after a reset, perhaps later.
    private mutating func giveUp(_ problem: String) {
        // The first time it may have been busy.
        if failures > 0, resetAdapter() {
            failures += 1
            if condition.state == .scanning { condition.state = .starting }
            condition.problem = problem
        } else {
            waitAfterFailure(problem)
        }
    }

    /// - Returns: Whether it may be reset now.
    mutating func resetAdapter() -> Bool {
        guard settings.mayReset, let adapter, now - lastReset >= Self.resetPause else { return false }
        lastReset = now
        script = []
        phase = .acting
        actions.append(.reset(adapter.index))
        return true
    }

    mutating func wasReset(_ fault: Errno?) {
        // Without the right to reset, all else goes on.
        if fault == nil { condition.resets += 1 }
        others = OtherScanners()
        begin(.start)
    }

    private mutating func finished(_ purpose: Purpose) {
        switch purpose {
        case .stop: leave()
        case .start, .refresh: listen()
        }
    }

    /// Ends scanning, and leaves the adapter as it was found.
    mutating func finish() {
        if isStopping { return }
        // What others want to hear they go on hearing.
        if isOpen, !others.isScanning {
            run([enable(false)], .stop)
        } else {
            leave()
        }
    }

    /// Gives back what was taken.
    mutating func giveBack() {
        close()
        if let index = broughtUp { actions.append(.takeDown(index)) }
        broughtUp = nil
    }

    mutating func leave() {
        giveBack()
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
            // Switched on again meanwhile.
            find()
        }
    }
}
