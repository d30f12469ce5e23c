extension ConfigurationKey {
    static let web: [ConfigurationKey] = [
        .init(
            "web.listen",
            \.web.listen,
            .optional(.hostAndPort),
            "Where /healthz is served (later the kiosk page too), HOST:PORT; null serves nothing."
        ),
        .init(
            "web.allowed_hosts",
            \.web.allowedHosts,
            .list(.host),
            "Further host names under which it can be reached (Host header)."
        ),
        .init(
            "web.allowed_origins",
            \.web.allowedOrigins,
            .list(.origin),
            "Origins whose web pages may use it, as https://name[:port]."
        ),
    ]

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
