package import Controller

/// The topics of rules.
/// - Source: contrib/contract/rules.md, "MQTT".
extension Topics {
    /// A rule as it is now, retained.
    package func rule(_ slug: String) -> String { topic("rules/\(slug)") }
    /// The firings of a rule.
    package func firings(ofRule slug: String) -> String { topic("rules/\(slug)/fired") }
    /// What a rule publishes.
    package func output(ofRule slug: String) -> String { topic("rules/\(slug)/out") }

    /// Where a rule is switched on and off.
    package func ruleSet(_ slug: String) -> String { topic("rules/\(slug)/set") }
    /// Where a rule's actions are done now.
    package func ruleRun(_ slug: String) -> String { topic("rules/\(slug)/run") }

    /// Where an event is published apart from ``event(_:)``; `nil` for nowhere.
    package func further(_ event: ChangeEvent) -> String? { event.furtherTopic.map { topic($0) } }

    /// What rules tell once, as filters.
    var ruleMessages: [String] { [firings(ofRule: "+"), output(ofRule: "+")] }
}
