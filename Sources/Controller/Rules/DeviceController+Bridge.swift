import Flare
import Things

/// What the daemon tells of itself.
extension DeviceController {
    mutating func brokerLinkChanged(_ isUp: Bool) {
        guard isStartTold else {
            guard isUp else { return }
            isStartTold = true
            tell(
                .bridge,
                configuration.isReloaded ? "reloaded" : "started",
                cause: ChangeEvent.Cause("start")
            )
            return
        }
        tellLink("mqtt", isUp)
    }

    mutating func tellLink(_ link: String, _ isUp: Bool) {
        tell(
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
            for pending in reloading { refuse(pending, Refusal(.invalidValue, problem)) }
        } else {
            clear("configuration")
            for pending in reloading { accept(pending) }
            effects.append(.rebuild)
        }
        reloading.removeAll()
    }

    /// The daemon is about to end: whoever waits still is told so.
    mutating func stopBegun() {
        tell(.bridge, "stopping", cause: ChangeEvent.Cause("stop"))
        let refusal = Refusal(.timeout, "Trilateral is stopping and could not wait for the end of this")
        failLanes(refusal)
        failReads(refusal)
        for pending in reloading { refuse(pending, refusal) }
        reloading.removeAll()
    }
}
