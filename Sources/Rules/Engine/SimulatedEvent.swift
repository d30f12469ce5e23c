import Controller
import Flare
import JSON
import Text
package import Things

/// Something that happens in a simulation.
/// - Source: contrib/contract/rules.md, "Simulation".
package struct SimulatedEvent: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        case state(String, JSONObject)
        // The node is that of a further device.
        case enter(String, by: String?)
        case exit(String, by: String?)
        case near(String, by: String?)
        case far(String, by: String?)
        case level(LifecycleLevel)
        case availability(String, isOnline: Bool)
        case location(GeoPoint, accuracy: Double)
        case beacon(BeaconName, rssi: Int)
        case stop
        case start
        /// Milliseconds since 1970 UTC.
        case clock(Int64)
    }

    /// What the daemon's clock shows then, milliseconds since 1970 UTC.
    let time: Int64
    let kind: Kind
    /// Of the file, from 1.
    let line: Int

    static let header = "time,kind,subject,value"
    /// More events are refused.
    package static let most = 1_000_000
    /// Bytes of the longest line.
    static let longestLine = 65_536

    /// Reads a file of events.
    ///
    /// Times are RFC 3339, or without an offset those of the zone. What the daemon's clock shows counts, so that
    /// after an event `clock` times go on from the new one; else they may not go back.
    /// - Throws: `invalid_value` with the number of the line.
    package static func read(_ text: String, in zone: ZoneTable) throws(Refusal) -> [SimulatedEvent] {
        var events: [SimulatedEvent] = []
        var number = 0
        var time = Int64.min
        // Both are one character of Swift's.
        for line in text.split(
            omittingEmptySubsequences: false,
            whereSeparator: { $0 == "\n" || $0 == "\r\n" }
        ) {
            number += 1
            guard number > 1 else {
                guard line == header || line == "\u{FEFF}\(header)" else {
                    throw refusal(1, "must be the header \(header)")
                }
                continue
            }
            guard !line.isEmpty else { continue }
            guard events.count < most else { throw refusal(number, "is one of more than \(most) events") }
            let event = try event(String(line), number, in: zone)
            guard event.time >= time else {
                throw refusal(number, "has a time before that of the line above")
            }
            time = event.time
            if case .clock(let new) = event.kind { time = new }
            events.append(event)
        }
        guard number > 0, !text.isEmpty else { throw refusal(1, "must be the header \(header)") }
        return events
    }

    /// Checks that the things and zones of events are there.
    ///
    /// - Throws: `unknown_thing` with the number of the line.
    package static func check(_ events: [SimulatedEvent], in place: SimulatedPlace) throws(Refusal) {
        for event in events {
            guard let (kind, name) = event.kind.subject, let problem = place.problem(kind, name) else {
                continue
            }
            let line = "line \(event.line)"
            throw Refusal(.unknownThing, "\(line): \(problem)", field: line)
        }
    }

    private static func refusal(_ line: Int, _ rest: String) -> Refusal {
        Refusal(.invalidValue, "line \(line) \(rest)", field: "line \(line)")
    }

    private static func event(_ line: String, _ number: Int, in zone: ZoneTable) throws(Refusal) -> Self {
        guard line.utf8.count <= longestLine else {
            throw refusal(number, "must have at most \(longestLine) bytes")
        }
        let columns = line.split(separator: ",", maxSplits: 3, omittingEmptySubsequences: false)
            .map(String.init)
        guard columns.count >= 3 else {
            throw refusal(number, "must have the columns \(header), is \(QuotedValue.of(line))")
        }
        guard let time = instant(columns[0], in: zone) else {
            throw refusal(number, "must begin with a time, \(timeRule), is \(QuotedValue.of(columns[0]))")
        }
        let value = columns.count > 3 ? columns[3] : ""
        do throws(Refusal) {
            return Self(time: time, kind: try kind(columns[1], columns[2], value, in: zone), line: number)
        } catch {
            throw refusal(number, error.message)
        }
    }

    private static let timeRule = "as in 2026-06-01T08:00:00 or 2026-06-01T08:00:00+02:00"

    /// RFC 3339, or a local time without an offset.
    package static func instant(_ text: String, in zone: ZoneTable) -> Int64? {
        guard text.utf8.count <= 40 else { return nil }
        if let date = CivilDate(text) { return zone.instant(of: date, .midnight) }
        if let time = CivilTime(text) { return time.milliseconds }
        let parts = text.split(separator: "T", omittingEmptySubsequences: false)
        guard parts.count == 2, let date = CivilDate(String(parts[0])) else { return nil }
        let clock = parts[1].utf8.count == 5 ? "\(parts[1]):00" : String(parts[1])
        return TimeOfDay(clock).map { zone.instant(of: date, $0) }
    }
}

// MARK: - Kinds

