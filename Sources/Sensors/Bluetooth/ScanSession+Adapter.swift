import Glibc
import Positioning
import SystemPackage

// Finding and losing an adapter.
extension ScanSession {
    private static let longRetry = 60.0
    private static let shortRetry = 10.0
    private static let unsettledRetry = 2.0

    mutating func findAdapter() {
        guard isOn else { return }
        phase = .acting
        actions.append(.list)
    }

    /// Waits for an event, or for the next attempt.
    private mutating func wait(_ problem: String?, retry: Double?) {
        close()
        condition.state = problem == nil ? .absent : .waiting
        condition.problem = problem
        phase = .waiting(retry: retry.map { now + $0 })
    }

    /// Waits after a failure that the user cannot resolve, with growing intervals.
    mutating func waitAfterFailure(_ problem: String) {
        failures += 1
        wait(problem, retry: min(pow(2, Double(failures)), Self.longRetry))
    }

    mutating func close() {
        if isOpen { actions.append(.close) }
        isOpen = false
        script = []
    }

    mutating func cannotList(_ error: Errno) {
        if [EAFNOSUPPORT, EPROTONOSUPPORT].contains(error.rawValue) {
            adapter = nil
            wait(settings.adapter == .automatic ? nil : messages.noBluetooth, retry: Self.longRetry)
        } else {
            waitAfterFailure(messages.cannotList(error))
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
            // It was present before, or the configuration names it.
            let isMissed = adapter != nil || settings.adapter != .automatic
            // The address of an adapter that was just plugged in may be unknown yet.
            let retry = adapters.contains { $0.address.bits == 0 } ? Self.unsettledRetry : nil
            return wait(isMissed ? messages.noAdapter(among: adapters) : nil, retry: retry)
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
            wait(messages.switchedOff, retry: nil)
        } else {
            actions.append(.bringUp(chosen.index))
        }
    }

    mutating func broughtUp(_ error: Errno?) {
        guard let adapter else { return }
        // EALREADY: the kernel switches a new adapter on for a moment, and then off again unless somebody
        // uses it.
        let isOurs = error == nil || error?.rawValue == EALREADY
        if isOurs { broughtUp = adapter.index }
        guard phase == .acting else { return releaseAdapter() }
        switch error?.rawValue {
        case nil, EALREADY: actions.append(.open(adapter.index))
        case EPERM, EACCES: wait(messages.mayNotSwitchOn, retry: Self.longRetry)
        case ERFKILL: wait(messages.blocked, retry: Self.shortRetry)
        case ENODEV: wait(messages.noAdapter(among: []), retry: Self.shortRetry)
        case let code?: waitAfterFailure(messages.cannotSwitchOn(Errno(rawValue: code)))
        }
    }

    mutating func opened(_ error: Errno?) {
        if error == nil { isOpen = true }
        guard phase == .acting else { return releaseAdapter() }
        switch error?.rawValue {
        case nil:
            isLegacy = false
            begin(.start)
        case EPERM, EACCES: wait(messages.mayNotScan, retry: Self.longRetry)
        case ENODEV: wait(messages.noAdapter(among: []), retry: Self.shortRetry)
        case let code?: waitAfterFailure(messages.cannotOpen(Errno(rawValue: code)))
        }
    }

    /// The socket failed: the adapter was switched off or removed, or writing is not permitted.
    mutating func failed(_ error: Errno) {
        guard isOpen else { return }
        if isStopping { return finishStop() }
        switch error.rawValue {
        case EPERM, EACCES: wait(messages.mayNotScan, retry: Self.longRetry)
        case ENETDOWN: adapterWentDown()
        case ENODEV, EPIPE, ENXIO, EBADFD: adapterRemoved()
        default: waitAfterFailure(messages.socketFailed(error))
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
            isStopping ? finishStop() : adapterWentDown()
        case .pulledOut:
            if broughtUp == index { broughtUp = nil }
            guard index == adapter?.index, isOpen else { return }
            isStopping ? finishStop() : adapterRemoved()
        case .pluggedIn, .up:
            if case .waiting = phase { findAdapter() }
        }
    }

    private mutating func adapterWentDown() {
        guard let adapter else { return }
        if broughtUp == adapter.index {
            // No other program uses it, so none will switch it on again.
            broughtUp = nil
            wait(messages.switchedOffOurs, retry: Self.shortRetry)
        } else {
            switchedOff = adapter.index
            wait(messages.switchedOff, retry: nil)
        }
    }

    private mutating func adapterRemoved() {
        broughtUp = nil
        close()
        findAdapter()
    }
}
