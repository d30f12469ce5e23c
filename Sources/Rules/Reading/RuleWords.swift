import JSON
import Text
import Things

/// Writes the options of the command line in our own form, and remembers which option each part came from.
struct RuleWords {
    struct Origin {
        let path: String
        let option: String
    }

    let options: RuleOptions
    var json = JSONObject()
    var origins: [Origin] = []
    var triggers: [JSONValue] = []
    private var conditions: [JSONValue] = []
    var actions: [JSONValue] = []

    init(_ options: RuleOptions) { self.options = options }

    /// The option that a member came from: that of the longest path that the member's begins with.
    func option(at field: String?) -> String? {
        guard let field else { return nil }
        let found = origins.filter { origin in
            field == origin.path || [".", "["].contains { field.hasPrefix(origin.path + $0) }
        }.max { $0.path.utf8.count < $1.path.utf8.count }
        return found?.option
    }

    // MARK: Parts

    /// Remembers the options that a whole list came from, for what is wrong with all of it.
    mutating func addOrigin(ofList name: String) {
        var options: [String] = []
        for origin in origins where origin.path.hasPrefix("\(name)[") && origin.path.hasSuffix("]") {
            if !options.contains(origin.option) { options.append(origin.option) }
        }
        origins.append(Origin(path: name, option: Words.list(options, "and")))
    }

    mutating func addTrigger(_ option: String, _ members: JSONObject) {
        origins.append(Origin(path: "when[\(triggers.count)]", option: option))
        triggers.append(.object(members))
    }

    mutating func setRest(_ option: String, _ name: String, _ value: JSONValue) {
        origins.append(Origin(path: name, option: option))
        json[name] = value
    }

    static func invalid(_ option: String, _ legal: String, _ text: String) -> Refusal {
        Refusal(.invalidValue, "\(option) must be \(legal), is \(QuotedValue.of(text))", field: option)
    }

    static func needs(_ option: String, _ other: String) -> Refusal {
        Refusal(.invalidValue, "\(option) needs \(other)", field: option)
    }

    static func number(_ option: String, _ text: String) throws(Refusal) -> JSONValue {
        guard text.utf8.count <= 40, let number = try? JSONValue(parsing: text), number.number != nil else {
            throw invalid(option, "a number", text)
        }
        return number
    }

    /// JSON if it is some, else a text.
    static func value(_ text: String) -> JSONValue {
        guard text.utf8.count <= RuleLimits.bytes, let value = try? JSONValue(parsing: text) else {
            return .string(text)
        }
        return value
    }

    // MARK: When

    mutating func addTriggers() throws(Refusal) {
        try addStates()
        try addDevices()
        try addTimes()
        try addPlaces()
        for text in options.near { addPresence("--near", ["on": "near", "thing": .string(text)]) }
        for text in options.far { addPresence("--far", ["on": "far", "thing": .string(text)]) }
        if options.who != nil, (options.enter + options.exit + options.near + options.far).isEmpty {
            throw Self.needs("--who", "--enter, --exit, --near or --far")
        }
        for text in options.level { addTrigger("--level", ["on": "lifecycle", "level": .string(text)]) }
        guard !triggers.isEmpty else {
            throw Refusal(
                .invalidValue,
                """
                a rule needs one of --when, --device, --start, --cron, --once, --enter, --exit, --near, --far \
                and --level
                """
            )
        }
        json["when"] = .array(triggers)
        addOrigin(ofList: "when")
    }

    private mutating func addDevices() throws(Refusal) {
        if options.threshold != nil, options.device.isEmpty { throw Self.needs("--threshold", "--device") }
        for text in options.device {
            guard let thing = options.thing else { throw Self.needs("--device", "--thing") }
            var members: JSONObject = ["on": "device", "thing": .string(thing), "event": .string(text)]
            if let threshold = options.threshold {
                members["threshold"] = try Self.number("--threshold", threshold)
            }
            let path = "when[\(triggers.count)]"
            for (name, option) in [("threshold", "--threshold"), ("thing", "--thing")] {
                origins.append(Origin(path: "\(path).\(name)", option: option))
            }
            addTrigger("--device", members)
        }
    }