extension SimulatedEvent.Kind {
    /// The thing or the zone that it is about.
    fileprivate var subject: (kind: FlareClass, name: String)? {
        switch self {
        case .state(let name, _), .near(let name, _), .far(let name, _), .availability(let name, _):
            (.thing, name)
        case .enter(let name, _), .exit(let name, _): (.zone, name)
        case .level, .location, .beacon, .stop, .start, .clock: nil
        }
    }

    /// The node of the further device that it is about.
    var node: String? {
        switch self {
        case .enter(_, let node), .exit(_, let node), .near(_, let node), .far(_, let node): node
        case .state, .level, .availability, .location, .beacon, .stop, .start, .clock: nil
        }
    }
}

extension SimulatedEvent {
    private static let kinds =
        "state, enter, exit, near, far, level, availability, location, beacon, stop, start, clock"

    private static func kind(
        _ word: String,
        _ subject: String,
        _ value: String,
        in zone: ZoneTable
    ) throws(Refusal) -> Kind {
        switch word {
        case "state": return .state(try name(subject), try object(value))
        case "enter": return .enter(try zoneName(subject), by: try node(value))
        case "exit": return .exit(try zoneName(subject), by: try node(value))
        case "near": return .near(try name(subject), by: try node(value))
        case "far": return .far(try name(subject), by: try node(value))
        case "level":
            let found = LifecycleLevel.allCases.first { $0.stateName == value || $0.hmiLevel == value }
            guard let level = found else {
                let names = LifecycleLevel.allCases.map(\.stateName)
                throw invalid("has as value \(QuotedValue.of(value)); must be \(Words.list(names, "or"))")
            }
            return .level(level)
        case "availability":
            guard value == "online" || value == "offline" else {
                throw invalid("has as value \(QuotedValue.of(value)); must be online or offline")
            }
            return .availability(try name(subject), isOnline: value == "online")
        case "location": return try location(value)
        case "beacon": return try beacon(subject, value)
        case "stop": return .stop
        case "start": return .start
        case "clock":
            guard let time = instant(value, in: zone) else {
                throw invalid("has as value \(QuotedValue.of(value)); must be a time, \(timeRule)")
            }
            return .clock(time)
        default: throw invalid("has as kind \(QuotedValue.of(word)); must be one of \(kinds)")
        }
    }

    private static func invalid(_ text: String) -> Refusal { Refusal(.invalidValue, text) }

    private static func name(_ subject: String) throws(Refusal) -> String {
        let name = subject.hasPrefix("thing:") ? String(subject.dropFirst("thing:".count)) : subject
        guard 1...RuleLimits.nameBytes ~= name.utf8.count else {
            throw invalid("must have a thing of 1 to \(RuleLimits.nameBytes) bytes as subject")
        }
        return name
    }

    private static func zoneName(_ subject: String) throws(Refusal) -> String {
        let name = subject.dropFirst("zone:".count)
        guard subject.hasPrefix("zone:"), 1...RuleLimits.nameBytes ~= name.utf8.count else {
            throw invalid("has as subject \(QuotedValue.of(subject)); must be zone: with a name")
        }
        return String(name)
    }

    /// The device that it is about; without one, the daemon's own.
    private static func node(_ value: String) throws(Refusal) -> String? {
        guard !value.isEmpty else { return nil }
        guard value.utf8.count <= RuleLimits.nameBytes, RuleDevice(value).node != nil else {
            throw invalid("has as value \(QuotedValue.of(value)); must be the node of a device, or empty")
        }
        return value
    }

    private static func object(_ value: String) throws(Refusal) -> JSONObject {
        guard let object = (try? JSONValue(parsing: value))?.object else {
            throw invalid("has as value \(QuotedValue.of(value)); must be a JSON object")
        }
        return object
    }

    private static func location(_ value: String) throws(Refusal) -> Kind {
        let numbers = value.split(separator: " ").map { Double($0) }
        guard 2...3 ~= numbers.count, let latitude = numbers[0], let longitude = numbers[1],
            let accuracy = numbers.count == 3 ? numbers[2] : 0, accuracy >= 0, accuracy.isFinite
        else { throw invalid(locationRule(value)) }
        let point = GeoPoint(latitude: latitude, longitude: longitude)
        guard point.isValid else { throw invalid(locationRule(value)) }
        return .location(point, accuracy: accuracy)
    }

    private static func locationRule(_ value: String) -> String {
        "has as value \(QuotedValue.of(value)); must be a latitude and a longitude in degrees, and the accuracy in "
            + "metres or not"
    }

    private static func beacon(_ subject: String, _ value: String) throws(Refusal) -> Kind {
        guard let name = BeaconName(subject) else {
            throw invalid("has as subject \(QuotedValue.of(subject)); must be \(BeaconName.rule)")
        }
        guard let rssi = Int(value), RuleLimits.rssi.contains(Int64(rssi)) else {
            let legal = RuleLimits.rssi
            throw invalid(
                "has as value \(QuotedValue.of(value)); must be dBm from \(legal.lowerBound) to \(legal.upperBound)"
            )
        }
        return .beacon(name, rssi: rssi)
    }
}
