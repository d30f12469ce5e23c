import Flare
import JSON

/// Which daemon will read what is kept in a state folder, told before a person takes pains to measure it.
package enum CalibrationReader: Hashable, CustomStringConvertible {
    /// A daemon is online, and keeps its state in the folder.
    case running(root: String, folder: String)
    /// A daemon is online, but keeps its state elsewhere.
    case elsewhere(root: String, folder: String)
    /// None is online.
    case none(reason: String, folder: String, isUsed: Bool)

    /// - Parameters:
    ///   - outcome: What became of the question for the daemon's `info`.
    ///   - epoch: That of the daemon that used the folder last and had a broker; `nil` when none has.
    ///   - folder: The state folder.
    ///   - isUsed: Whether a daemon has ever run with it.
    ///   - root: `<base>/<node>` of the daemon.
    package init(
        _ outcome: DriveExchange.Outcome,
        epoch: String?,
        folder: String,
        isUsed: Bool,
        root: String
    ) {
        switch outcome {
        case .state(let info) where epoch != nil && info["epoch"]?.string == epoch:
            self = .running(root: root, folder: folder)
        case .state, .answer:
            self = .elsewhere(root: root, folder: folder)
        case .noBroker(let reason), .notAllowed(let reason), .noLink(let reason, _), .noDaemon(let reason),
            .unknown(let reason):
            self = .none(reason: reason, folder: folder, isUsed: isUsed)
        }
    }

    package var description: String {
        let service = "--state (the system service has /var/lib/trilateral)"
        switch self {
        case .running(let root, let folder):
            return "the daemon at \(root) keeps its state in \(folder): it uses the result within seconds"
        case .elsewhere(let root, let folder):
            return
                "the daemon at \(root) does not keep its state in \(folder) and will not see the result: name its "
                + "folder with \(service)"
        case .none(let reason, let folder, true):
            return "\(reason); the result is kept in \(folder) for the next start"
        case .none(let reason, let folder, false):
            return
                "\(reason); the result is kept in \(folder), which no daemon has used yet: name another folder with "
                + service
        }
    }
}
