package import JSON

/// What a rule remembers over a restart.
///
/// Places, levels and connections are not among it: a start is not an event.
/// - Source: contrib/contract/rules.md, "State and places" and "Schedules".
package struct RuleMemory: Sendable, Hashable {
    /// By the numbers of the rule's triggers, from 0.
    var truths: [Int: RuleTruth] = [:]
    /// The triggers that are true since the rule began with them.
    var standing: Set<Int> = []
    var times: [Int: TimeMemory] = [:]
    /// When it fired last, milliseconds since 1970 UTC.
    var fired: Int64?

    struct TimeMemory: Sendable, Hashable {
        /// Occurrences that start up to it are done.
        var handled: Int64
        /// The start of the last occurrence.
        var last: Int64?
        var run: TimeRun?
        /// The start of the run in which the actions of the range have run.
        var ranged: Int64?
    }
}

/// A run of a schedule that is not over.
struct TimeRun: Sendable, Hashable {
    let start: Int64
    let end: Int64
    /// Whether its start was seen or caught up: then its end is caught up, too.
    var isBegun: Bool
    /// Whether its start or its range has fired: then its end asks no conditions.
    var hasFired: Bool
}

// MARK: - JSON

extension RuleMemory {
    package var json: JSONObject {
        var json = JSONObject()
        let truths = JSONObject(truths.map { ("\($0)", JSONValue.string($1.rawValue)) })
        let times = JSONObject(times.map { ("\($0)", JSONValue.object($1.json)) })
        json["truths"] = truths.isEmpty ? nil : .object(truths)
        json["times"] = times.isEmpty ? nil : .object(times)
        if !standing.isEmpty { json["standing"] = .array(standing.sorted().map { JSONValue($0) }) }
        json["fired"] = fired.map(JSONValue.init(milliseconds:))
        return json
    }

    /// What is not as ``json`` writes it is left out, as if nothing were remembered of it.
    package init(_ json: JSONObject) {
        for (number, truth) in json["truths"]?.object ?? [:] {
            guard let number = Int(number), let truth = truth.string.flatMap({ RuleTruth(rawValue: $0) })
            else { continue }
            truths[number] = truth
        }
        standing = Set((json["standing"]?.array ?? []).compactMap(\.integer).filter { truths[$0] == .yes })
        for (number, time) in json["times"]?.object ?? [:] {
            guard let number = Int(number), let time = time.object.flatMap(TimeMemory.init) else { continue }
            times[number] = time
        }
        fired = json["fired"]?.milliseconds
    }
}

extension RuleMemory.TimeMemory {
    fileprivate var json: JSONObject {
        var json: JSONObject = ["handled": JSONValue(milliseconds: handled)]
        json["last"] = last.map(JSONValue.init(milliseconds:))
        json["ranged"] = ranged.map(JSONValue.init(milliseconds:))
        json["run"] = run.map { .object($0.json) }
        return json
    }

    fileprivate init?(_ json: JSONObject) {
        guard let handled = json["handled"]?.milliseconds else { return nil }
        self.init(
            handled: handled,
            last: json["last"]?.milliseconds,
            run: json["run"]?.object.flatMap(TimeRun.init),
            ranged: json["ranged"]?.milliseconds
        )
    }
}

extension TimeRun {
    fileprivate var json: JSONObject {
        [
            "start": JSONValue(milliseconds: start), "end": JSONValue(milliseconds: end),
            "begun": .bool(isBegun), "fired": .bool(hasFired),
        ]
    }

    fileprivate init?(_ json: JSONObject) {
        guard let start = json["start"]?.milliseconds, let end = json["end"]?.milliseconds, start <= end,
            let isBegun = json["begun"]?.bool, let hasFired = json["fired"]?.bool
        else { return nil }
        self.init(start: start, end: end, isBegun: isBegun, hasFired: hasFired)
    }
}

extension JSONValue {
    fileprivate init(milliseconds: Int64) { self.init(Int(milliseconds)) }

    /// A time within the years 1 to 9999.
    fileprivate var milliseconds: Int64? {
        integer.flatMap { (-62_135_596_800_000...253_402_300_799_999).contains($0) ? Int64($0) : nil }
    }
}
