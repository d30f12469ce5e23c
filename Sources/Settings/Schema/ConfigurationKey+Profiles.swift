extension ConfigurationKey {
    /// Profiles of things.
    static let profiles = table([
        .init("profiles.files", \.profiles.files, .list(.path)):
            "Files with profiles of things, in YAML or JSON; files of AMAP applications can be used as they are. \"trilateral "
            + "profile lint\" explains every mistake in them.",
        .init(
            "profiles.things",
            \.profiles.things,
            entries: .init(ProfileSettings.Assignment.fields) { ProfileSettings.Assignment(number: $0) },
            example: [
                "things:",
                "  - thing: living-room-blind   # short name or id",
                "    profile: blind             # NAME/MODEL where several profiles have that name",
            ]
        ):
            "Which thing has which profile, for things whose data does not say it. They can be given in the file only.",
        .init("profiles.modules", \.profiles.modules, .optional(.path)):
            "A folder with own screens and controls for the kiosk, <Class>.js, and with icons; null for none.",
        .init("profiles.language", \.profiles.language, .languageTag):
            "The language of names at the start, and in Home Assistant; one of those that the files have texts in.",
        .init("profiles.expect_version", \.profiles.expectedVersion, .optional(.text(upTo: 100))):
            "The version that the files must have; null accepts every one.",
    ])

    /// Remote servers by name.
    static let servers = ConfigurationKey(
        "flare.servers",
        \.flare.servers,
        entries: .init(NamedServer.fields) { NamedServer(number: $0) },
        example: [
            "servers:",
            "  - name: europe",
            "    type: Field                # Dynamic, Field, Development, Staging or Demo; without it every type",
            "    location: Europe           # USA, China or Europe; without it every location",
            "    url: https://flare.example.org",
        ]
    )
}

extension ProfileSettings.Assignment {
    fileprivate static let fields: [ConfigurationField<Self>] = [
        .init("thing", \.thing, .text(upTo: 200), isNeeded: { _ in true }),
        .init("profile", \.profile, .text(upTo: 200), isNeeded: { _ in true }),
    ]
}

extension NamedServer {
    fileprivate static let fields: [ConfigurationField<Self>] = [
        .init("name", \.name, .text(upTo: 100), isNeeded: { _ in true }),
        .init("type", \.type, .optional(.choice())),
        .init("location", \.location, .optional(.choice())),
        .init("url", \.url, .origin, isNeeded: { _ in true }),
    ]
}
