import Controller
import Profiles
import Settings

extension Lifecycle.Settings {
    /// The settings with the languages of the profile files, over which those of the configuration take precedence.
    ///
    /// Without texts in the files nothing changes.
    func adding(_ profiles: ProfileSettings) -> Self {
        let strings = profiles.library.strings
        guard !strings.languages.isEmpty else { return self }
        var result = self
        var tags = strings.languages
        // The keys themselves are the names in the language of the start, if no table is.
        if !tags.contains(where: { $0.lowercased() == profiles.language.lowercased() }) {
            tags.append(profiles.language)
        }
        let configured = Set(languages.map { $0.tag.lowercased() })
        for tag in tags.sorted() where !configured.contains(tag.lowercased()) {
            let name =
                strings.text("app_name", in: tag) ?? profiles.library.application.name ?? "Trilateral"
            result.languages.append(
                Lifecycle.Language(
                    tag: tag,
                    appName: name,
                    shortAppName: strings.text("short_name", in: tag),
                    spokenName: strings.text("tts_name", in: tag)
                )
            )
        }
        result.startLanguage = profiles.language
        return result
    }
}
