import Glibc
import Positioning
import SystemPackage

// Finding an adapter, and losing it.
extension ScanSession {
    private static let longRetry = 60.0
    private static let shortRetry = 10.0
    private static let unsettledRetry = 2.0

    mutating func find() {
        guard isOn else { return }
        phase = .acting
        actions.append(.list)
    }

    /// Nothing can be done until something happens, or the time has come.
    private mutating func wait(_ problem: String?, retry: Double?) {
        close()
        condition.state = problem == nil ? .absent : .waiting
        condition.problem = problem
        phase = .waiting(retry: retry.map { now + $0 })
    }

    /// The same after a failure without a reason that a person could mend; later and later.
    mutating func waitAfterFailure(_ problem: String) {
        failures += 1
        wait(problem, retry: min(pow(2, Double(failures)), Self.longRetry))
    }

    mutating func close() {
        if isOpen { actions.append(.close) }
        isOpen = false
        script = []
    }

    mutating func cannotList(_ fault: Errno) {
        if [EAFNOSUPPORT, EPROTONOSUPPORT].contains(fault.rawValue) {
            adapter = nil
            wait(settings.adapter == .automatic ? nil : words.noBluetooth, retry: Self.longRetry)
        } else {
            waitAfterFailure(words.cannotList(fault))
        }
    }

    mutating func choose(from adapters: [AdapterInfo]) {
        let able = adapters.filter(\.isLowEnergy)
        let chosen =
            switch settings.adapter {
            case .automatic: able.first(where: \.isUp) ?? able.first
            case .index(let index): adapters.first { $0.index == index }
            case .address(let address): adapters.first { $0.address.bits == address.bits }
            case .off: nil as AdapterInfo?
            }
        guard let chosen else {
            // It was there a moment ago, or was asked for by name.
            let isMissed = adapter != nil || settings.adapter != .automatic
            // One that was just plugged in may not know its address yet.
            let retry = adapters.contains { $0.address.bits == 0 } ? Self.unsettledRetry : nil
            return wait(isMissed ? words.noAdapter(among: adapters) : nil, retry: retry)
        }
        if chosen.index != adapter?.index {
            failures = 0
            others = OtherScanners()
        }
        adapter = chosen
        condition.adapter = chosen.name
        condition.address = chosen.address
        if [.off, .absent].contains(condition.state) { condition.state = .starting }
        if chosen.isUp {
            switchedOff = nil
            actions.append(.open(chosen.index))
        } else if switchedOff == chosen.index {
            wait(words.switchedOff, retry: nil)
        } else {
            actions.append(.bringUp(chosen.index))
        }
    }

    mutating func broughtUp(_ fault: Errno?) {
        guard let adapter else { return }
        // It is on already just after it was plugged in, but would be switched off in a moment.
        let isOurs = fault == nil || fault?.rawValue == EALREADY
        if isOurs { broughtUp = adapter.index }
        guard phase == .acting else { return giveBack() }
        switch fault?.rawValue {
        case nil, EALREADY: actions.append(.open(adapter.index))
        case EPERM, EACCES: wait(words.mayNotSwitchOn, retry: Self.longRetry)
        case ERFKILL: wait(words.blocked, retry: Self.shortRetry)
        case ENODEV: wait(words.noAdapter(among: []), retry: Self.shortRetry)
        case let code?: waitAfterFailure(words.cannotSwitchOn(Errno(rawValue: code)))
        }
    }

    mutating func opened(_ fault: Errno?) {
        if fault == nil { isOpen = true }
        guard phase == .acting else { return giveBack() }
        switch fault?.rawValue {
        case nil:
            isLegacy = false
            begin(.start)
        case EPERM, EACCES: wait(words.mayNotScan, retry: Self.longRetry)
        case ENODEV: wait(words.noAdapter(among: []), retry: Self.shortRetry)
        case let code?: waitAfterFailure(words.cannotOpen(Errno(rawValue: code)))
        }
    }

    /// The socket failed: the adapter was switched off or pulled out, or we have no right to write.
    mutating func failed(_ fault: Errno) {
        guard isOpen else { return }
        if isStopping { return leave() }
        switch fault.rawValue {
        case EPERM, EACCES: wait(words.mayNotScan, retry: Self.longRetry)
        case ENETDOWN: wentDown()
        case ENODEV, EPIPE, ENXIO, EBADFD: wentAway()
        default: waitAfterFailure(words.socketFailed(fault))
        }
    }

    mutating func adapterChanged(_ index: Int, _ change: AdapterChange) {
        if index == switchedOff, change != .down { switchedOff = nil }
        switch change {
        case .down:
            guard index == adapter?.index, isOpen else {
                if broughtUp == index { broughtUp = nil }
                return
            }
            isStopping ? leave() : wentDown()
        case .pulledOut:
            if broughtUp == index { broughtUp = nil }
            guard index == adapter?.index, isOpen else { return }
            isStopping ? leave() : wentAway()
        case .pluggedIn, .up:
            if case .waiting = phase { find() }
        }
    }

    private mutating func wentDown() {
        guard let adapter else { return }
        if broughtUp == adapter.index {
            // Nobody else cares for it, so nobody else will switch it on again.
            broughtUp = nil
            wait(words.switchedOffOurs, retry: Self.shortRetry)
        } else {
            switchedOff = adapter.index
            wait(words.switchedOff, retry: nil)
        }
    }

    private mutating func wentAway() {
        broughtUp = nil
        close()
        find()
    }
}
