import Accounts
import Flare
import Foundation
import GRDB
import JSON
import People
import Rules

/// Rules about the things of ``BenchmarkPlace``, as the driver's `rules.c` expects them.
///
/// Of four lamps each no rule looks at the first one. One that never fires looks at the second. Two give the brightness of
/// the third one to the fourth. And a schedule, which is not due for hours, dims the first.
struct BenchmarkRules {
    enum Kind {
        /// Those above.
        case mixed
        /// For counting: half of them look at the second half of each room, and never fire. The others are such schedules.
        case watching
    }

    static let most = 1_000

    /// How many there are: those that only watch come first.
    let count: Int
    var kind = Kind.mixed

    private static let groups = most / 4
    /// Commands set a brightness of 100 or 101 of 255, and Flare stores 0.3922 or 0.3961.
    private static let (dim, bright, limit) = (100, 101, 0.394)
    /// No lamp is as bright.
    private static let never = 2

    // MARK: What they say

    /// In the order in which they are stored.
    private func rules(at now: Int64) -> [JSONValue] {
        var all: [JSONValue] = []
        switch kind {
        case .watching:
            let lamps = (1...Self.most).filter { ($0 - 1) % 10 >= 5 }
            for lamp in lamps { all.append(Self.watching(lamp)) }
            for lamp in lamps { all.append(Self.daily(lamp - 5, at: now)) }
        case .mixed:
            for group in 0..<Self.groups { all.append(Self.watching(4 * group + 2)) }
            for group in 0..<Self.groups {
                all.append(Self.following(4 * group + 3, isUp: true))
                all.append(Self.following(4 * group + 3, isUp: false))
            }
            for group in 0..<Self.groups { all.append(Self.daily(4 * group + 1, at: now)) }
        }
        return Array(all.prefix(count))
    }

    private static func watching(_ lamp: Int) -> JSONValue {
        rule(
            "Lamp \(lamp) is too bright",
            when: trigger(lamp, ["lowerLimit": JSONValue(never), "lowerIncluded": true]),
            then: ["brightness": JSONValue(dim)],
            of: lamp
        )
    }

    /// Gives a lamp's brightness to the next one, whenever it passes the limit upwards or downwards.
    private static func following(_ lamp: Int, isUp: Bool) -> JSONValue {
        let border = isUp ? "lower" : "upper"
        return rule(
            "Lamp \(lamp + 1) follows \(isUp ? "up" : "down")",
            when: trigger(lamp, ["\(border)Limit": .number(limit), "\(border)Included": true]),
            then: ["brightness": JSONValue(isUp ? bright : dim)],
            of: lamp + 1
        )
    }

    /// Between three and 23 hours from now, and each day.
    private static func daily(_ lamp: Int, at now: Int64) -> JSONValue {
        let second = (Int(now / 1000) + 3 * 3600 + lamp * (20 * 3600 / most)) % 86_400
        return rule(
            "Lamp \(lamp) is dimmed",
            when: ["on": "schedule", "startTimeEachDay": .string(clock(second)), "utc": true],
            then: ["brightness": JSONValue(dim)],
            of: lamp
        )
    }

    private static func trigger(_ lamp: Int, _ limits: JSONObject) -> JSONValue {
        var clause: JSONObject = ["type": "range", "field": "brightness"]
        for (name, value) in limits { clause[name] = value }
        return ["on": "state", "thing": .string("lamp-\(lamp)"), "clause": .object(clause)]
    }

    private static func rule(
        _ title: String,
        when trigger: JSONValue,
        then values: JSONValue,
        of lamp: Int
    ) -> JSONValue {
        [
            "title": .string(title), "when": .array([trigger]),
            "then": [["set": values, "target": .string("thing:lamp-\(lamp)")]],
        ]
    }

    /// A time of day as schedules have it, from its number of seconds.
    static func clock(_ second: Int) -> String {
        [second / 3600, second / 60 % 60, second % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
            .joined(separator: ":")
    }

    // MARK: Read

    /// A rule as the daemon reads it.
    struct Read {
        /// Its references are identifiers.
        let rule: Rule
        let form: RuleForm
        /// What came in.
        let original: String
    }

    /// Reads them as the daemon does.
    ///
    /// - Parameter now: Milliseconds since 1970 UTC.
    func read(at now: Int64) throws -> [Read] {
        try rules(at: now).map { json in
            let read = try RuleReader().read(json, as: .rule)
            let rule = try read.rule.resolved { _, name in Self.thing(named: name) }
            return Read(rule: rule, form: read.form, original: read.original.text)
        }
    }

    private static func thing(named name: String) -> FlareID {
        guard let number = Int(name.dropFirst("lamp-".count)), (1...most).contains(number) else {
            fatalError("no lamp is called \(name)")
        }
        return BenchmarkPlace.thing(number - 1)
    }

    // MARK: In a store

    /// Adds them, and users who make them, to the database of a daemon that does not run, and has run before.
    ///
    /// Without any rules the users are there, too, so that places differ by rules alone.
    func fill(_ file: String) throws {
        let queue = try DatabaseQueue(path: file)
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        let makers = (0..<Self.most / PeopleLimits.rulesOfUser).map { AccountID(high: 3, low: UInt16($0)) }
        try queue.write { database in
            for (number, maker) in makers.enumerated() {
                try database.execute(
                    sql: """
                        INSERT INTO user (id, name, display, email, state, made) VALUES (?, ?, '', '', 'active', ?)
                        """,
                    arguments: ["\(maker)", "maker-\(number + 1)", now]
                )
                try database.execute(
                    sql: "INSERT INTO permission (grantee, scope, access, share) VALUES (?, ?, ?, 0)",
                    arguments: ["\(Grantee.user(maker))", "\(Scope.all)", Access.own.rawValue]
                )
            }
        }
        let rules = try read(at: now).enumerated().map { number, read in
            NewRule(
                slug: "rule-\(number + 1)",
                title: read.rule.title,
                maker: makers[number / PeopleLimits.rulesOfUser],
                form: read.form.rawValue,
                body: JSONValue.object(read.rule.json).text,
                original: read.original
            )
        }
        try AccountsStore(queue).atomically { store in
            for rule in rules { _ = try store.addRule(rule, at: now) }
        }
    }
}
