import Flare
import JSON

extension FlareSchema {
    /// Converts a value to the type of a field; `nil` when it is dropped or, with another failure, cannot be converted.
    func cast(
        _ value: JSONValue,
        as field: Field,
        at path: String,
        _ failures: inout [FlareSchemaError.Failure]
    ) -> JSONValue? {
        func expect(_ type: String, _ result: JSONValue?) -> JSONValue? {
            if result == nil { failures.append(.init(path: path, type: type, value: value)) }
            return result
        }
        switch (field, value) {
        case (.texts, .null): return []
        case (_, .null): return .null
        case (.any, _): return value
        case (.text, _): return expect("String", value.javaScriptText.map(JSONValue.string))
        case (.number, _): return expect("Number", value.castNumber)
        case (.time, _): return expect("Date", value.castTime)
        case (.identifier, _): return expect("ObjectId", value.castIdentifier)
        case (.texts, _):
            let elements = (value.array ?? [value]).filter { !$0.isNull }
            let texts = elements.compactMap { $0.javaScriptText.map(JSONValue.string) }
            return expect("Array", texts.count == elements.count ? .array(texts) : .none)
        case (.group(let fields), .object(let members)):
            var result: JSONObject = [:]
            for (name, field) in fields {
                guard let member = members[name] else { continue }
                result[name] = cast(member, as: field, at: "\(path).\(name)", &failures)
            }
            return result.isEmpty ? .none : .object(result)
        case (.group, _): return nil
        }
    }

    /// An identifier in a path or a body.
    func identifier(_ text: String, at path: String = "_id") throws(FlareSchemaError) -> FlareID {
        guard let id = FlareID(flareText: text) else {
            throw .cast(model: model, .init(path: path, type: "ObjectId", value: .string(text)))
        }
        return id
    }
}

extension FlareID {
    /// Parses 24 hexadecimal digits, or twelve characters whose low bytes are the identifier.
    /// - Source: contrib/contract/flare-protocol.md, "2.4 Errors".
    init?(flareText text: String) {
        if let id = FlareID(text) {
            self = id
            return
        }
        let units = text.utf16.prefix(13).map { UInt64($0 & 0xFF) }
        guard units.count == 12 else { return nil }
        self.init(
            high: units.prefix(8).reduce(0) { $0 << 8 | $1 },
            low: UInt32(units.suffix(4).reduce(0) { $0 << 8 | $1 })
        )
    }
}

extension JSONValue {
    /// The value converted to text as in JavaScript; `nil` for an object.
    var javaScriptText: String? {
        switch self {
        case .string(let text): return text
        case .null, .bool, .number, .numeral: return text
        case .object: return nil
        case .array(let elements):
            let texts = elements.compactMap { $0.isNull ? "" : $0.javaScriptText }
            return texts.count == elements.count ? texts.joined(separator: ",") : nil
        }
    }

    fileprivate var castNumber: JSONValue? {
        switch self {
        case .number, .numeral: self
        case .bool(let flag): flag ? 1 : 0
        case .string(let text) where text.allSatisfy(\.isWhitespace): .null
        case .string(let text): Double(javaScriptNumber: text).map(JSONValue.number)
        case .array(let elements) where elements.count == 1: elements.first?.castNumber
        case .null, .array, .object: .none
        }
    }

    fileprivate var castTime: JSONValue? {
        let milliseconds: Int64? =
            switch self {
            case .number(let number): Int64(exactly: number.rounded(.towardZero))
            case .string(let text):
                Double(javaScriptNumber: text).flatMap { Int64(exactly: $0.rounded(.towardZero)) }
                    ?? FlareTime.wallMilliseconds(text)
            default: nil
            }
        guard let milliseconds, FlareTime.range.contains(milliseconds) else { return nil }
        return .string(FlareTime.text(wallMilliseconds: milliseconds))
    }

    /// As in the original server, an object with an `_id` counts as that identifier.
    fileprivate var castIdentifier: JSONValue? {
        switch self {
        case .string(let text): FlareID(flareText: text).map { .string($0.description) }
        case .object(let members): members["_id"]?.string.flatMap { JSONValue.string($0).castIdentifier }
        default: .none
        }
    }
}

extension Double {
    /// Parses a finite decimal number, ignoring white space around it.
    init?(javaScriptNumber text: String) {
        let trimmed = text.utf8.drop { $0 <= 0x20 }.reversed().drop { $0 <= 0x20 }.reversed()
        let isDecimal = trimmed.allSatisfy {
            (48...57).contains($0) || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-")
                || $0 == UInt8(ascii: ".") || $0 | 0x20 == UInt8(ascii: "e")
        }
        guard isDecimal, let number = Double(String(decoding: trimmed, as: UTF8.self)), number.isFinite else {
            return nil
        }
        self = number
    }
}
