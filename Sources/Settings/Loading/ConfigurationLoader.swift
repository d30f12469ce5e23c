import Foundation
import OperatingSystem

/// Finds and reads the configuration.
package enum ConfigurationLoader {
    /// The size up to which a configuration file is read, bytes.
    package static var largestFile: Int { YAMLDocument.maximumSize }

    /// Reads a configuration file, if there is one, and the environment, which takes precedence.
    ///
    /// - Parameters:
    ///   - text: Counts instead of what is in the file.
    ///   - running: What a running daemon uses, by key path; the inner `nil` is null. It counts before the file.
    ///   - readsProfiles: Without the profile files, what `sdkConfig` would set has its default.
    /// - Throws: Every problem at once.
    package static func load(
        file: String?,
        text: String? = nil,
        running: [String: String?] = [:],
        environment: [String: String],
        schema: ConfigurationSchema,
        readsProfiles: Bool = true
    ) throws(ConfigurationErrors) -> LoadedConfiguration {
        let (loaded, problems) = examine(
            file: file,
            text: text,
            running: running,
            environment: environment,
            schema: schema,
            readsProfiles: readsProfiles
        )
        guard problems.isEmpty else { throw ConfigurationErrors(problems) }
        return loaded
    }

    /// As ``load(file:text:running:environment:schema:readsProfiles:)``, with what could be read despite the problems.
    package static func examine(
        file: String?,
        text: String? = nil,
        running: [String: String?] = [:],
        environment: [String: String],
        schema: ConfigurationSchema,
        readsProfiles: Bool = true
    ) -> (loaded: LoadedConfiguration, problems: [ConfigurationError]) {
        var reader = ConfigurationReader(schema)
        if let file {
            let contents: Result<String, FileError> =
                text.map { .success($0) } ?? FileContents.read(file, upTo: largestFile).flatMap(\.text)
            switch contents {
            case .failure(let error):
                return (reader.loaded, [ConfigurationError(.wholeFile(file), "", error.message)])
            case .success(let text):
                let folder = file.lastIndex(of: "/").map { String(file[..<$0]) } ?? ""
                reader.read(file: file, text: text, folder: folder)
                (reader.loaded.file, reader.loaded.text) = (file, text)
            }
        }
        reader.read(running: running)
        reader.read(environment: environment)
        if readsProfiles { reader.readProfiles() }
        reader.checkRules(except: readsProfiles ? [] : ["flare.remote.url"])
        reader.readFiles()
        var loaded = reader.loaded
        if reader.problems.isEmpty { loaded.files = schema.fingerprints(loaded.values) }
        return (loaded, reader.problems)
    }

    /// The file that is read if none is named: the user's, else the machine's; `nil` if there is neither.
    ///
    /// One that cannot be reached counts: without it, what it forbids would be allowed without a word.
    package static func standardFile(environment: [String: String]) -> String? {
        let home = HomeFolder.path(environment).map { $0 + "/.config" }
        let user = environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home
        return [user, "/etc"].compactMap { $0 }.map { $0 + "/trilateral/trilateral.yaml" }
            .first { access($0, F_OK) == 0 || (errno != ENOENT && errno != ENOTDIR) }
    }
}
