package import Controller
import Foundation
import Rules
package import Settings

/// When rules count as missed, how often they may fire, and what is kept of their firings.
package struct RulesConfiguration: Sendable, Hashable {
    /// The time zone of schedules, where neither they nor the environment name one; `nil` for the system's.
    package var timeZone: String?
    /// How late a missed time may be caught up, minutes.
    package var missedMinutes = 60
    /// Firings of a chain that run.
    package var chain = 8
    /// Firings of one rule within a minute.
    package var perMinute = 60
    /// Notifications of one recipient within an hour.
    package var notificationsPerHour = 60
    /// How long firings are kept, days.
    package var firingDays = 90
    /// How many firings are kept.
    package var firingRows = 100_000

    package init() {}

    /// What the engine follows of it.
    ///
    /// - Parameter built: When the program was built, milliseconds since 1970 UTC; before it no clock can be right.
    func engine(built: Int64) -> RuleEngine.Configuration {
        RuleEngine.Configuration(
            chain: chain,
            perMinute: perMinute,
            missedMinutes: Int64(missedMinutes),
            built: built
        )
    }
}

extension ConfigurationDefaults {
    package var rules: RulesConfiguration { RulesConfiguration() }
}

extension ConfigurationSection {
    static let rules = ConfigurationSection(
        summaries: [
            "rules": "Rules: what counts as missed, how often they may fire, and what is kept of it."
        ],
        keys: ConfigurationKey.table([
            .init(
                "rules.time_zone",
                \.rules.timeZone,
                .optional(.checked(TimeZoneDatabase.legalNames) { TimeZoneDatabase.mayBeName($0) })
            ):
                "The time zone of schedules, unless they or the environment name one; null uses the system's.",
            .init("rules.missed_minutes", \.rules.missedMinutes, .integer(0...525_600)):
                "How late a missed time may be made up for, minutes, by rules with missed: run.",
            .init("rules.chain", \.rules.chain, .integer(1...100)):
                "How many firings may follow from each other; the next one is a loop and does not run.",
            .init("rules.per_minute", \.rules.perMinute, .integer(1...6000)):
                "How often one rule may fire within a minute.",
            .init("rules.notify_per_hour", \.rules.notificationsPerHour, .integer(1...10_000)):
                "How many notifications one recipient gets within an hour.",
            .init("rules.firing_days", \.rules.firingDays, .integer(1...3650)):
                "How long the firings of rules are kept, days.",
            .init("rules.firing_rows", \.rules.firingRows, .integer(100...10_000_000)):
                "How many firings of rules are kept; beyond that the oldest go.",
        ]),
        exchangeable: [.init(\.rules)],
        advice: [.knownTimeZone]
    )
}

extension ConfigurationRule {
    /// An error would end the start on a machine whose package tzdata is gone.
    fileprivate static let knownTimeZone = ConfigurationRule(paths: ["rules.time_zone"]) { values in
        values.rules.timeZoneProblem(in: TimeZoneDatabase(ProcessInfo.processInfo.environment))
    }
}

extension RulesConfiguration {
    /// What is said if the system does not know ``timeZone``; `nil` if it does, or none is named.
    package func timeZoneProblem(in database: TimeZoneDatabase) -> String? {
        guard let timeZone else { return nil }
        do throws(TimeZoneError) {
            _ = try database.zone(named: timeZone)
            return nil
        } catch {
            return "rules go by the time zone of this machine: \(error)"
        }
    }

    /// The alert about it.
    package func timeZoneAlert(in database: TimeZoneDatabase) -> ControllerEvent? {
        guard let problem = timeZoneProblem(in: database) else { return nil }
        let end = problem.hasSuffix("?") ? "" : "."
        let message = "rules.time_zone cannot be used, so \(problem)\(end) Correct it, and reload."
        return .alertRaised("time-zone", .warning, message: message)
    }
}
