import Foundation
package import Text

/// A location in the file.
///
/// Line and column count from 1.
package struct FileLocation: Sendable, Hashable {
    var line: Int
    var column: Int
}

/// The value of a key as it is written in the file or in a variable.
package enum ConfigurationInput: Sendable, Hashable {
    case null
    /// A text; `isQuoted` when it is in quotes in the file and so cannot be a number.
    case scalar(String, isQuoted: Bool = false)
    case list([Element])
    /// Keys with values, in their order; a duplicate key occurs twice.
    case mapping([Member] = [])

    package struct Element: Sendable, Hashable {
        var value: ConfigurationInput
        var place: FileLocation?
    }

    package struct Member: Sendable, Hashable {
        var key: String
        var value: ConfigurationInput
        /// The key's location.
        var place: FileLocation?
    }

    /// For messages.
    package var description: String {
        switch self {
        case .null: "empty"
        case .scalar(let text, let isQuoted):
            isQuoted || Double(text) == nil
                ? "\"\(text.withoutCredentials.prefix(80))\"" : String(text.prefix(80))
        case .list: "a list"
        case .mapping: "a section"
        }
    }
}

/// Why a value is refused.
package struct ConfigurationValueError: Error {
    /// A sentence, and its location if that is not the key's own.
    package struct Issue: Sendable, Hashable {
        package var message: String
        package var place: FileLocation?

        package init(message: String, place: FileLocation? = nil) {
            (self.message, self.place) = (message, place)
        }
    }

    /// At least one.
    let issues: [Issue]

    package init(message: String) { issues = [Issue(message: message)] }

    init(_ issues: [Issue]) { self.issues = issues }

    package var message: String { issues.map(\.message).joined(separator: "; ") }

    /// The value is not a number, or is a number in quotes.
    static func notANumber(_ demand: String, _ input: ConfigurationInput) -> ConfigurationValueError {
        if case .scalar(let text, isQuoted: true) = input, Double(text) != nil {
            return ConfigurationValueError(
                message: "\(demand) (is the text \(input.description); leave the quotes out)"
            )
        }
        return ConfigurationValueError(message: "\(demand) (is \(input.description))")
    }
}

/// Which values a key accepts, and how they are decoded and printed.
package struct ConfigurationType<Value: Sendable>: Sendable {
    let legal: String
    /// What is legal, if the value itself does not show it: a range, a choice of words.
    var hint: String?
    package let decode: @Sendable (ConfigurationInput) throws(ConfigurationValueError) -> Value
    package let encode: @Sendable (Value) -> ConfigurationInput
    /// Whether the value names a file, or several.
    var isFile = false
    /// Whether the daemon writes that file.
    var isWritten = false

    /// - Parameter legal: What is legal, for messages.
    package init(
        _ legal: String,
        decode: @escaping @Sendable (ConfigurationInput) throws(ConfigurationValueError) -> Value,
        encode: @escaping @Sendable (Value) -> ConfigurationInput
    ) {
        self.legal = legal
        self.decode = decode
        self.encode = encode
    }

    /// A single word or text; `decode` returns `nil` for what is not legal.
    package static func scalar(
        _ legal: String,
        plainOnly: Bool = false,
        decode: @escaping @Sendable (String) -> Value?,
        encode: @escaping @Sendable (Value) -> String
    ) -> ConfigurationType {
        ConfigurationType(legal) { input throws(ConfigurationValueError) in
            if case .scalar(let text, let isQuoted) = input, !(plainOnly && isQuoted),
                let value = decode(text)
            {
                return value
            }
            throw ConfigurationValueError(message: "must be \(legal) (is \(input.description))")
        } encode: {
            .scalar(encode($0))
        }
    }

    /// A value that its description stands for.
    package static func scalar(_ legal: String) -> ConfigurationType where Value: LosslessStringConvertible {
        scalar(legal) {
            Value($0)
        } encode: {
            $0.description
        }
    }
}

extension ConfigurationType {
    /// The same in the file, and another value in the program.
    package func mapped<Other>(
        _ value: @escaping @Sendable (Value) -> Other,
        back: @escaping @Sendable (Other) -> Value
    ) -> ConfigurationType<Other> {
        var other = ConfigurationType<Other>(legal) { input throws(ConfigurationValueError) in
            value(try decode(input))
        } encode: {
            encode(back($0))
        }
        (other.hint, other.isFile, other.isWritten) = (hint, isFile, isWritten)
        return other
    }

    package static func optional<Wrapped>(_ form: ConfigurationType<Wrapped>) -> ConfigurationType
    where Value == Wrapped? {
        var optional = ConfigurationType(form.legal + ", or null") { input throws(ConfigurationValueError) in
            input == .null ? nil : try form.decode(input)
        } encode: {
            $0.map(form.encode) ?? .null
        }
        (optional.isFile, optional.isWritten) = (form.isFile, form.isWritten)
        optional.hint = form.hint
        return optional
    }

