import FlareClient
import OperatingSystem
import Profiles
import Text

extension ConfigurationReader {
    /// Reads the profile files, checks what refers to them, and lets their `sdkConfig` set what nothing else sets.
    mutating func readProfiles() {
        let settings = loaded.values.profiles
        var sources: [ProfileSource] = []
        var isComplete = true
        for (index, file) in settings.files.enumerated() {
            switch ProfileFile.read(file) {
            case .success(let source): sources.append(source)
            case .failure(let error):
                isComplete = false
                let entry = LoadedConfiguration.path(of: index + 1, in: "profiles.files")
                let origin = loaded.origins[entry] ?? loaded.origin("profiles.files")
                report(origin, "profiles.files", "\(file) \(error.message)")
            }
        }
        if let folder = settings.modules {
            do throws(FileError) {
                loaded.values.profiles.classes = try ProfileModules(folder: folder).classes
            } catch {
                isComplete = false
                report(loaded.origin("profiles.modules"), "profiles.modules", error.message)
            }
        }
        let reading = ProfileReading(of: sources, modules: loaded.values.profiles.classes)
        for problem in reading.problems {
            let found = ConfigurationError(problem)
            if problem.severity == .error {
                problems.append(found)
            } else {
                loaded.profileWarnings.append(found)
            }
        }
        guard isComplete, !reading.hasErrors else { return }
        loaded.values.profiles.library = reading.library
        checkVersion()
        checkLanguage()
        checkAssignments()
        applySDKSettings()
    }

    private mutating func report(_ origin: ConfigurationOrigin, _ path: String, _ message: String) {
        problems.append(ConfigurationError(origin, path, message))
    }

    private mutating func checkVersion() {
        let settings = loaded.values.profiles
        guard let expected = settings.expectedVersion else { return }
        let path = "profiles.expect_version"
        guard let version = settings.library.application.version else {
            return report(loaded.origin(path), path, "no file says a version (expected is \(expected))")
        }
        // A version may be a number, and 1 and 1.0 are the same one.
        guard version != expected, Double(version) == nil || Double(version) != Double(expected) else {
            return
        }
        let message =
            "must be the version of the files, \(QuotedValue.of(version)) (is \(QuotedValue.of(expected)))"
        report(loaded.origin(path), path, message)
    }

    private mutating func checkLanguage() {
        let settings = loaded.values.profiles
        let languages = settings.library.strings.languages
        let isKnown = languages.contains { $0.lowercased() == settings.language.lowercased() }
        guard !languages.isEmpty, !isKnown, settings.language != "en" else { return }
        let path = "profiles.language"
        let legal = Set(languages + ["en"]).sorted()
        let message =
            "must be a language of the files: \(QuotedValue.list(legal)) (is \(QuotedValue.of(settings.language)))"
        report(loaded.origin(path), path, message)
    }

    private mutating func checkAssignments() {
        let profiles = loaded.values.profiles.library.profiles
        var models: [String: [String?]] = [:]
        for profile in profiles { models[profile.name, default: []].append(profile.model) }
        let path = "profiles.things"
        for entry in loaded.values.profiles.things {
            let origin = loaded.origins[LoadedConfiguration.path(of: entry.number, in: path)]
            func reportEntry(_ message: String) {
                report(origin ?? loaded.origin(path), path, "entry \(entry.number): profile: \(message)")
            }
            let forms = profiles.flatMap { profile in
                [profile.name] + (profile.model.map { ["\(profile.name)/\($0)"] } ?? [])
            }
            guard forms.contains(entry.profile) else {
                let hint = NearestName.hint(for: entry.profile, among: forms)
                reportEntry("there is no profile \(QuotedValue.of(entry.profile))\(hint)")
                continue
            }
            if let all = models[entry.profile], all.count > 1, !all.contains(nil) {
                let forms = all.compactMap(\.self).map { "\(entry.profile)/\($0)" }
                reportEntry("several profiles have this name; say which: \(QuotedValue.list(forms))")
            }
        }
    }

