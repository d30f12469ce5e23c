import JSON
import Things

/// Events about the daemon itself: start, stop, links and configuration.
extension DeviceController {
    mutating func brokerLinkChanged(_ isUp: Bool) {
        guard links.isStartPublished else {
            guard isUp else { return }
            links.isStartPublished = true
            core.emit(
                .bridge,
                configuration.isReloaded ? "reloaded" : "started",
                cause: ChangeEvent.Cause("start")
            )
            return
        }
        emitLinkChange("mqtt", isUp)
    }

    /// The first state of a link is no event: the health message has it.
    mutating func linkChanged(_ name: String, _ isUp: Bool?) {
        let known = links.others[name]
        links.others[name] = isUp
        // Who shows the links by name hears of a new one.
        if (known == nil) != (isUp == nil) { changes.insert(.link) }
        guard let isUp, let known, known != isUp else { return }
        emitLinkChange(name, isUp)
    }

    mutating func emitLinkChange(_ link: String, _ isUp: Bool) {
        core.emit(
            .bridge,
            "link",
            cause: ChangeEvent.Cause("link"),
            details: ["link": .string(link), "up": .bool(isUp)]
        )
    }

    /// Answers pending reloads; a valid configuration triggers a rebuild, an invalid one raises an alert.
    mutating func configurationRead(_ problem: String?) {
        if let problem {
            core.raise("configuration", .warning, "The new configuration is not used: \(problem)")
            for reload in pending.removeReloads() { refuse(reload, Refusal(.invalidValue, problem)) }
        } else {
            core.clear("configuration")
            for reload in pending.removeReloads() { accept(reload) }
            effects.append(.rebuild)
        }
    }

    /// Answers pending reloads, and follows the rules of the configuration from now on.
    mutating func configurationApplied(_ new: ControllerConfiguration) {
        core.clear("configuration")
        for reload in pending.removeReloads() { accept(reload) }
        core.configuration = new
        addSlices(new.slices)
        useNodes(new.nodes)
        use(new.catalog)
        reading.unknownNames.objectsChanged()
        sensorsFollowConfiguration()
        if links.isStartPublished { core.emit(.bridge, "reloaded", cause: ChangeEvent.Cause("start")) }
    }

    /// Announces the stop and refuses all pending commands.
    mutating func stopBegun() {
        core.emit(.bridge, "stopping", cause: ChangeEvent.Cause("stop"))
        rememberPosition(isEnding: true)
        let refusal = Refusal(.timeout, "Trilateral is stopping and could not wait for the end of this")
        sliceWork.end(refusal)
        failQueues(refusal)
        failReads(refusal)
        for reload in pending.removeReloads() { refuse(reload, refusal) }
    }
}
