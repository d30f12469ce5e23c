import Flare
import JSON

extension Explainer {
    /// Explains why the device is in its zone, or in none.
    func explainZone() -> Explanation {
        var facts = presenceFacts("zone")
        facts["zone"] = state.zoneID.map { summary(of: ObjectReference(.zone, $0)) } ?? .null
        facts["since_s"] = state.zoneSince.map { age(of: $0) }
        var sentences: [String]
        if let obstacle = presenceObstacle("zone") {
            sentences = [obstacle]
        } else {
            switch configuration.presence {
            case .server: sentences = [zoneByServer()]
            case .steady(let settings): sentences = zoneByPosition(settings, &facts)
            }
            sentences += positionSentences(&facts)
        }
        return Explanation(text: sentences.joined(separator: " "), facts: facts)
    }

    private func zoneByServer() -> String {
        let decider = "the Flare server decides (controller.presence: server)"
        if presence.pendingExit != nil {
            return
                "\(here), but an exit came so soon after the enter that it is checked once more; \(decider)."
        }
        guard let since = state.zoneSince else { return "\(here): \(decider), and it reports none." }
        return "\(here) since \(Explanation.duration(now.milliseconds(since: since))): \(decider)."
    }

    private func zoneByPosition(
        _ settings: SteadyPresence.Settings,
        _ facts: inout JSONObject
    ) -> [String] {
        facts["updates_needed"] = .number(Double(settings.updates))
        guard let point = state.device?.position else {
            return ["\(here): its position is not known yet." + receiversNeeded]
        }
        if let positionOver { return ["\(here): \(positionOver)."] }
        var sentences: [String] = []
        if let shares = state.zoneShares(at: point) {
            sentences.append(zoneByShares(shares, settings, &facts))
            return sentences + candidateSentence(settings, &facts)
        }
        facts["margin_m"] = Explanation.rounded(settings.zoneMargin)
        if let box = state.zone?.perimeter {
            let excess = box.excess(of: point)
            facts["outside_m"] = Explanation.rounded(excess)
            let distance = Explanation.metres(excess)
            let margin = Explanation.metres(settings.zoneMargin)
            if excess == 0 {
                let clearance = Explanation.metres(max(0, box.clearance(of: point)))
                sentences.append("\(here): its position lies inside, \(clearance) from the nearest side.")
            } else if excess <= settings.zoneMargin {
                sentences.append(
                    "\(here), although its position lies \(distance) outside: "
                        + "a zone is left only beyond a margin of \(margin)."
                )
            } else {
                sentences.append(
                    "\(here), but its position lies \(distance) outside, beyond the margin of \(margin)."
                )
            }
        } else if state.zoneID != nil {
            sentences.append("\(here).")
        } else {
            sentences.append("\(here): \(outsideOfAll(point, &facts)).")
        }
        return sentences + candidateSentence(settings, &facts)
    }

    private func candidateSentence(_ settings: SteadyPresence.Settings, _ facts: inout JSONObject) -> [String]
    {
        guard let candidate = presence.steady.zoneCandidate, isThere(candidate.id) else { return [] }
        let next = candidate.id.map { label(ObjectReference(.zone, $0)) } ?? "no zone"
        return ["It is seen in \(next) \(needed(for: candidate, .zone, settings, &facts))"]
    }

    /// Describes how likely the zones are, the current one first.
    private func zoneByShares(
        _ shares: ZoneShares,
        _ settings: SteadyPresence.Settings,
        _ facts: inout JSONObject
    ) -> String {
        let current = state.zoneID
        let ids: [FlareID?] = shares.zones.keys.map(Optional.some) + [nil]
        let others = ids.filter { $0 != current && isThere($0) && shares[$0] >= Self.leastShare }
            .sorted { (shares[$1], $0?.description ?? "") < (shares[$0], $1?.description ?? "") }
        let listed = [current] + others.prefix(Self.mostShares)
        facts["lead"] = Explanation.rounded(settings.zoneLead)
        facts["shares"] = .array(
            listed.map { zone in
                .object([
                    "zone": zone.map { summary(of: ObjectReference(.zone, $0)) } ?? .null,
                    "share": Explanation.rounded(shares[zone]),
                ])
            }
        )
        let list = listed.map { zone in
            let name = zone.map { label(ObjectReference(.zone, $0)) } ?? "no zone"
            return "\(name) \(Int((shares[zone] * 100).rounded())) %"
        }
        let sources = sources.map { ", by the \($0.joined(separator: "s and "))s" } ?? ""
        return "\(here). How likely each zone is\(sources): \(list.joined(separator: ", ")). "
            + "Another one takes over when it is \(Explanation.rounded(settings.zoneLead).text) times as likely."
    }

    /// Whether a zone is still there; no zone always is.
    private func isThere(_ zone: FlareID?) -> Bool { zone.map { state.zones[$0] != nil } ?? true }

    /// Zones with a smaller share are not listed; of the others, at most `mostShares` beside the current one.
    private static var leastShare: Double { 0.01 }
    private static var mostShares: Int { 4 }

    /// Describes the zone nearest to a point that lies in none.
    private func outsideOfAll(_ point: Point3D, _ facts: inout JSONObject) -> String {
        let zones = state.zones.values.compactMap { zone in
            zone.perimeter.map { (zone.id, $0.excess(of: point)) }
        }
        guard let nearest = zones.min(by: { ($0.1, $0.0) < ($1.1, $1.0) }) else {
            return "this environment has no zone with a perimeter"
        }
        let name = label(ObjectReference(.zone, nearest.0))
        facts["nearest_zone"] = summary(of: ObjectReference(.zone, nearest.0))
        facts["outside_m"] = Explanation.rounded(nearest.1)
        return nearest.1 == 0
            ? "its position has just come into \(name)"
            : "its position lies outside of every zone; the nearest is \(name), \(Explanation.metres(nearest.1)) away"
    }

    private var here: String {
        state.zoneID.map { "The device is in \(label(ObjectReference(.zone, $0)))" }
            ?? "The device is in no zone"
    }
}
