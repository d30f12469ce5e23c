import Controller
import Flare
import JSON

/// Whether a rule would fire now; nothing is done.
/// - Source: contrib/contract/rules.md, "Faces", `rule test`.
package struct RuleTest: Sendable, Hashable {
    /// A trigger or a condition.
    package struct Line: Sendable, Hashable {
        /// `when[0]` or `if[0]`.
        package let path: String
        package let truth: RuleTruth
        /// What it is: the words of the rule's sentence.
        package let what: String
        /// What it saw: `room_temp 30`, `kitchen`, `Active`.
        package let saw: String
        /// Seconds for which it must stay so until it counts, which makes it false; `nil` if it does not wait.
        package var waits: Int64?

        /// One line: `true when[0] radiator's room_temp is at least 30: room_temp 30`.
        package var text: String { "\(truth.rawValue) \(path) \(what): \(saw)" }
    }

    package let lines: [Line]
    /// Whether one of the triggers and all conditions are true, and the rule is on.
    package let wouldFire: Bool

    /// Looks at a rule whose references are identifiers.
    ///
    /// A trigger is true while what it waits for is so: a clause holds, one is inside the place, a moment of a
    /// schedule was at most a minute ago. Of calls and addresses that cannot be told, nor of what must have lasted,
    /// unless the engine has the rule.
    /// - Parameter waits: ``RuleEngine/waits(of:at:)``; `nil` of a rule that no engine follows.
    package init(
        of rule: Rule,
        in view: some RuleView,
        at now: Int64,
        _ calendar: RuleCalendar,
        waits: [Int: RuleWait]? = nil
    ) {
        let sight = Sight(view: view, now: now, calendar: calendar)
        let named = rule.named { view.name($0, $1) }
        var lines: [Line] = []
        for (number, trigger) in rule.triggers.enumerated() {
            var (truth, saw) = sight.look(at: trigger)
            var left: Int64?
            if let beacon = waits?[number]?.sight(for: trigger) {
                (truth, saw) = beacon
            } else if truth == .yes, let waits {
                if let wait = waits[number] {
                    truth = .no
                    saw += ", and \(wait.words(for: trigger))"
                    if case .seconds(let seconds) = wait { left = seconds }
                } else if case .device(let device) = trigger, device.event == .connectionRestored {
                    // While it is due, it waits.
                    truth = .no
                    saw += ", and was not lost for \(Words.duration(device.seconds)) before"
                }
            } else if truth == .yes, let seconds = trigger.lastingSeconds {
                truth = .unknown
                saw += ", and must stay so for \(Words.duration(seconds))"
            }
            let what = named.triggers[number].words
            lines.append(Line(path: "when[\(number)]", truth: truth, what: what, saw: saw, waits: left))
        }
        let isStarted = lines.contains { $0.truth == .yes }
        var holds = true
        for (number, condition) in rule.conditions.enumerated() {
            let truth = condition.truth(in: view, at: now, calendar)
            holds = holds && truth == .yes
            let what = named.conditions[number].words
            let saw = sight.seen(of: condition)
            lines.append(Line(path: "if[\(number)]", truth: truth, what: what, saw: saw))
        }
        self.lines = lines
        wouldFire = isStarted && holds && rule.isEnabled
    }
}

/// What a test sees.
private struct Sight<View: RuleView> {
    let view: View
    let now: Int64
    let calendar: RuleCalendar

    func look(at trigger: RuleTrigger) -> (RuleTruth, String) {
        switch trigger {
        case .state(let trigger): look(at: trigger)
        case .time(let trigger): look(at: trigger)
        case .enter(.zone(let place), let who), .near(let place, let who):
            (view.truth(of: who, at: [place]), seen(of: who, place.kind))
        case .exit(.zone(let place), .any), .far(let place, .any):
            (view.anybody(at: place.kind) { !$0.truth(of: [place]) }, seen(of: .any, place.kind))
        case .exit(.zone(let place), let who), .far(let place, let who):
            (!view.truth(of: who, at: [place]), seen(of: who, place.kind))
        case .enter(.circle(let circle), _): look(at: circle)
        case .exit(.circle(let circle), _):
            switch look(at: circle) {
            case (let truth, let saw): (!truth, saw)
            }
        case .enter(.beacon, _), .exit(.beacon, _): (.unknown, "known only when it is heard")
        case .call: (.unknown, "known only when it is made")
        case .level(let level): (view.level.map { RuleTruth($0 == level) } ?? .unknown, levelName)
        case .device(let trigger): look(at: trigger)
        }
    }