    /// A list; in a variable, a text with commas.
    package static func list<Element>(_ form: ConfigurationType<Element>, upTo most: Int = 64)
        -> ConfigurationType
    where Value == [Element] {
        var list = ConfigurationType("a list of: " + form.legal) { input throws(ConfigurationValueError) in
            let inputs: [ConfigurationInput.Element]
            switch input {
            case .list(let elements): inputs = elements
            case .scalar(let text, _):
                inputs = text.split(separator: ",").map {
                    .init(value: .scalar($0.trimmingCharacters(in: .whitespaces)))
                }
            case .null: inputs = []
            case .mapping:
                throw ConfigurationValueError(message: "must be a list (is a section)")
            }
            guard inputs.count <= most else {
                let message = "must have at most \(most) entries (has \(inputs.count))"
                throw ConfigurationValueError(message: message)
            }
            var values: [Element] = []
            var issues: [ConfigurationValueError.Issue] = []
            for (number, input) in inputs.enumerated() {
                do throws(ConfigurationValueError) {
                    values.append(try form.decode(input.value))
                } catch {
                    let message = "entry \(number + 1): \(error.message)"
                    issues.append(.init(message: message, place: input.place))
                }
            }
            guard issues.isEmpty else { throw ConfigurationValueError(issues) }
            return values
        } encode: {
            .list($0.map { .init(value: form.encode($0)) })
        }
        list.isFile = form.isFile
        return list
    }

    /// One of an enumeration's raw values.
    package static func choice() -> ConfigurationType
    where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
        let words = Value.allCases.map(\.rawValue)
        let legal =
            words.count > 1
            ? words.dropLast().joined(separator: ", ") + " or \(words[words.count - 1])" : words.joined()
        var form = ConfigurationType.scalar(legal) {
            Value(rawValue: $0)
        } encode: {
            $0.rawValue
        }
        form.hint = words.count > 1 ? legal : nil
        return form
    }
}

extension ConfigurationType<Bool> {
    package static var flag: ConfigurationType {
        .scalar("true or false", plainOnly: true) {
            ["true": true, "false": false][$0.lowercased()]
        } encode: {
            String($0)
        }
    }
}

extension ConfigurationType<Int> {
    package static func integer(_ range: ClosedRange<Int>) -> ConfigurationType {
        let legal = "\(range.lowerBound) to \(range.upperBound)"
        var form = ConfigurationType(legal) { input throws(ConfigurationValueError) in
            guard case .scalar(let text, isQuoted: false) = input, let value = Int(text) else {
                throw ConfigurationValueError.notANumber("must be a whole number", input)
            }
            guard range.contains(value) else {
                throw ConfigurationValueError(message: "must be \(legal) (is \(value))")
            }
            return value
        } encode: {
            .scalar(String($0))
        }
        form.hint = legal
        return form
    }
}

extension ConfigurationType<Duration> {
    /// Whole seconds.
    package static func seconds(_ range: ClosedRange<Int>) -> ConfigurationType {
        ConfigurationType<Int>.integer(range).mapped {
            .seconds($0)
        } back: {
            Int($0.components.seconds)
        }
    }
}

extension ConfigurationType<Double> {
    package static func number(_ range: ClosedRange<Double>) -> ConfigurationType {
        let legal = "\(plain(range.lowerBound)) to \(plain(range.upperBound))"
        var form = ConfigurationType(legal) { input throws(ConfigurationValueError) in
            guard case .scalar(let text, isQuoted: false) = input, let value = Double(text), value.isFinite,
                text.utf8.allSatisfy({ "0123456789.+-eE".utf8.contains($0) })
            else { throw ConfigurationValueError.notANumber("must be a number", input) }
            guard range.contains(value) else {
                throw ConfigurationValueError(message: "must be \(legal) (is \(plain(value)))")
            }
            return value
        } encode: {
            .scalar(plain($0))
        }
        form.hint = legal
        return form
    }

    private static func plain(_ value: Double) -> String {
        Int(exactly: value).map(String.init) ?? String(value)
    }
}

extension ConfigurationType<Secret> {
    package static var secret: ConfigurationType<Secret> {
        ConfigurationType("a text") { input throws(ConfigurationValueError) in
            guard case .scalar(let text, _) = input, !text.isEmpty, text.utf8.count <= 65535 else {
                throw ConfigurationValueError(message: "must be a text of 1 to 65535 bytes")
            }
            return Secret(text)
        } encode: {
            .scalar($0.description)
        }
    }
}

extension String {
    /// The text with `***` for what may be a user name and password in it: `http://anna:secret@host`.
    fileprivate var withoutCredentials: String {
        guard let at = lastIndex(of: "@") else { return self }
        let scheme = firstRange(of: "://").map { self[..<$0.upperBound] } ?? ""
        return scheme.endIndex <= at ? "\(scheme)***\(self[at...])" : self
    }
}
