import JSON
import Text
import Things

extension RuleReading {
    /// A schedule, without the members that are not Ayla's.
    ///
    /// - Parameter skipsEmpty: Whether empty texts and lists count as absent, as Ayla's service sends them.
    func schedule(in object: RuleObject, skipsEmpty: Bool = false) throws(Refusal) -> Schedule {
        var members = JSONObject()
        for name in Schedule.memberNames {
            guard let value = object.optional(name) else { continue }
            if skipsEmpty, value.string?.isEmpty == true || value.array?.isEmpty == true { continue }
            // A list of a schedule has no more than the days of a month, whatever it is of.
            if let list = value.array, list.count > 62 {
                throw object.refusal(
                    .invalidValue,
                    of: name,
                    "must have at most 62 elements, has \(list.count)"
                )
            }
            members[name] = value
        }
        return try Schedule(members, at: object.path)
    }

    /// A time, in the member `at` or another.
    static func time(_ name: String, in object: RuleObject) throws(Refusal) -> Int64 {
        let legal = "a time such as 2030-01-01T08:00:00Z, or milliseconds since 1970"
        let value = try object.required(name, legal)
        if let text = value.string {
            // A date alone is no time of RFC 3339.
            guard text.utf8.count > 10, let time = CivilTime(text)?.milliseconds,
                RuleLimits.time.contains(time)
            else { throw object.invalid(name, value, legal) }
            return time
        }
        guard let number = value.number else { throw object.wrongType(name, value, legal) }
        guard let time = value.integer.map(Int64.init), RuleLimits.time.contains(time), number.isFinite else {
            throw object.invalid(name, value, legal)
        }
        return time
    }

    /// The name of a time zone; whether there is such a zone is not known here.
    static func timeZone(in object: RuleObject) throws(Refusal) -> String? {
        let legal = "the name of a time zone, such as Europe/Berlin"
        guard let text = try object.optionalText("timeZone", legal) else { return nil }
        let isName =
            1...64 ~= text.utf8.count && text.utf8.first != UInt8(ascii: "/") && !text.contains("..")
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                default: "_+-/".utf8.contains(byte)
                }
            }
        guard isName else { throw object.invalid("timeZone", .string(text), legal) }
        return text
    }
}
