import Flare
import JSON
import Text

/// Parts shared by the explanations of zone and nearby thing: obstacles, position and beacons.
extension Explainer {
    /// Maximum age of a beacon's report to be listed while no beacon counts, milliseconds.
    ///
    /// There is one a minute.
    private static var heardSpan: Int64 { 75_000 }

    func presenceFacts(_ subject: String) -> JSONObject {
        var facts: JSONObject = ["subject": .string(subject)]
        facts["environment"] =
            state.environmentID.map { summary(of: ObjectReference(.environment, $0)) } ?? .null
        switch configuration.presence {
        case .server: facts["decided_by"] = "server"
        case .steady: facts["decided_by"] = "position"
        }
        return facts
    }

    /// Why zone and nearby thing are unknown; `nil` if they can be explained.
    func presenceObstacle(_ subject: String) -> String? {
        guard state.hasDevice else {
            let others =
                state.nodes.isEmpty
                ? "" : " Each device of the list has a zone and a nearby thing of its own: name its node."
            let why = "This daemon has no device of its own (device.present is false)"
            return "\(why), so it is in no zone and near nothing.\(others)"
        }
        let missing = subject == "zone" ? "The device is in no zone" : "Nothing is near"
        let unreachable = state.isLinkUp ? "" : ", because the Flare server cannot be reached"
        guard let environment = state.environmentID else {
            return state.isLinkUp
                ? "\(missing): the place is empty. Import one with \"trilateral import FILE\", or make one at /admin."
                : "\(missing): no environment is known\(unreachable)."
        }
        guard state.isPlaceKnown else {
            let name = label(ObjectReference(.environment, environment))
            return "\(missing): the zones and things of \(name) have not been read yet\(unreachable)."
        }
        guard state.device != nil else {
            return "\(missing): the Flare server has not confirmed this device yet\(unreachable)."
        }
        return nil
    }

    /// The device's position, its quality, and the beacons heard.
    func positionSentences(_ facts: inout JSONObject) -> [String] {
        guard let point = state.device?.position else {
            return beaconsOff.map { [$0] } ?? []
        }
        facts["position"] = .object([
            "x": Explanation.rounded(point.x), "y": Explanation.rounded(point.y),
            "z": Explanation.rounded(point.z),
        ])
        let place = [point.x, point.y, point.z].map { Explanation.rounded($0).text }.joined(separator: ", ")
        guard let fix = state.fix else { return ["Position: \(place), as the Flare server has it."] }
        facts["accuracy_m"] = fix.accuracyMetres.map { Explanation.rounded($0) }
        facts["quality"] = .string(fix.quality.rawValue)
        facts["source"] = .string(fix.source)
        facts["position_age_s"] = age(of: fix.at)
        let isLost = fix.quality == .lost
        let ago = Explanation.duration(now.milliseconds(since: (isLost ? presence.lostAt : nil) ?? fix.at))
        var sentences: [String]
        if isLost {
            sentences = ["The position \(place) has been lost for \(ago)" + lossConsequence()]
        } else {
            let accuracy = fix.accuracyMetres.map { " ±\(Explanation.metres($0))" } ?? ""
            let sources = fix.source == "beacons" ? sources : nil
            let source = sources.map { $0.joined(separator: "s and ") + "s" } ?? fix.source
            sentences = ["Position: \(place)\(accuracy), \(fix.quality.rawValue), by \(source) \(ago) ago."]
        }
        if let heard = heardSentence(&facts) { sentences.append(heard) }
        return sentences
    }

    /// Why the last position decides nothing; `nil` if it does.
    var positionOver: String? {
        guard presence.isPositionOver else { return nil }
        let limit = Explanation.duration(Int64(configuration.lostSeconds * 1000))
        return "the device has not been heard for more than \(limit), so its last position counts no more"
    }

    /// Which receivers' reports give a further device a position, as a wrong name gives none; a sentence after a space.
    var receiversNeeded: String {
        guard state.furtherNode != nil, beaconsOff == nil else { return "" }
        let names = Set(state.things.values.compactMap { $0.data["receiver"]?.string }).sorted()
        let unplaced = state.unplacedReceivers.filter { !names.contains($0) }
        let others =
            unplaced.isEmpty ? "" : " No thing has these, which report: \(QuotedValue.list(unplaced))."
        guard !names.isEmpty else {
            return " No thing of this environment has a receiver's name as data.receiver.\(others)"
        }
        return
            " Only reports of the receivers that things of this environment have as data.receiver give it one: "
            + "\(QuotedValue.list(names)).\(others)"
    }

