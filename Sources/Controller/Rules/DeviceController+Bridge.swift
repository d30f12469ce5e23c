import Flare
import Things

/// What the daemon tells of itself.
extension DeviceController {
    mutating func brokerLinkChanged(_ isUp: Bool) {
        guard isStartPublished else {
            guard isUp else { return }
            isStartPublished = true
            emit(
                .bridge,
                configuration.isReloaded ? "reloaded" : "started",
                cause: ChangeEvent.Cause("start")
            )
            return
        }
        emitLinkChange("mqtt", isUp)
    }

    mutating func emitLinkChange(_ link: String, _ isUp: Bool) {
        emit(
            .bridge,
            "link",
            cause: ChangeEvent.Cause("link"),
            details: ["link": .string(link), "up": .bool(isUp)]
        )
    }

    /// A bad file leaves everything as it is; a good one is what the next run is built from.
    mutating func configurationRead(_ problem: String?) {
        if let problem {
            raise("configuration", .warning, "The new configuration is not used: \(problem)")
            for reload in pending.removeReloads() { refuse(reload, Refusal(.invalidValue, problem)) }
        } else {
            clear("configuration")
            for reload in pending.removeReloads() { accept(reload) }
            effects.append(.rebuild)
        }
    }

    /// The daemon is about to end: whoever waits still is told so.
    mutating func stopBegun() {
        emit(.bridge, "stopping", cause: ChangeEvent.Cause("stop"))
        let refusal = Refusal(.timeout, "Trilateral is stopping and could not wait for the end of this")
        failQueues(refusal)
        failReads(refusal)
        for reload in pending.removeReloads() { refuse(reload, refusal) }
    }
}
