import JSON

/// Which daemon will read what is kept in a state folder, told before a person takes pains to measure it.
package struct CalibrationReader: CustomStringConvertible {
    package let description: String

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
        let service = "--state (the system service has /var/lib/trilateral)"
        if let failure = outcome.failure {
            let use =
                isUsed
                ? " for the next start"
                : ", which no daemon has used yet: name another folder with \(service)"
            description = "\(failure.message); the result is kept in \(folder)\(use)"
        } else if case .state(let info) = outcome, epoch != nil, info["epoch"]?.string == epoch {
            description =
                "the daemon at \(root) keeps its state in \(folder): it uses the result within seconds"
        } else {
            description =
                "the daemon at \(root) does not keep its state in \(folder) and will not see the result: name its "
                + "folder with \(service)"
        }
    }
}
