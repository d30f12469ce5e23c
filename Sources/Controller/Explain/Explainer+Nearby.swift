import Flare
import JSON
import Things

extension Explainer {
    /// Explains why a thing is near or not; without a name, the nearby thing or its absence.
    func explainNearby(_ name: String?, _ command: Command) throws(Refusal) -> Explanation {
        var asked: FlareThing?
        if let name {
            asked = try state.thing(named: name, in: state.contents, for: command, at: now)
        }
        var facts = presenceFacts("nearby")
        facts["nearby"] = state.nearbyID.map { summary(of: ObjectReference(.thing, $0)) } ?? .null
        facts["since_s"] = state.nearbySince.map { age(of: $0) }
        var sentences: [String]
        if let obstacle = presenceObstacle("nearby") {
            sentences = [obstacle]
        } else {
            let distances = thingDistances()
            facts["things"] = .array(
                distances.prefix(5).map { id, distance in
                    var members = summary(of: ObjectReference(.thing, id)).object ?? [:]
                    members["distance_m"] = Explanation.rounded(distance)
                    return .object(members)
                }
            )
            let limit = ProximityLimit.metres(environmentData: state.environment?.data)
            facts["limit_m"] = Explanation.rounded(limit)
            switch configuration.presence {
            case .server: sentences = [nearnessByServer(asked)]
            case .steady(let settings):
                let reach = Reach(limit: limit, settings: settings, distances: distances)
                facts["leaving_m"] = Explanation.rounded(settings.leavingDistance(limit: limit))
                facts["nearer_margin_m"] = Explanation.rounded(settings.nearerMargin)
                facts["updates_needed"] = .number(Double(settings.updates))
                sentences = nearnessByPosition(of: asked, reach)
                if let candidate = presence.steady.thingCandidate {
                    let name = candidate.id.map { label(ObjectReference(.thing, $0)) }
                    let next = name.map { "\($0) is seen" } ?? "No thing is seen"
                    let rest = needed(for: candidate, .thing, settings, &facts)
                    sentences.append("\(next) as near \(rest)")
                }
            }
            sentences += positionSentences(&facts)
        }
        return Explanation(text: sentences.joined(separator: " "), facts: facts)
    }

    private struct Reach {
        /// Distance within which a thing becomes near, metres.
        let limit: Double
        let settings: SteadyPresence.Settings
        let distances: [(id: FlareID, metres: Double)]

        func metres(to thing: FlareID) -> Double? { distances.first { $0.id == thing }?.metres }
    }

    /// The things that have a position on this floor with their distances in metres, nearest first.
    private func thingDistances() -> [(id: FlareID, metres: Double)] {
        guard let point = state.device?.position else { return [] }
        let metric = state.nearnessMetric
        return state.things.values
            .filter { state.canBeNearby($0) }
            .compactMap { thing in state.metres(from: point, to: thing, metric).map { (thing.id, $0) } }
            .filter { $0.1.isFinite }
            .sorted { ($0.1, $0.0) < ($1.1, $1.0) }
    }

    private func nearnessByServer(_ asked: FlareThing?) -> String {
        let decider = "the Flare server decides (controller.presence: server)"
        let near = state.nearbyID.map { label(ObjectReference(.thing, $0)) }
        if let asked, asked.id != state.nearbyID {
            let name = label(ObjectReference(.thing, asked.id))
            return "\(name) is not near: \(decider), and it reports \(near ?? "nothing")."
        }
        guard let near, let since = state.nearbySince else {
            return "Nothing is near: \(decider), and it reports nothing."
        }
        return
            "\(near) has been near for \(Explanation.duration(now.milliseconds(since: since))): \(decider)."
    }

    private func nearnessByPosition(of asked: FlareThing?, _ reach: Reach) -> [String] {
        guard state.device?.position != nil else {
            return ["Nothing is near: the position of the device is not known yet." + receiversNeeded]
        }
        if let current = state.nearby, asked == nil || asked?.id == current.id {
            return [whyNear(current, reach)]
        }
        if let positionOver {
            return ["\(state.nearbyID == nil ? "Nothing" : "Nothing else") is near: \(positionOver)."]
        }
        if let asked { return [whyNotNear(asked, reach)] }
        let limit = Explanation.metres(reach.limit)
        guard let nearest = reach.distances.first else {
            return state.things.values.contains { $0.position != nil }
                ? ["Nothing is near: no thing is on the floor of the device."]
                : ["Nothing is near: no thing of this environment has a position."]
        }
        let name = label(ObjectReference(.thing, nearest.id))
        let distance = Explanation.metres(nearest.metres)
        return nearest.metres <= reach.limit
            ? ["Nothing is near yet: \(name) is \(distance) away, within the limit of \(limit)."]
            : ["Nothing is near: the nearest thing, \(name), is \(distance) away, and the limit is \(limit)."]
    }

    private func whyNear(_ thing: FlareThing, _ reach: Reach) -> String {
        let name = label(ObjectReference(.thing, thing.id))
        guard let metres = reach.metres(to: thing.id) else {
            return thing.position == nil
                ? "\(name) is near, although it has no position: it stays until another thing is near."
                : "\(name) is still near, although it is on another floor."
        }
        let distance = Explanation.metres(metres)
        let limit = Explanation.metres(reach.limit)
        let leaving = reach.settings.leavingDistance(limit: reach.limit)
        if metres > leaving {
            return configuration.stayPaired
                ? "\(name) is still near, although it is \(distance) away: controller.stay_paired keeps it."
                : "\(name) is still near, but it is \(distance) away, beyond \(Explanation.metres(leaving))."
        }
        if metres > reach.limit {
            return "\(name) is still near at \(distance): the limit is \(limit), "
                + "and a near thing is left only beyond \(Explanation.metres(leaving))."
        }
        guard let nearest = reach.distances.first, nearest.id != thing.id, nearest.metres < metres else {
            return "\(name) is near: it is the nearest thing, \(distance) away, and the limit is \(limit)."
        }
        let other = label(ObjectReference(.thing, nearest.id))
        return "\(name) is near at \(distance), within the limit of \(limit). \(other) is nearer at "
            + "\(Explanation.metres(nearest.metres)), but replaces it only when it is more than "
            + "\(Explanation.metres(reach.settings.nearerMargin)) nearer."
    }

    private func whyNotNear(_ thing: FlareThing, _ reach: Reach) -> String {
        let name = label(ObjectReference(.thing, thing.id))
        let limit = Explanation.metres(reach.limit)
        guard state.canBeNearby(thing) else {
            return "\(name) cannot be near: it marks where a receiver is, and there is nothing to control."
        }
        guard let metres = reach.metres(to: thing.id) else {
            return thing.position == nil
                ? "\(name) cannot be near: it has no position."
                : "\(name) is not near: it is on another floor."
        }
        let distance = Explanation.metres(metres)
        guard metres <= reach.limit else {
            return "\(name) is not near: it is \(distance) away, and the limit is \(limit)."
        }
        guard let current = state.nearby else {
            return "\(name) is not near yet: it is \(distance) away, within the limit of \(limit)."
        }
        let other = label(ObjectReference(.thing, current.id))
        guard let own = reach.metres(to: current.id), metres < own else {
            return "\(name) is not the nearby thing: it is \(distance) away, but \(other) is nearer."
        }
        return "\(name) is not the nearby thing, although it is \(distance) away: it replaces \(other) at "
            + "\(Explanation.metres(own)) only when it is more than "
            + "\(Explanation.metres(reach.settings.nearerMargin)) nearer."
    }
}
