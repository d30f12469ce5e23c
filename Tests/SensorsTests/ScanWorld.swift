import Glibc
import Positioning
import Sensors
import SystemPackage

/// Simulated adapters, controllers, permissions and time; runs the actions of a session.
struct ScanWorld {
    struct Adapter {
        var isUp = true
        var address: UInt64
        var isLowEnergy = true
        var knowsExtended = true
        var isScanning = false
        /// Whether it scans without duplicate filter and all the time, as we need it.
        var isOurs = false
        var isMute = false
        var isDeaf = false
        /// Statuses with which it answers some commands.
        var refusals: [UInt16: UInt8] = [:]
        var wasSet = false
    }

    private(set) var session: ScanSession
    var adapters: [Int: Adapter]
    var hasBluetooth = true
    var maySend = true
    var mayAdminister = true
    var isBlocked = false
    private(set) var now = 0.0
    private(set) var conditions: [ScanCondition] = []
    private(set) var sent: [HCICommand] = []
    private(set) var resets: [Double] = []
    private(set) var hasEnded = false
    private(set) var open: Int?
    private var queue: [ScanSession.Action] = []

    static let address: UInt64 = 0x001A_7DDA_7113

    init(_ settings: ScanSettings = ScanSettings(), adapters: [Int: Adapter] = [0: Adapter(address: address)])
    {
        session = ScanSession(settings: settings)
        self.adapters = adapters
    }

    var condition: ScanCondition { conditions.last ?? ScanCondition() }
    var problem: String { condition.problem ?? "" }

    mutating func start() { carryOut(session.start(at: now)) }

    mutating func tell(_ input: ScanSession.Input) { carryOut(session.handle(input, at: now)) }

    /// Advances time; a scanning adapter that is not deaf receives a report twice a second.
    mutating func pass(_ seconds: Double) {
        let end = now + seconds
        while true {
            let step = (now * 2 + 1).rounded(.down) / 2
            let next = min(session.deadline ?? .infinity, step, end)
            now = max(now, next)
            if let deadline = session.deadline, deadline <= now { tell(.deadlineReached) }
            if now == step, let open, let adapter = adapters[open], adapter.isScanning, !adapter.isDeaf,
                adapter.isUp
            {
                tell(.reportReceived)
            }
            if now >= end { return }
        }
    }

    // MARK: Other programs

    mutating func give(_ command: HCICommand, to index: Int = 0) {
        guard adapters[index]?.isUp == true else { return }
        _ = obey(command, index, isOurs: false)
        if open == index { tell(.message(.command(command))) }
    }

    mutating func scan(_ isOn: Bool, index: Int = 0) {
        // With duplicate filter.
        give(HCICommand(opcode: 0x2042, parameters: [isOn ? 1 : 0, 1, 0, 0, 0, 0]), to: index)
    }

    mutating func switchAdapter(_ index: Int, on isUp: Bool) {
        guard adapters[index] != nil, adapters[index]?.isUp != isUp else { return }
        adapters[index]?.isUp = isUp
        if !isUp { adapters[index]?.isScanning = false }
        tell(.adapter(index, isUp ? .up : .down))
    }

    mutating func pull(_ index: Int) {
        guard adapters.removeValue(forKey: index) != nil else { return }
        tell(.adapter(index, .pulledOut))
    }

    mutating func plug(_ index: Int, _ adapter: Adapter) {
        adapters[index] = adapter
        tell(.adapter(index, .pluggedIn))
    }

    // MARK: Actions

    private mutating func carryOut(_ actions: [ScanSession.Action]) {
        queue += actions
        while !queue.isEmpty { queue += carryOut(queue.removeFirst()) }
    }

    private mutating func carryOut(_ action: ScanSession.Action) -> [ScanSession.Action] {
        switch action {
        case .list:
            guard hasBluetooth else {
                return session.handle(.listFailed(Errno(rawValue: EAFNOSUPPORT)), at: now)
            }
            let list = adapters.sorted { $0.key < $1.key }.map { index, adapter in
                AdapterInfo(
                    index: index,
                    address: DeviceAddress(bits: adapter.address, isRandom: false),
                    isUp: adapter.isUp,
                    isLowEnergy: adapter.isLowEnergy
                )
            }
            return session.handle(.listed(list), at: now)
        case .bringUp(let index):
            let fault = bringUp(index)
            return session.handle(.broughtUp(fault), at: now)
                + (fault == nil ? session.handle(.adapter(index, .up), at: now) : [])
        case .takeDown(let index):
            if adapters[index] != nil, mayAdminister {
                adapters[index]?.isUp = false
                adapters[index]?.isScanning = false
            }
            return session.handle(.adapter(index, .down), at: now)
        case .reset(let index):
            guard mayAdminister else {
                return session.handle(.resetFinished(Errno(rawValue: EPERM)), at: now)
            }
            resets.append(now)
            adapters[index]?.isScanning = false
            return session.handle(.resetFinished(nil), at: now)
        case .open(let index):
            guard adapters[index] != nil else {
                return session.handle(.opened(Errno(rawValue: ENODEV)), at: now)
            }
            open = index
            return session.handle(.opened(nil), at: now)
        case .close:
            open = nil
            return []
        case .send(let command): return send(command)
        case .report(let condition):
            conditions.append(condition)
            return []
        case .end:
            hasEnded = true
            return []
        }
    }

    private mutating func bringUp(_ index: Int) -> Errno? {
        guard let adapter = adapters[index] else { return Errno(rawValue: ENODEV) }
        if !mayAdminister { return Errno(rawValue: EPERM) }
        if isBlocked { return Errno(rawValue: ERFKILL) }
        if adapter.isUp { return Errno(rawValue: EALREADY) }
        adapters[index]?.isUp = true
        return nil
    }

    private mutating func send(_ command: HCICommand) -> [ScanSession.Action] {
        guard let index = open, let adapter = adapters[index] else {
            return session.handle(.failed(Errno(rawValue: EPIPE)), at: now)
        }
        sent.append(command)
        if !maySend { return session.handle(.failed(Errno(rawValue: EPERM)), at: now) }
        if !adapter.isUp { return session.handle(.failed(Errno(rawValue: ENETDOWN)), at: now) }
        guard let status = obey(command, index, isOurs: true) else { return [] }
        return session.handle(.message(.commandResult(opcode: command.opcode, status: status)), at: now)
    }

    /// Executes a command; the status, or `nil` without an answer.
    private mutating func obey(_ command: HCICommand, _ index: Int, isOurs: Bool) -> UInt8? {
        guard var adapter = adapters[index], !(isOurs && adapter.isMute) else { return nil }
        defer { adapters[index] = adapter }
        if isOurs, let status = adapter.refusals[command.opcode] { return status }
        let isExtended = command.opcode == 0x2041 || command.opcode == 0x2042
        if isExtended, !adapter.knowsExtended, isOurs { return 0x01 }
        switch command.opcode {
        case 0x200B, 0x2041:
            if adapter.isScanning { return 0x0C }
            adapter.wasSet = true
        case 0x200C, 0x2042:
            let isOn = command.parameters.first == 1
            if !isOn, !adapter.isScanning { return 0x0C }
            adapter.isScanning = isOn
            adapter.isOurs = isOn && command.parameters[1] == 0
        case 0x0C03: adapter.isScanning = false
        default: break
        }
        return 0
    }
}