    // MARK: - sdkConfig

    private mutating func applySDKSettings() {
        guard let sdk = loaded.values.profiles.library.sdk else { return }
        func set(_ path: String, _ key: String, _ store: (inout TrilateralConfiguration) -> Void) {
            guard loaded.origins[path] == nil else { return }
            store(&loaded.values)
            loaded.origins[path] = ConfigurationOrigin(sdk, key)
        }
        if let value = sdk.isStreamed {
            set("flare.remote.stream", "allowMobileDSS") { $0.flare.remote.client.streams = value }
        }
        if let value = sdk.isMirrored {
            set("flare.remote.mirror", "allowOfflineUse") { $0.flare.remote.isMirrored = value }
        }
        if let value = sdk.consoleLogLevel {
            set("log.level", "consoleLogLevel") { $0.log.level = .init(value) }
        }
        if let value = sdk.fileLogLevel {
            set("log.file_level", "fileLogLevel") { $0.log.fileLevel = .init(value) }
        }
        if let value = sdk.timeoutMilliseconds {
            set("flare.remote.timeout_seconds", "defaultNetworkTimeoutMs") {
                $0.flare.remote.client.answerSeconds = Double(value) / 1000
            }
        }
        chooseServer(sdk)
    }

    /// The entry of `flare.servers` for the service becomes the remote server.
    private mutating func chooseServer(_ sdk: SDKSettings) {
        let servers = loaded.values.flare.servers
        let key = sdk.serviceLocation == nil ? "serviceType" : "serviceLocation"
        guard sdk.serviceLocation ?? sdk.serviceType != nil, !servers.isEmpty else { return }
        guard
            let server = servers.first(where: {
                $0.fits(type: sdk.serviceType, location: sdk.serviceLocation)
            })
        else {
            let legal = servers.map {
                "\($0.name) (\($0.type?.rawValue ?? "every type"), \($0.location?.rawValue ?? "every location"))"
            }
            let words = [sdk.serviceType, sdk.serviceLocation].compactMap(\.self)
            let problem = ProfileProblem(
                file: sdk.file,
                position: sdk.positions[key] ?? SourcePosition(line: 1, column: 1),
                code: .invalidValue,
                message:
                    "sdkConfig.\(key) must fit an entry of flare.servers: \(QuotedValue.list(legal)) (is \(words.joined(separator: ", ")))"
            )
            problems.append(ConfigurationError(problem))
            return
        }
        // A server that the user names counts, and so does the wish for none.
        let isEmbeddedByUser = loaded.origins["flare.mode"] != nil && loaded.values.flare.mode == .embedded
        guard loaded.origins["flare.remote.url"] == nil, !isEmbeddedByUser else { return }
        let origin = ConfigurationOrigin(sdk, key)
        loaded.values.flare.remote.url = server.url
        loaded.origins["flare.remote.url"] = origin
        if loaded.origins["flare.mode"] == nil {
            loaded.values.flare.mode = .remote
            loaded.origins["flare.mode"] = origin
        }
    }
}

extension ConfigurationError {
    /// A problem in a profile file.
    init(_ problem: ProfileProblem) {
        let (line, column) = (problem.position.line, problem.position.column)
        self.init(
            .file(problem.file, line: line, column: column),
            "",
            "\(problem.code.rawValue): \(problem.message)"
        )
    }
}

extension ConfigurationOrigin {
    fileprivate init(_ sdk: SDKSettings, _ key: String) {
        let position = sdk.positions[key] ?? SourcePosition(line: 1, column: 1)
        self = .file(sdk.file, line: position.line, column: position.column)
    }
}

extension TrilateralConfiguration.Log.Level {
    fileprivate init(_ level: SDKSettings.LogLevel) {
        self = level == .verbose ? .trace : Self(rawValue: level.rawValue.lowercased()) ?? Self.none
    }
}
