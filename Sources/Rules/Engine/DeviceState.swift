/// What the trigger of a thing's connection knows.
/// - Source: contrib/contract/rules.md, "State and places", devices.
struct DeviceState: Sendable, Hashable {
    private var isOnline: Bool?
    private var address: String?
    private var newAddress: String?
    /// When it went offline, milliseconds of the steady clock.
    private var offlineSince: Int64?
    /// Whether it was offline for long enough, and its return is not told yet.
    private var hasLossLasted = false
    /// When its condition has lasted long enough, milliseconds of the steady clock.
    private(set) var due: Int64?
    /// Whether its connection is as it was when the rule began.
    private(set) var isStanding = true

    init(isOnline: Bool? = nil, address: String? = nil, at now: Int64) {
        (self.isOnline, self.address) = (isOnline, address)
        if isOnline == false { offlineSince = now }
    }

    var isKnown: Bool { isOnline != nil }

    /// - Returns: Whether the trigger is met at once.
    mutating func update(isOnline: Bool, _ trigger: DeviceTrigger, at now: Int64) -> Bool {
        let before = self.isOnline
        guard before != isOnline else { return false }
        self.isOnline = isOnline
        let isEdge = before != nil
        if isEdge { isStanding = false }
        switch trigger.event {
        case .addressChanged: return false
        case .connected: return isOnline && isEdge ? wait(trigger, from: now) : stop()
        case .connectionLost: return !isOnline && isEdge ? wait(trigger, from: now) : stop()
        case .connectionRestored:
            guard isOnline else {
                offlineSince = now
                return stop()
            }
            if let offlineSince, now - offlineSince >= trigger.seconds * 1000 { hasLossLasted = true }
            return hasLossLasted ? wait(trigger, from: now) : stop()
        }
    }

    /// - Returns: Whether the trigger is met at once.
    mutating func update(address: String, _ trigger: DeviceTrigger, at now: Int64) -> Bool {
        guard trigger.event == .addressChanged else { return false }
        guard let known = self.address else {
            self.address = address
            return false
        }
        guard address != known else {
            newAddress = nil
            return stop()
        }
        guard address != newAddress else { return false }
        guard wait(trigger, from: now) else {
            newAddress = address
            return false
        }
        self.address = address
        return true
    }

    /// The condition has lasted.
    mutating func expire() {
        due = nil
        hasLossLasted = false
        if let newAddress { address = newAddress }
        newAddress = nil
    }

    private mutating func wait(_ trigger: DeviceTrigger, from now: Int64) -> Bool {
        guard trigger.seconds > 0 else { return true }
        due = now + trigger.seconds * 1000
        return false
    }

    private mutating func stop() -> Bool {
        due = nil
        return false
    }
}
