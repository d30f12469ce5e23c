import Controller
import Profiles
import Settings

extension Lifecycle.Settings {
    /// Adds the languages of the profile files to those of the configuration, which take precedence.
    ///
    /// Without texts in the files nothing changes.
    mutating func add(_ profiles: ProfileSettings) {
        let strings = profiles.library.strings
        guard !strings.languages.isEmpty else { return }
        var tags = strings.languages
        // The keys themselves are the names in the language of the start, if no table is.
        if !tags.contains(where: { $0.lowercased() == profiles.language.lowercased() }) {
            tags.append(profiles.language)
        }
        let configured = Set(languages.map { $0.tag.lowercased() })
        for tag in tags.sorted() where !configured.contains(tag.lowercased()) {
            let name =
                strings.text("app_name", in: tag) ?? profiles.library.application.name ?? "Trilateral"
            languages.append(
                Lifecycle.Language(
                    tag: tag,
                    appName: name,
                    shortAppName: strings.text("short_name", in: tag) ?? name,
                    spokenName: strings.text("tts_name", in: tag) ?? name
                )
            )
        }
        startLanguage = profiles.language
    }
}
