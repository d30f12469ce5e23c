import Positioning
package import SystemPackage

/// Every decision about scanning: which adapter, which commands, what to do when it fails or falls silent.
///
/// A value without socket or clock: it is told what happened and says what is to be done. Whoever carries out an
/// action that has a result tells that next.
/// - Source: positioning 2; the adapter belongs to others as well, who may scan, stop scanning, switch it off or
///   pull it out.
package struct ScanSession: Sendable {
    package enum Input: Sendable, Hashable {
        case switched(on: Bool)
        /// For good.
        case stop
        case listed([AdapterInfo])
        case listFailed(Errno)
        case adapter(Int, AdapterChange)
        // Results of the actions of the same name; `nil` is success.
        case broughtUp(Errno?)
        case opened(Errno?)
        case wasReset(Errno?)
        /// The socket could not be read or written.
        case failed(Errno)
        case message(HCIMessage)
        /// At least one advertising report came.
        case heard
        /// ``deadline`` has come.
        case time
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
        /// Nothing more will come.
        case end
    }

    enum Phase: Sendable, Hashable {
        case idle
        /// For an adapter, or for another attempt at a time.
        case waiting(retry: Double?)
        /// The result of an action.
        case acting
        /// The answer to the first command of the script.
        case commanding(Purpose, until: Double)
        case listening
        case ended
    }

    enum Purpose: Sendable, Hashable {
        case start, stop
        /// Scanning was on and is switched on again.
        case refresh
    }

    let settings: ScanSettings
    var phase = Phase.idle
    var isOn: Bool
    var isEnding = false
    var adapter: AdapterInfo?
    var isOpen = false
    /// The adapter that was down before we came, and that nobody else has used since.
    var broughtUp: Int?
    /// The adapter that somebody else switched off.
    var switchedOff: Int?
    var script: [HCICommand] = []
    var isScriptRepeated = false
    /// Whether the controller did not know the commands of extended advertising.
    var isLegacy = false
    /// Commands in a row that were not answered, or refused.
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

    /// What to do first.
    package mutating func start(at time: Double) -> [Action] {
        now = time
        if isOn { find() }
        return takeActions()
    }

    /// When to tell the time at the latest.
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
            if on { if phase == .idle { find() } } else { finish() }
        case .stop:
            isEnding = true
            isOn = false
            finish()
        case .listed(let adapters): if phase == .acting { choose(from: adapters) }
        case .listFailed(let fault): if phase == .acting { cannotList(fault) }
        case .broughtUp(let fault): broughtUp(fault)
        case .opened(let fault): opened(fault)
        case .wasReset(let fault): if phase == .acting { wasReset(fault) }
        case .adapter(let index, let change): adapterChanged(index, change)
        case .failed(let fault): failed(fault)
        case .message(.answer(let opcode, let status)): answered(opcode, status)
        case .message(.command(let command)): heardOf(command)
        case .message(.other): break
        case .heard: heard()
        case .time: if let deadline, deadline <= now { timeIsUp() }
        }
        return takeActions()
    }

    private mutating func heardOf(_ command: HCICommand) {
        // Some systems tell us our own.
        if case .commanding = phase, command == script.first { return }
        // Who gives commands uses the adapter, and may go on using it without us.
        if command.opcode != HCICommand.Opcode.reset { broughtUp = nil }
        others.gave(command, at: now)
    }

    private mutating func timeIsUp() {
        switch phase {
        case .idle, .acting, .ended: break
        case .waiting: find()
        case .commanding(let purpose, _): notAnswered(purpose)
        case .listening: watch()
        }
    }

    private mutating func takeActions() -> [Action] {
        if condition != reported {
            reported = condition
            actions.append(.report(condition))
        }
        defer { actions = [] }
        return actions
    }
}
