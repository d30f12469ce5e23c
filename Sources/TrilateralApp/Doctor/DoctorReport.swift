import Daemon
package import JSON

/// All verdicts of `trilateral doctor`.
package struct DoctorReport: Sendable {
    package let verdicts: [DoctorVerdict]

    package init(_ verdicts: [DoctorVerdict]) { self.verdicts = verdicts }

    /// Whether nothing keeps the daemon from its work.
    package var isWell: Bool { !verdicts.contains { $0.level == .problem } }

    private func number(_ level: DoctorVerdict.Level, _ noun: String) -> String {
        let count = verdicts.count { $0.level == level }
        return "\(count == 0 ? "no" : "\(count)") \(noun)\(count == 1 ? "" : "s")"
    }

    package var summary: String { "\(number(.problem, "problem")), \(number(.warning, "warning"))" }

    package var lines: [String] { verdicts.map(\.line) + [summary] }

    package var json: JSONValue {
        [
            "ok": .bool(isWell), "version": .string(ProgramInfo.currentVersion),
            "verdicts": .array(verdicts.map(\.json)),
        ]
    }
}
