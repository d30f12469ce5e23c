/// One key of the configuration: where it stands, what it may be, what it means.
///
/// Decoding, printing, the example file and the environment all work from ``all``: a new key is one line there.
package struct ConfigurationKey: Sendable {
    /// The path in the file, with dots: `mqtt.keepalive_seconds`.
    package let path: String
    /// One or two sentences in plain words.
    package let summary: String
    /// What is legal, where the value itself does not tell: `5 to 3600`.
    package let hint: String?
    /// Whether the value comes from the environment only and is never shown.
    package let isSecret: Bool
    /// Whether the value names a file.
    let isFile: Bool
    /// Lines that show how it is written, for a list that is empty by default.
    let example: [String]
    /// Stores a value; returns what is wrong with it instead, if something is.
    let store:
        @Sendable (ConfigurationInput, inout TrilateralConfiguration) -> [ConfigurationValueError.Complaint]
    let show: @Sendable (TrilateralConfiguration) -> ConfigurationInput

    init<Value>(
        _ path: String,
        _ target: any WritableKeyPath<TrilateralConfiguration, Value> & Sendable,
        _ form: ConfigurationType<Value>,
        secret isSecret: Bool = false,
        _ summary: String
    ) {
        self.path = path
        self.summary = summary
        hint = form.hint
        self.isSecret = isSecret
        isFile = form.isFile
        example = []
        store = { input, configuration in
            switch form.decode(input) {
            case .success(let value):
                configuration[keyPath: target] = value
                return []
            case .failure(let problem):
                return problem.complaints
            }
        }
        show = { form.encode($0[keyPath: target]) }
    }

    /// A list of entries with keys of their own.
    init<Record>(
        _ path: String,
        _ target: any WritableKeyPath<TrilateralConfiguration, [Record]> & Sendable,
        entries: ConfigurationEntries<Record>,
        example: [String],
        _ summary: String
    ) {
        self.path = path
        self.summary = summary
        hint = nil
        isSecret = false
        isFile = false
        self.example = example
        store = { input, configuration in
            let (records, complaints) = entries.read(input)
            configuration[keyPath: target] = records
            return complaints
        }
        show = { entries.show($0[keyPath: target]) }
    }

    /// The environment variable that stands for the key: `TRILATERAL_MQTT_HOST`.
    package var variable: String {
        Self.variablePrefix + path.uppercased().map { $0 == "." ? "_" : String($0) }.joined()
    }

    package static let variablePrefix = "TRILATERAL_"

    /// The key's own name: the last part of its path.
    var name: Substring { path.split(separator: ".").last ?? "" }
}
