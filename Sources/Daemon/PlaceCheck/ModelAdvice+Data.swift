import Flare
import JSON
import Positioning
import Profiles
import Text
import Things

/// What is wrong in the data of objects.
extension ModelAdvice {
    mutating func data(_ data: JSONValue, _ kind: FlareClass, at place: String) {
        guard !data.isNull else { return }
        guard let members = data.object else {
            return warn(place, "must be an object (is \(data.shortText))")
        }
        let keys = ModelDataKey.all(of: kind)
        // A thing that only reports a power reports watts, and no beacon's power.
        let reported =
            kind == .thing
            ? DataKey.reported(in: members).filter { !DataKey.isFixed($0) } : []
        // A profile says itself what its keys may hold, and which there are.
        let hasProfile =
            kind == .thing && DataKey.profile.contains { members[$0]?.string != nil }
        for (name, value) in members.sorted(by: { $0.key < $1.key }) where !value.isNull {
            if let key = keys[name] {
                let isFree =
                    reported.contains(name) || hasProfile && !DataKey.isFixed(name)
                if !isFree, let problem = key.problem(with: value) {
                    warn("\(place).\(name)", "\(problem) (is \(value.shortText))\(key.effect(of: value))")
                }
            } else if name == "actions" {
                warn("\(place).\(name)", "belongs beside \"data\", not in it")
            } else if !hasProfile, name.count > 2,
                let meant = NearestName.to(name, among: keys.keys.sorted()),
                members[meant] == nil
            {
                warn("\(place).\(name)", "has no meaning of its own; did you mean \"\(meant)\"?")
            }
        }
        if kind == .thing, !hasProfile { thingData(members, at: place) }
        if kind == .thing { profile(members["profile"]?.string, at: place) }
    }

    /// A profile may be one of the user's own, which only the configuration knows.
    private mutating func profile(_ name: String?, at place: String) {
        let known = profiles ?? ProfileLibrary.builtIn.profiles.map(\.name)
        guard let name, !known.contains(name), let meant = NearestName.to(name, among: known) else { return }
        let shown = JSONValue.string(name).shortText
        let kind =
            profiles == nil
            ? "no built-in profile" : "neither a built-in profile nor one of the configuration"
        let advice = profiles == nil ? " If it is one of yours, name the configuration with --config" : ""
        warn("\(place).profile", "is \(kind) (is \(shown)); did you mean \"\(meant)\"?\(advice)")
    }

    private mutating func thingData(_ data: JSONObject, at place: String) {
        let options = data["options"]?.array?.compactMap(\.string) ?? []
        if let colour = data["color"]?.string, !options.contains(colour),
            RGBColour(drawn: .string(colour)) == nil
        {
            warn(
                "\(place).color",
                "is no known colour (is \(JSONValue.string(colour).shortText)); legal: a CSS colour name, #rrggbb, or one of options"
            )
        }
        for name in data["readonly"]?.array?.compactMap(\.string) ?? [] where data[name] == nil {
            let hint = NearestName.hint(for: name, among: data.keys.sorted())
            warn(
                "\(place).readonly",
                "names \(JSONValue.string(name).shortText), which is not in the data\(hint)"
            )
        }
    }

    /// Constants of an environment's own for the grid estimator.
    mutating func constants(_ value: JSONValue?, at place: String) {
        guard let members = value?.object else { return }
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            guard let constant = GridEstimator.Constant(rawValue: name) else {
                let names = GridEstimator.Constant.allCases.map(\.rawValue)
                warn("\(place).\(name)", "is no constant\(NearestName.hint(for: name, among: names))")
                continue
            }
            if let problem = ModelDataKey.number(constant.range).problem(with: value) {
                warn("\(place).\(name)", "\(problem) (is \(value.shortText))")
            }
        }
    }
}

/// The numbers of beacons and the names of receivers of an environment, in the order of the file.
struct ModelBeacons {
    private(set) var hasAny = false
    /// Where each was first.
    private var majors: [Int: String] = [:]
    private var minors: [[Int]: String] = [:]
    private var receivers: [String: String] = [:]
    private var major: Int?

    mutating func enter(_ zone: JSONValue, at place: String, _ advice: inout ModelAdvice) {
        major = Self.number("major", of: zone)
        guard let major, let other = Self.first(&majors, major, place) else { return }
        advice.warn("\(place).data.major", "is \(major), as that of \(other); each zone needs its own")
    }

    mutating func add(_ thing: JSONValue, at place: String, _ advice: inout ModelAdvice) {
        let minor = Self.number("minor", of: thing)
        if let receiver = thing["data"]?["receiver"]?.string {
            if minor != nil { advice.warn("\(place).data.minor", "is beside a receiver, which counts") }
            if let other = Self.first(&receivers, receiver, place) {
                advice.warn("\(place).data.receiver", "is the name of \(other) already, which counts")
            }
            return
        }
        guard let minor else { return }
        hasAny = true
        guard let major else {
            return advice.warn("\(place).data.minor", "counts for nothing: its zone has no data.major")
        }
        guard let other = Self.first(&minors, [major, minor], place) else { return }
        advice.warn(
            "\(place).data.minor",
            "is \(minor), as that of \(other) with the same major; the first counts"
        )
    }

    /// Where a key was before; `nil` if this is its first place.
    private static func first<Key>(_ places: inout [Key: String], _ key: Key, _ place: String) -> String? {
        if let first = places[key] { return first }
        places[key] = place
        return nil
    }

    private static func number(_ key: String, of json: JSONValue) -> Int? {
        json["data"]?.flareNumber(key).flatMap { Int(exactly: $0) }.flatMap {
            (0...65535).contains($0) ? $0 : nil
        }
    }
}

extension JSONValue {
    /// The value as a warning may show it.
    var shortText: String {
        switch self {
        case .object: "an object"
        case .array: "a list"
        case .string(let text): JSONValue.string(QuotedValue.clipped(text, to: 40)).text
        default: text
        }
    }
}