    private mutating func addTimes() throws(Refusal) {
        let details = [
            ("--end", options.end), ("--days", options.days), ("--from", options.from),
            ("--until", options.until),
        ]
        for (option, text) in details where text != nil && options.start == nil {
            throw Self.needs(option, "--start")
        }
        var isTimed = false
        if let start = options.start {
            var members: JSONObject = [
                "on": "schedule", "startTimeEachDay": .string(try Self.time("--start", start)),
            ]
            if let end = options.end { members["endTimeEachDay"] = .string(try Self.time("--end", end)) }
            try checkDates()
            if let days = options.days { members["daysOfWeek"] = try Self.days(days) }
            members["startDate"] = options.from.map { .string($0) }
            members["endDate"] = options.until.map { .string($0) }
            let path = "when[\(triggers.count)]"
            for (name, option) in [
                ("endTimeEachDay", "--end"), ("daysOfWeek", "--days"), ("startDate", "--from"),
                ("endDate", "--until"),
            ] {
                origins.append(Origin(path: "\(path).\(name)", option: option))
            }
            addTime("--start", members)
            isTimed = true
        }
        for text in options.cron { addTime("--cron", ["on": "cron", "cron": .string(text)]) }
        for text in options.once {
            let isNumber = text.utf8.allSatisfy { (0x30...0x39).contains($0) }
            addTime("--once", ["on": "once", "at": isNumber ? Self.value(text) : .string(text)])
        }
        isTimed = isTimed || !options.cron.isEmpty || !options.once.isEmpty
        if options.missed != nil, !isTimed { throw Self.needs("--missed", "--start, --cron or --once") }
    }

    private func checkDates() throws(Refusal) {
        for (option, text) in [("--from", options.from), ("--until", options.until)] {
            guard let text, CivilDate(text) == nil else { continue }
            throw Self.invalid(option, "a date such as 2026-12-20", text)
        }
        guard let from = options.from.flatMap({ CivilDate($0) }),
            let until = options.until.flatMap({ CivilDate($0) }), until < from
        else { return }
        throw Refusal(
            .invalidValue,
            "--until must not be before --from, which is \(from); is \(until)",
            field: "--until"
        )
    }

    private mutating func addTime(_ option: String, _ members: JSONObject) {
        var members = members
        members["missed"] = options.missed.map { .string($0) }
        origins.append(Origin(path: "when[\(triggers.count)].missed", option: "--missed"))
        addTrigger(option, members)
    }

    /// Days with commas, from the first to the last day with a hyphen: `1,7`, `mon-fri`.
    private static func days(_ text: String) throws(Refusal) -> JSONValue {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        var days: [Int] = []
        for part in parts.prefix(8) {
            let ends = part.split(separator: "-", omittingEmptySubsequences: false)
                .prefix(3).map { Self.day($0) }
            guard parts.count <= 7, ends.count <= 2, let first = ends.first ?? nil,
                let last = ends.last ?? nil
            else {
                let legal = "days with commas or hyphens, from 1 or sun to 7 or sat, such as 1,7 or mon-fri"
                throw invalid("--days", legal, text)
            }
            var next = first
            days.append(next)
            while next != last {
                // The week goes on: fri-mon.
                next = next % 7 + 1
                days.append(next)
            }
        }
        var known: Set<Int> = []
        return .array(days.filter { known.insert($0).inserted }.map { JSONValue($0) })
    }

    private static func day(_ text: Substring) -> Int? {
        let names = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
        let index = names.firstIndex(of: text.lowercased())
        return index.map { $0 + 1 } ?? Int(text).flatMap { 1...7 ~= $0 ? $0 : nil }
    }

    private mutating func addPlaces() throws(Refusal) {
        let texts =
            options.enter.map { ("--enter", JSONValue("enter"), $0) }
            + options.exit.map { ("--exit", JSONValue("exit"), $0) }
        var hasBeacon = false
        for (option, kind, text) in texts {
            var members = try Self.place(option, on: kind, text)
            if members["beacon"] != nil {
                hasBeacon = true
                if let rssi = options.rssi { members["rssi"] = try Self.number("--rssi", rssi) }
                if let gone = options.gone { members["gone"] = try Self.number("--gone", gone) }
                let path = "when[\(triggers.count)]"
                origins.append(Origin(path: "\(path).rssi", option: "--rssi"))
                origins.append(Origin(path: "\(path).gone", option: "--gone"))
            }
            addPresence(option, members)
        }
        guard !hasBeacon else { return }
        for (option, text) in [("--rssi", options.rssi), ("--gone", options.gone)] where text != nil {
            throw Self.needs(option, "beacon: in --enter or --exit")
        }
    }