    private func look(at trigger: StateTrigger) -> (RuleTruth, String) {
        guard let id = trigger.thing.id, let data = view.data(of: id) else { return (.unknown, "no thing") }
        let saw = values(trigger.fields, data)
        switch trigger.subject {
        case .clause(let clause): return (clause.truth(of: data, at: now), saw)
        case .field(let field):
            let isThere = data[field].map { !$0.isNull } ?? false
            return (isThere ? .yes : .unknown, saw)
        }
    }

    private func look(at trigger: TimeTrigger) -> (RuleTruth, String) {
        guard let zone = trigger.zone(in: calendar) else {
            return (.unknown, "no table of the time zone \(trigger.zoneName ?? "")")
        }
        let saw = zone.local(at: now).description
        if case .schedule(let schedule) = trigger.due {
            guard !schedule.needsPlace || calendar.place != nil else { return (.unknown, "no place") }
            if schedule.hasEnd {
                return (calendar.truth(of: schedule, at: now), saw)
            }
        }
        let since = now - TimeState.punctual
        return (RuleTruth(trigger.latest(through: now, since: since, in: calendar) != nil), saw)
    }

    private func look(at circle: RuleCircle) -> (RuleTruth, String) {
        guard let location = view.location, location.isValid else { return (.unknown, "no location") }
        let metres = circle.centre.metres(to: location)
        return (RuleTruth(circle.contains(location)), "\(Int(metres)) m from its centre")
    }

    private func look(at trigger: DeviceTrigger) -> (RuleTruth, String) {
        guard let id = trigger.thing.id else { return (.unknown, "no thing") }
        if trigger.event == .addressChanged { return (.unknown, view.address(of: id) ?? "no address") }
        guard let isOnline = view.isOnline(id) else {
            return (
                .unknown,
                "not known whether it is online: it has no connection of its own, or none is told yet"
            )
        }
        let wanted = trigger.event != .connectionLost
        return (RuleTruth(isOnline == wanted), isOnline ? "online" : "offline")
    }

    func seen(of condition: RuleCondition) -> String {
        switch condition {
        case .state(let thing, let clause):
            guard let id = thing.id, let data = view.data(of: id) else { return "no thing" }
            return values(clause.fields.sorted(), data)
        case .during(let schedule):
            return calendar.zone(of: schedule)?.local(at: now).description ?? "no table of the time zone"
        case .level: return levelName
        case .zone(_, let who): return seen(of: who, .zone)
        case .near(_, let who): return seen(of: who, .thing)
        }
    }

    private func values(_ fields: [String], _ data: JSONObject) -> String {
        let values = fields.map { "\(Words.name($0)) \(data[$0].map(Words.value) ?? "missing")" }
        return values.isEmpty ? "data" : values.joined(separator: ", ")
    }

    private var levelName: String { view.level?.stateName ?? "no level" }

    /// Where a device of a rule is; of all devices, where each is: `this device kitchen, anna none`.
    private func seen(of device: RuleDevice, _ kind: FlareClass) -> String {
        switch device {
        case .own: return name(of: view.presence(kind, of: nil), kind)
        case .node(let node): return name(of: view.presence(kind, of: node), kind)
        case .any, .first, .last, .nobody: break
        }
        let devices = view.devices
        let words = devices.prefix(Self.mostDevices).map { node in
            let who = node.map { RuleDevice.node($0) } ?? .own
            return "\(who.words) \(name(of: view.presence(kind, of: node), kind))"
        }
        guard !words.isEmpty else { return "no device" }
        let more = devices.count - words.count
        return words.joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
    }

    /// More devices are not named.
    private static var mostDevices: Int { 20 }

    private func name(of presence: RulePresence, _ kind: FlareClass) -> String {
        switch presence {
        case .unknown: "not known"
        case .nowhere: "none"
        case .at(let id): Words.name(view.name(kind, id))
        }
    }
}
