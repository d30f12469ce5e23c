import OperatingSystem

/// One key of the configuration: its path, its type and its documentation.
package struct ConfigurationKey: Sendable {
    /// The path in the file, with dots: `mqtt.keepalive_seconds`.
    package let path: String
    /// One or two sentences for the user.
    package private(set) var summary: String
    /// What is legal, if the value itself does not show it: `5 to 3600`.
    package let hint: String?
    /// Whether the value comes from the environment only and is never shown.
    package let isSecret: Bool
    /// Whether the value names a file.
    package let isFile: Bool
    /// Whether the daemon writes that file.
    let isWritten: Bool
    /// Lines that show how it is written, for a list that is empty by default.
    let example: [String]
    /// Stores a value; returns what is wrong with it.
    let store:
        @Sendable (ConfigurationInput, inout TrilateralConfiguration) -> [ConfigurationValueError.Issue]
    package let encode: @Sendable (TrilateralConfiguration) -> ConfigurationInput

    package init<Value>(
        _ path: String,
        _ target: any WritableKeyPath<TrilateralConfiguration, Value> & Sendable,
        _ type: ConfigurationType<Value>,
        secret isSecret: Bool = false,
        _ summary: String = ""
    ) {
        self.path = path
        self.summary = summary
        hint = type.hint
        self.isSecret = isSecret
        (isFile, isWritten) = (type.isFile, type.isWritten)
        example = []
        store = { input, configuration in
            switch type.decode(input) {
            case .success(let value):
                configuration[keyPath: target] = value
                return []
            case .failure(let error):
                return error.issues
            }
        }
        encode = { type.encode($0[keyPath: target]) }
    }

    /// A list of entries with keys of their own.
    package init<Record>(
        _ path: String,
        _ target: any WritableKeyPath<TrilateralConfiguration, [Record]> & Sendable,
        entries: ConfigurationEntries<Record>,
        example: [String],
        _ summary: String = ""
    ) {
        self.path = path
        self.summary = summary
        hint = nil
        isSecret = false
        (isFile, isWritten) = (false, false)
        self.example = example
        store = { input, configuration in
            let (records, issues) = entries.decode(input)
            configuration[keyPath: target] = records
            return issues
        }
        encode = { entries.encode($0[keyPath: target]) }
    }

    /// Keys with their documentation: one or two sentences for the user each.
    package static func table(_ rows: KeyValuePairs<ConfigurationKey, String>) -> [ConfigurationKey] {
        rows.map { row in
            var key = row.key
            key.summary = row.value
            return key
        }
    }

    /// The files that the key names.
    package func files(in values: TrilateralConfiguration) -> [String] {
        guard isFile else { return [] }
        return switch encode(values) {
        case .scalar(let path, _): [path]
        case .list(let elements):
            elements.compactMap { if case .scalar(let path, _) = $0.value { path } else { nil } }
        case .null, .mapping: []
        }
    }

    /// Why a file that the key names is none: reading a pipe or a device might never end.
    func problemOfKind(in values: TrilateralConfiguration) -> String? {
        files(in: values).first { FileStatus(path: $0)?.kind ?? .file != .file }.map {
            "\($0) is a folder, or no plain file"
        }
    }

    /// The environment variable of the key: `TRILATERAL_MQTT_HOST`.
    package var variable: String {
        Self.variablePrefix + path.uppercased().map { $0 == "." ? "_" : String($0) }.joined()
    }

    package static let variablePrefix = "TRILATERAL_"

    /// The last part of the path.
    var name: Substring { path.split(separator: ".").last ?? "" }
}