    /// A coming or a going, of the device of `--who`.
    private mutating func addPresence(_ option: String, _ members: JSONObject) {
        var members = members
        members["device"] = options.who.map { .string($0) }
        origins.append(Origin(path: "when[\(triggers.count)].device", option: "--who"))
        addTrigger(option, members)
    }

    private static func place(
        _ option: String,
        on kind: JSONValue,
        _ text: String
    ) throws(Refusal) -> JSONObject {
        let legal = "zone:Z, geo:LATITUDE,LONGITUDE,METRES or beacon:TEXT"
        guard let colon = text[...].firstPlace(of: ":") else { throw invalid(option, legal, text) }
        let rest = String(text[text.utf8.index(after: colon)...])
        switch text[..<colon] {
        case "zone": return ["on": kind, "zone": .string(rest)]
        case "beacon": return ["on": kind, "beacon": .string(rest)]
        case "geo":
            let parts = rest.split(separator: ",", omittingEmptySubsequences: false).prefix(4).map(
                String.init
            )
            guard parts.count == 3 else { throw invalid(option, legal, text) }
            let circle: JSONObject = [
                "latitude": try number(option, parts[0]), "longitude": try number(option, parts[1]),
                "radius": try number(option, parts[2]),
            ]
            return ["on": kind, "geofence": .object(circle)]
        default: throw invalid(option, legal, text)
        }
    }

    // MARK: If

    mutating func addConditions() throws(Refusal) {
        for text in options.between {
            origins.append(Origin(path: "if[\(conditions.count)]", option: "--between"))
            let range = try Self.range(text)
            let during: JSONObject = [
                "startTimeEachDay": .string(range.from), "endTimeEachDay": .string(range.until),
            ]
            conditions.append(["during": .object(during)])
        }
        guard !conditions.isEmpty else { return }
        json["if"] = .array(conditions)
        addOrigin(ofList: "if")
    }

    /// `08:00-20:00`; a hyphen may also be before an offset, as in `sunset-01:00-06:00`.
    private static func range(_ text: String) throws(Refusal) -> (from: String, until: String) {
        let bytes = Array(text.utf8)
        for index in bytes.indices.prefix(64) where bytes[index] == UInt8(ascii: "-") {
            if let from = time(Self.text(bytes[..<index])), let until = time(Self.text(bytes[(index + 1)...]))
            {
                return (from, until)
            }
        }
        throw invalid("--between", "two times such as 08:00-20:00 or sunset-23:30", text)
    }

    private static func time(_ option: String, _ text: String) throws(Refusal) -> String {
        guard let time = time(text) else {
            throw invalid(option, "a time such as 08:00, 08:00:00, sunset or sunrise+00:30", text)
        }
        return time
    }

    /// A time with its seconds; `nil` for any other text.
    private static func time(_ text: String) -> String? {
        for name in ["sunrise", "sunset"] where text.hasPrefix(name) {
            let offset = text.dropFirst(name.count)
            guard let sign = offset.first else { return name }
            guard sign == "+" || sign == "-", let time = clock(offset.dropFirst()) else { return nil }
            return "\(name)\(sign)\(time)"
        }
        return clock(text[...])
    }

    private static func clock(_ text: Substring) -> String? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard 2...3 ~= parts.count, parts.allSatisfy({ $0.utf8.count == 2 }),
            text.utf8.allSatisfy({ (0x30...0x3A).contains($0) })
        else { return nil }
        let time = parts.count == 2 ? "\(text):00" : String(text)
        return TimeOfDay(time) == nil ? nil : time
    }

    // MARK: The rest

    mutating func addRest() throws(Refusal) {
        if let title = options.title { setRest("--title", "title", .string(title)) }
        if let pause = options.pause { setRest("--pause", "pause", try Self.number("--pause", pause)) }
    }
}
