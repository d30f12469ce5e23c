extension ConfigurationKey {
    static let log: [ConfigurationKey] = [
        .init("log.level", \.log.level, .choice(), "What is logged: this level and those after it."),
        .init(
            "log.format",
            \.log.format,
            .choice(),
            "The format: text for people, json for programs; one line for each message, on standard error."
        ),
    ]
}
