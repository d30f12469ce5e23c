package import Controller

/// Identifies this run and this installation, and what earlier runs published.
package struct BridgeIdentity: Sendable {
    /// Names this run.
    package let epoch: String
    package let started: Instant
    /// The roots of earlier runs whose topics have not been cleared.
    let formerRoots: [String]
    /// The epoch of the last run that was connected; `nil` when unknown.
    let formerEpoch: String?
    /// This installation's permanent identifier.
    let installation: String
    /// The discovery topics that earlier runs published, with their components.
    let announced: [String: String]

    package init(
        epoch: String,
        started: Instant,
        formerRoots: [String] = [],
        formerEpoch: String? = nil,
        installation: String = "",
        announced: [String: String] = [:]
    ) {
        self.epoch = epoch
        self.started = started
        self.formerRoots = formerRoots
        self.formerEpoch = formerEpoch
        self.installation = installation
        self.announced = announced
    }
}
