extension ConfigurationKey {
    static let log: [ConfigurationKey] = [
        .init(
            "log.level",
            \.log.level,
            .choice(),
            "What is logged: this level and those after it; none logs nothing."
        ),
        .init(
            "log.format",
            \.log.format,
            .choice(),
            "The format: text for people, json for programs; one line for each message, on standard error."
        ),
        .init(
            "log.file",
            \.log.file,
            .optional(.writtenPath),
            "A file to which the log is written as well; it is opened again when it was moved away. Null for none."
        ),
        .init(
            "log.file_level",
            \.log.fileLevel,
            .choice(),
            "What is written to that file: this level and those after it."
        ),
    ]
}
