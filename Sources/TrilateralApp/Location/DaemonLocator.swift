import ArgumentParser
import Daemon
import Foundation
import OperatingSystem
import Settings

/// Finds the daemon of this machine, and the state folder, for verbs that were not told.
///
/// Candidates are the daemons that have a file in the runtime folder of the system, `/run/trilateral`, or in one of the
/// user: `$XDG_RUNTIME_DIR/trilateral`, `/run/user/UID/trilateral`, or without a session `/tmp/trilateral-UID`. With one,
/// it is that; with several, the user must choose; with none, the folder that a daemon would use.
/// - Source: contrib/design/0060-one-daemon-for-all-verbs.md
package struct DaemonLocator: Sendable {
    /// What was found.
    package enum Finding: Sendable, Hashable {
        case one(RunningDaemon)
        case several([RunningDaemon])
        case none
    }

    private let environment: [String: String]
    private let user: UInt32
    private let hasService: Bool
    private let root: String

    /// - Parameters:
    ///   - user: The user of this process.
    ///   - hasService: Whether the systemd unit is installed.
    ///   - root: What stands before the folders of the user that no variable names; for tests.
    package init(
        _ environment: [String: String],
        user: UInt32 = geteuid(),
        hasService: Bool = ServiceUnit.installed() != nil,
        root: String = ""
    ) {
        (self.environment, self.user, self.hasService, self.root) = (environment, user, hasService, root)
    }

    /// That of the daemons of root, which the whole machine finds.
    private var system: String { "\(root)/run/trilateral" }

    /// The folder in which a daemon of this process's user says that it runs; `nil` if there is none.
    package var ownFolder: String? {
        if let folder = given { return folder }
        return user == 0 ? system : usersFolders.first
    }

    /// systemd's variable counts alone: it separates several folders with colons, and the first is ours.
    private var given: String? {
        environment["RUNTIME_DIRECTORY"].flatMap { $0.split(separator: ":").first.map(String.init) }
    }

    /// Those of the user, the best first: a daemon and a verb need not have the same variables.
    private var usersFolders: [String] {
        let session = environment["XDG_RUNTIME_DIR"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        let usual = "\(root)/run/user/\(user)"
        var folders = session.map { [$0 + "/trilateral"] } ?? []
        if session != usual, FileStatus(path: usual)?.owner == user { folders.append(usual + "/trilateral") }
        let last = "\(root)/tmp/trilateral-\(user)"
        // Anybody could have made it.
        let found = FileStatus(path: last, followsLinks: false)
        if found.map({ $0.kind == .folder && $0.owner == user }) ?? true { folders.append(last) }
        return folders
    }

    /// The daemons that run.
    package var running: [RunningDaemon] {
        let ofMachine = RunningDaemonFile.daemons(in: given ?? system).filter { daemon in
            // Nobody but root may say that the folder of somebody else is his daemon's.
            let status = FileStatus(path: daemon.stateFolder)
            return isTrusted(daemon) || status == nil || status?.owner == daemon.owner
        }
        guard given == nil else { return ofMachine }
        // Somebody else may have put a folder in the place of ours.
        return ofMachine + usersFolders.flatMap(RunningDaemonFile.daemons(in:)).filter(isTrusted)
    }

    /// Whether files that a daemon names may be read for its sake: not for another user's, who could name any.
    package func isTrusted(_ daemon: RunningDaemon) -> Bool { daemon.owner == 0 || daemon.owner == user }

    /// The only daemon that runs.
    package var finding: Finding { Self.finding(running) }

    /// The same, for a verb that can do without; `nil` for none and for several.
    var only: RunningDaemon? {
        guard case .one(let daemon) = finding else { return nil }
        return daemon
    }

    /// The daemon that a verb asks over the broker.
    ///
    /// - Parameter node: The node that was named; if no daemon here has it, it may be another machine's, on their broker.
    package func finding(node: String?) -> Finding {
        let all = running
        guard let node else { return Self.finding(all, by: \.topics) }
        let named = all.filter { $0.node == node }
        guard named.isEmpty else { return Self.finding(named, by: \.topics) }
        return Set(all.map { $0.topics.dropLast() }).count == 1 ? .one(all[0]) : .none
    }

    /// The daemons here by their broker and base, for a verb that asks all of these.
    ///
    /// - Returns: Nothing unless there are several daemons between which a verb for one must be told to choose.
    package func daemonsByBroker(node: String?) -> [[RunningDaemon]] {
        guard case .several(let daemons) = finding(node: node) else { return [] }
        var groups: [[RunningDaemon]] = []
        for daemon in daemons {
            let place = daemon.topics.dropLast()
            if let index = groups.firstIndex(where: { $0.first?.topics.dropLast() == place }) {
                groups[index].append(daemon)
            } else {
                groups.append([daemon])
            }
        }
        return groups
    }

    private static func finding(_ daemons: [RunningDaemon]) -> Finding {
        finding(daemons) { URL(filePath: $0.stateFolder).standardized.path(percentEncoded: false) }
    }

    /// Daemons that do not differ are one: the second is about to end, because the first has its databases open.
    private static func finding<Key: Hashable>(
        _ daemons: [RunningDaemon],
        by key: (RunningDaemon) -> Key
    ) -> Finding {
        guard let first = daemons.first else { return .none }
        return Set(daemons.map(key)).count == 1 ? .one(first) : .several(daemons)
    }

    /// The state folder while no daemon runs: for root the service's if that is installed, else the one of `trilateral run`.
    package var standardFolder: String {
        usesServiceFolder ? StateFolder.service : StateFolder.standard(environment)
    }

    private var usesServiceFolder: Bool {
        user == 0 && hasService && !(environment["STATE_DIRECTORY"]?.contains { $0 != ":" } ?? false)
    }

    /// What uses ``standardFolder``, for messages.
    package var standardUser: String {
        if usesServiceFolder { return "the service uses" }
        guard hasService else { return "\"trilateral run\" uses" }
        return
            "\"trilateral run\" uses; the service's folder is \(StateFolder.service), which root can write (sudo)"
    }

    /// The message for several daemons.
    package static func question(_ daemons: [RunningDaemon], option: String) -> String {
        let lines = daemons.map { "  \($0.stateFolder) (node \($0.node), broker \($0.brokerAddress))" }
        return (["\(daemons.count) daemons run on this machine; choose one with \(option):"] + lines)
            .joined(separator: "\n")
    }
}
