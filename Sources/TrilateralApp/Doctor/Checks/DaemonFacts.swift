import OperatingSystem

/// Whether a daemon runs here.
package struct DaemonFacts: Sendable {
    package static let check = "daemon"

    /// A daemon that runs.
    package struct Running: Sendable {
        package var processID: Int32
        package var node: String
        package var stateFolder: String
        /// Whether its program was replaced since it started; `nil` if this user may not know.
        package var isOutdated: Bool?
        /// Whether a signal or a debugger has stopped it.
        package var isStopped: Bool

        package init(
            processID: Int32,
            node: String,
            stateFolder: String,
            isOutdated: Bool? = nil,
            isStopped: Bool = false
        ) {
            (self.processID, self.node) = (processID, node)
            (self.stateFolder, self.isOutdated, self.isStopped) = (stateFolder, isOutdated, isStopped)
        }
    }

    /// The one that is looked at.
    package var daemon: Running?
    package var isServiceInstalled = false
    /// The folder that is looked at.
    package var stateFolder = ""
    /// Why it is not clear which daemon is meant.
    package var choiceProblem: String?

    package init() {}

    package var verdicts: [DoctorVerdict] {
        if let choiceProblem {
            return [DoctorVerdict(Self.check, .problem, choiceProblem, advice: "name one with --state")]
        }
        guard let daemon else {
            return isServiceInstalled
                ? [
                    DoctorVerdict(
                        Self.check,
                        .problem,
                        "the service is installed, and no daemon runs with \(stateFolder)",
                        advice: "systemctl status trilateral says why; systemctl start trilateral starts it"
                    )
                ]
                : [
                    DoctorVerdict(
                        Self.check,
                        .hint,
                        "none runs with \(stateFolder)",
                        advice: "trilateral run"
                    )
                ]
        }
        let text = "process \(daemon.processID), node \(daemon.node), state in \(daemon.stateFolder)"
        guard !daemon.isStopped else {
            return [
                DoctorVerdict(
                    Self.check,
                    .problem,
                    "\(text); it is stopped and does nothing",
                    advice: "let it go on: kill -CONT \(daemon.processID)"
                )
            ]
        }
        guard daemon.isOutdated == true else { return [DoctorVerdict(Self.check, .ok, text)] }
        return [
            DoctorVerdict(
                Self.check,
                .warning,
                "\(text); it still runs the program from before an upgrade",
                advice: "restart it: systemctl restart trilateral"
            )
        ]
    }

    static func gathered(_ context: DoctorContext) -> DaemonFacts {
        var facts = DaemonFacts()
        facts.daemon = context.daemon.map { daemon in
            Running(
                processID: daemon.processID,
                node: daemon.node,
                stateFolder: daemon.stateFolder,
                isOutdated: ProcessTable.isOutdated(daemon.processID),
                isStopped: ProcessTable.isStopped(daemon.processID)
            )
        }
        facts.isServiceInstalled = context.unit != nil
        facts.stateFolder = context.stateFolder
        facts.choiceProblem = context.choiceProblem
        return facts
    }
}
