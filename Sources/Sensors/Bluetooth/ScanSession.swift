package import SystemPackage

/// Decides everything about scanning: the adapter, the commands, and the reaction to failures and silence.
///
/// A value without socket or clock: inputs go in, actions come out. The result of an action is the next
/// input.
/// - Source: contrib/contract/positioning.md, "2. Scanning". Other programs share the adapter: they may scan,
///   stop scanning, switch it off or remove it.
package struct ScanSession: Sendable {
    package enum Input: Sendable, Hashable {
        case switched(on: Bool)
        /// Ends the session.
        case stop
        case listed([AdapterInfo])
        case listFailed(Errno)
        case adapter(Int, AdapterChange)
        // Results of the actions with the same name; `nil` is success.
        case broughtUp(Errno?)
        case opened(Errno?)
        case resetFinished(Errno?)
        /// Reading or writing the socket failed.
        case failed(Errno)
        case message(HCIMessage)
        /// At least one advertising report came.
        case reportReceived
        /// ``deadline`` has passed.
        case deadlineReached
    }

    package enum AdapterChange: Sendable, Hashable {
        case pluggedIn, pulledOut, up, down
    }

    package enum Action: Sendable, Hashable {
        case list
        case bringUp(Int)
        case takeDown(Int)
        case reset(Int)
        case open(Int)
        case close
        case send(HCICommand)
        case report(ScanCondition)
        /// The session has ended.
        case end
    }

    enum Phase: Sendable, Hashable {
        case idle
        /// Waiting for an adapter, or for the next attempt.
        case waiting(retry: Double?)
        /// Waiting for the result of an action.
        case acting
        /// Waiting for the result of the first command in the script.
        case commanding(Purpose, until: Double)
        case listening
        case ended
    }

    enum Purpose: Sendable, Hashable {
        case start, stop
        /// Scanning is on and is restarted.
        case refresh
    }

    let settings: ScanSettings
    var phase = Phase.idle
    var isOn: Bool
    var isEnding = false
    var adapter: AdapterInfo?
    var isOpen = false
    /// The adapter that was down before we started, and that no other program has used since.
    var broughtUp: Int?
    /// The adapter that another program switched off.
    var switchedOff: Int?
    var script: [HCICommand] = []
    var isScriptRepeated = false
    /// Whether the controller does not support the commands of extended advertising.
    var isLegacy = false
    /// Consecutive commands that failed or timed out.
    var failures = 0
    var silence = SilenceMonitor()
    var others = OtherScanners()
    var lastReset = -Double.infinity
    var condition = ScanCondition()
    private var reported = ScanCondition()
    var actions: [Action] = []
    var now = 0.0

    package init(settings: ScanSettings, isOn: Bool = true) {
        self.settings = settings
        self.isOn = isOn
    }

    /// The first actions.
    package mutating func start(at time: Double) -> [Action] {
        now = time
        if isOn { findAdapter() }
        return drainActions()
    }

    /// When to send ``Input/deadlineReached``; `nil` for never.
    package var deadline: Double? {
        switch phase {
        case .idle, .acting, .ended: nil
        case .waiting(let retry): retry
        case .commanding(_, let until): until
        case .listening: others.next ?? silence.next
        }
    }

    package mutating func handle(_ input: Input, at time: Double) -> [Action] {
        guard phase != .ended else { return [] }
        now = time
        switch input {
        case .switched(let on):
            guard on != isOn else { break }
            isOn = on
            if on { if phase == .idle { findAdapter() } } else { finish() }
        case .stop:
            isEnding = true
            isOn = false
            finish()
        case .listed(let adapters): if phase == .acting { choose(from: adapters) }
        case .listFailed(let error): if phase == .acting { cannotList(error) }
        case .broughtUp(let error): broughtUp(error)
        case .opened(let error): opened(error)
        case .resetFinished(let error): if phase == .acting { resetFinished(error) }
        case .adapter(let index, let change): adapterChanged(index, change)
        case .failed(let error): failed(error)
        case .message(.commandResult(let opcode, let status)): handleResult(opcode, status)
        case .message(.command(let command)): handleCommand(command)
        case .message(.other): break
        case .reportReceived: reportReceived()
        case .deadlineReached: if let deadline, deadline <= now { handleDeadline() }
        }
        return drainActions()
    }

    private mutating func handleCommand(_ command: HCICommand) {
        // Some systems report our own commands too.
        if case .commanding = phase, command == script.first { return }
        // Another program uses the adapter, and may continue without us.
        if command.opcode != HCICommand.Opcode.reset { broughtUp = nil }
        others.record(command, at: now)
    }

    private mutating func handleDeadline() {
        switch phase {
        case .idle, .acting, .ended: break
        case .waiting: findAdapter()
        case .commanding(let purpose, _): handleTimeout(purpose)
        case .listening: checkListening()
        }
    }

    private mutating func drainActions() -> [Action] {
        if condition != reported {
            reported = condition
            actions.append(.report(condition))
        }
        defer { actions = [] }
        return actions
    }
}