    private func lossConsequence() -> String {
        guard presence.isLossPending, case .steady = configuration.presence else { return "." }
        let limit = Explanation.duration(Int64(configuration.lostSeconds * 1000))
        return
            "; after \(limit) the device is in no zone\(configuration.stayPaired ? "" : " and near nothing")."
    }

    /// Why no beacon counts; `nil` if they do.
    private var beaconsOff: String? {
        if state.sensors[.beacons] == false { return "The beacons sensor is switched off." }
        guard state.suspendedSensors.contains(.beacons) else { return nil }
        return "The beacons sensor is stopped in level \(state.lifecycle.level.hmiLevel) of the lifecycle."
    }

    private func heardSentence(_ facts: inout JSONObject) -> String? {
        if let beaconsOff { return beaconsOff }
        let counted = countedBeacons
        let heard = heardBeacons.sorted {
            ($1.value.rssi ?? -200, $0.key) < ($0.value.rssi ?? -200, $1.key)
        }
        guard let sources, !heard.isEmpty else { return nil }
        facts["heard"] = .array(
            heard.prefix(20).map { thing, condition in
                var members = summary(of: ObjectReference(.thing, thing)).object ?? [:]
                members["rssi"] = condition.rssi.map { .number(Double($0)) }
                members["age_s"] = age(of: condition.seenAt)
                members["counts"] = .bool(!counted.isEmpty)
                return .object(members)
            }
        )
        let list = heard.prefix(3).map { thing, condition in
            let level = condition.rssi.map { " \($0) dBm" } ?? ""
            let age = Explanation.duration(now.milliseconds(since: condition.seenAt))
            return label(ObjectReference(.thing, thing)) + level + " \(age) ago"
        }
        let rest = heard.count > 3 ? " and \(heard.count - 3) more" : ""
        let begin =
            counted.isEmpty
            ? "No \(sources.joined(separator: " or ")) counts now; last reported: "
            : "\(Self.capitalized(sources.joined(separator: "s and ")))s that count: "
        return begin + list.joined(separator: ", ") + rest + "."
    }

    private var countedBeacons: [FlareID: BeaconCondition] {
        state.countedBeacons.filter { state.things[$0.key] != nil }
    }

    /// What counts; while nothing does, what was reported last.
    private var heardBeacons: [FlareID: BeaconCondition] {
        let counted = countedBeacons
        // The reports that the state has are about the daemon's own device.
        guard counted.isEmpty, state.furtherNode == nil else { return counted }
        return state.beacons.filter { now.milliseconds(since: $0.value.seenAt) <= Self.heardSpan }
    }

    /// What the position is estimated from: a beacon that the device hears, a receiver that hears it, or both; `nil` if that
    /// is not known.
    var sources: [String]? {
        let things = heardBeacons.keys
        guard !things.isEmpty else { return state.furtherNode == nil ? nil : ["receiver"] }
        // Of a thing with both, only the receiver is used.
        let receivers = things.count { state.things[$0]?.data["receiver"].map { !$0.isNull } ?? false }
        switch receivers {
        case 0: return ["beacon"]
        case things.count: return ["receiver"]
        default: return ["beacon", "receiver"]
        }
    }

    private static func capitalized(_ text: String) -> String {
        text.prefix(1).uppercased() + text.dropFirst()
    }

    /// How many updates a change that is not confirmed yet has, and needs.
    func needed(
        for candidate: SteadyPresence.Candidate,
        _ kind: FlareClass,
        _ settings: SteadyPresence.Settings,
        _ facts: inout JSONObject
    ) -> String {
        facts["candidate"] = .object([
            kind.rawValue: candidate.id.map { summary(of: ObjectReference(kind, $0)) } ?? .null,
            "updates": .number(Double(candidate.updates)),
        ])
        let all = Explanation.count(settings.updates, "update")
        return "for \(candidate.updates) of the \(all) that a change needs."
    }

    // MARK: Formatting

    /// A readable label of an object: its name, else its slug, else its identifier.
    func label(_ object: ObjectReference) -> String {
        let name = state.name(of: object) ?? state.slugs[object.kind, object.id]
        return QuotedValue.clipped(name ?? "\(object.id)", to: 60)
    }

    func summary(of object: ObjectReference) -> JSONValue {
        var members: JSONObject = ["id": .string("\(object.id)")]
        members["slug"] = state.slugs[object.kind, object.id].map { .string($0) }
        members["name"] = state.name(of: object).map { .string($0) }
        return .object(members)
    }

    /// Seconds since an instant.
    func age(of instant: Instant) -> JSONValue {
        .number(Double(max(0, now.milliseconds(since: instant)) / 100) / 10)
    }
}
