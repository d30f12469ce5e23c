package import Bindings
package import History
import OperatingSystem
package import Settings
import Text

/// The application that programs for Thing-IF name, how things at the edge are reached, and what is kept of the history.
package struct BindingsConfiguration: Sendable, Hashable {
    /// `nil` offers nothing over HTTP.
    package var appID: String?
    package var appKeyFile: String?
    package var site = AppInstance.Site.europe
    /// Whether things may speak for themselves on the broker.
    package var isEdge = false
    /// How long a command may take, seconds.
    package var commandSeconds: Double = 60
    package var history = HistoryLimits()

    /// Bytes of the application's key.
    package static let keyLengths = 10...1024

    package init() {}

    /// Reads the application's identifier and key; `nil` if none is configured.
    func app() throws(ConfigurationErrors) -> BindingService.App? {
        guard let appID, let appKeyFile else { return nil }
        switch Self.key(in: appKeyFile) {
        case .success(let found): return BindingService.App(appID, key: found.key)
        case .failure(let error): throw ConfigurationErrors("bindings.app_key_file", error.message)
        }
    }

    /// The key as a text, for the mask of the log; `nil` if none is configured, or it cannot be read.
    var keyText: String? {
        guard let appKeyFile, case .success(let found) = Secret.load(appKeyFile) else { return nil }
        return found.secret.reveal()
    }

    /// The key in a file, with a warning if others can read it.
    fileprivate static func key(in file: String) -> Result<(key: [UInt8], warning: String?), FileError> {
        Secret.load(file).flatMap { found in
            let text = found.secret.reveal()
            guard !text.contains(where: \.isNewline) else {
                return .failure(FileError(message: "holds more than one line; only the key belongs there"))
            }
            guard keyLengths.contains(text.utf8.count) else {
                let (least, most) = (keyLengths.lowerBound, keyLengths.upperBound)
                return .failure(FileError(message: "must hold a key of \(least) to \(most) bytes"))
            }
            return .success((Array(text.utf8), found.warning))
        }
    }
}

extension ConfigurationDefaults {
    package var bindings: BindingsConfiguration { BindingsConfiguration() }
}

extension ConfigurationSection {
    static let bindings = ConfigurationSection(
        summaries: [
            "bindings": "Things with owners, for makers and for programs made for Thing-IF.",
            "history": "What is kept of the states of things with owners.",
        ],
        keys: ConfigurationKey.table([
            .init(
                "bindings.app_id",
                \.bindings.appID,
                .optional(.checked(VendorName.typeRule) { VendorName.isLegalType($0) })
            ):
                "The identifier of the application, with which programs onboard things over HTTP; null offers them nothing.",
            .init("bindings.app_key_file", \.bindings.appKeyFile, .optional(.path)):
                "A file that contains only the application's key; only its owner should be able to read it.",
            .init("bindings.site", \.bindings.site, .choice()):
                "Where the application is registered: a label, which instances keep.",
            .init("bindings.edge", \.bindings.isEdge, .flag):
                "Whether things may speak for themselves on the broker, each below a topic of its own.",
            .init("bindings.command_seconds", \.bindings.commandSeconds, .number(1...3600)):
                "How long a command to a thing may take, seconds; an action without a result by then has failed.",
            .init("history.raw_days", \.bindings.history.rawDays, .integer(1...3650)):
                "How long each state is kept, days.",
            .init("history.group_days", \.bindings.history.groupDays, .integer(1...36500)):
                "How long the sums of an interval are kept, days; as long as the states at least.",
            .init("history.max_megabytes", \.bindings.history.maximumMegabytes, .integer(16...1_000_000)):
                "The size of the database of the history, MB; beyond it the oldest states go.",
        ]),
        exchangeable: [.init(\.bindings)],
        rules: [
            .init(paths: ["bindings.app_id", "bindings.app_key_file"]) {
                $0.bindings.appID != nil && $0.bindings.appKeyFile == nil
                    ? "needs bindings.app_key_file as well" : nil
            },
            .init(paths: ["bindings.app_key_file", "bindings.app_id"]) {
                $0.bindings.appKeyFile != nil && $0.bindings.appID == nil
                    ? "needs bindings.app_id as well" : nil
            },
            .init(paths: ["history.group_days", "history.raw_days"]) {
                let history = $0.bindings.history
                guard history.groupDays < history.rawDays else { return nil }
                return
                    "must be at least history.raw_days (is \(history.groupDays), and that is \(history.rawDays))"
            },
        ],
        usedLater: [
            .init("bindings.app_key_file") { loaded in
                guard let file = loaded.values.bindings.appKeyFile else { return .success(nil) }
                return BindingsConfiguration.key(in: file).map(\.warning)
            }
        ]
    )
}
