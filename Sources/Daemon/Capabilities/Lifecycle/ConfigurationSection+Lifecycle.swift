package import Controller
package import Settings

extension ConfigurationDefaults {
    /// When displays make the application active, and what follows its lifecycle.
    package var lifecycle: Lifecycle.Settings { Lifecycle.Settings() }
}

extension ConfigurationSection {
    static let lifecycle = ConfigurationSection(
        summaries: [
            "lifecycle": "The application's lifecycle: whether anyone is watching, and what follows from it.",
            "lifecycle.sensors": "Which sensors run when. Without a link or a place, all are off, save GPS.",
            "lifecycle.allow": "What is allowed at which level.",
            "lifecycle.audio": "Sound, for displays that play any.",
        ],
        keys: ConfigurationKey.table([
            .init("lifecycle.active_when", \.lifecycle.activeWhen, .choice()):
                "What makes a visible display active: near needs a thing nearby, display needs nothing else.",
            .init("lifecycle.ceiling", \.lifecycle.ceiling, .level):
                "The highest level that is reached, by itself or by command: FULL, LIMITED, BACKGROUND or NONE.",
            .init(
                "lifecycle.languages",
                \.lifecycle.languages,
                entries: .init(Lifecycle.Language.fields) { _ in Lifecycle.Language() },
                example: Lifecycle.Language.example
            ):
                "The languages that lifecycle/language/set accepts, with what the application is called in each. They can be "
                + "given in the file only.",
            .init("lifecycle.sensors.background", \.lifecycle.backgroundSensors, .list(.choice(), upTo: 8)):
                "The sensors that run while no display is attached.",
            .init("lifecycle.sensors.grace_seconds", \.lifecycle.sensorGraceSeconds, .number(0...3600)):
                "How long sensors run on after the level has fallen, seconds.",
            .init("lifecycle.allow.control", \.lifecycle.controlLevels, .list(.level, upTo: 8)):
                "The levels in which a kiosk may drive things; MQTT and the command line always may.",
            .init("lifecycle.audio.attenuated_gain", \.lifecycle.attenuatedGain, .number(0...1)):
                "How loud attenuated sound is.",
        ]),
        exchangeable: [.init(\.lifecycle)]
    )
}

extension Lifecycle.Language {
    fileprivate static let fields: [ConfigurationField<Self>] = [
        .init("tag", \.tag, .languageTag, isNeeded: { _ in true }),
        .init("app_name", \.appName, .text(upTo: 100)),
        .init("short_app_name", \.shortAppName, .optional(.text(upTo: 100))),
        .init("spoken_name", \.spokenName, .optional(.text(upTo: 100))),
    ]

    fileprivate static let example = [
        "languages:",
        "  - tag: en-US",
        "    app_name: Trilateral",
        "    # short_app_name, spoken_name: like app_name unless given",
    ]
}

extension ConfigurationType<LifecycleLevel> {
    /// An HMI level other than that of a lost link.
    fileprivate static var level: ConfigurationType {
        .scalar("FULL, LIMITED, BACKGROUND or NONE") {
            LifecycleLevel(hmiLevel: $0).flatMap { $0 == .disconnected ? nil : $0 }
        } encode: {
            $0.hmiLevel
        }
    }
}
