import JSON
import Text

/// Why a message of a receiver cannot be used, with what is legal.
package struct ReportError: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}

/// Reads the members of a message; an optional one that cannot be used is left out, with the reason.
struct ReportFields {
    private let members: JSONObject
    private(set) var unusable: [ReportError] = []

    private static let mostReasons = 8

    /// - Parameter longest: Bytes.
    init(_ payload: [UInt8], longest: Int) throws(ReportError) {
        guard payload.count <= longest else {
            throw ReportError("the message has \(payload.count) bytes; at most \(longest) are allowed")
        }
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue(parsingReport: payload, maximumDepth: 8)
        } catch {
            throw ReportError("is not JSON: \(error)")
        }
        guard let members = value.object else {
            throw ReportError("must be an object (is \(QuotedValue.of(value)))")
        }
        self.members = members
    }

    /// A number; ESPresense writes some as texts.
    mutating func number(_ name: String, in range: ClosedRange<Double>) -> Double? {
        guard let value = present(name) else { return nil }
        if let number = value.statedNumber, range.contains(number) { return number }
        refuse(name, "a number from \(Self.text(range.lowerBound)) to \(Self.text(range.upperBound))", value)
        return nil
    }

    mutating func whole(_ name: String, in range: ClosedRange<Int>) -> Int? {
        guard let value = present(name) else { return nil }
        if let number = value.statedNumber?.rounded(), let whole = Int(exactly: number), range.contains(whole)
        {
            return whole
        }
        refuse(name, "a whole number from \(range.lowerBound) to \(range.upperBound)", value)
        return nil
    }

    mutating func text(_ name: String, upTo limit: Int) -> String? {
        guard let value = present(name) else { return nil }
        if let text = value.string, text.utf8.count <= limit {
            return text.isBlank ? nil : HarmfulCharacters.escaped(in: text)
        }
        refuse(name, "a text of at most \(limit) bytes", value)
        return nil
    }

    func has(_ name: String) -> Bool { members[name].map { !$0.isNull } ?? false }

    mutating func refuse(_ name: String, _ legal: String, _ value: JSONValue) {
        guard unusable.count < Self.mostReasons else { return }
        unusable.append(ReportError("\(name) must be \(legal) (is \(QuotedValue.of(value)))"))
    }

    private func present(_ name: String) -> JSONValue? {
        guard let value = members[name], !value.isNull else { return nil }
        return value
    }

    private static func text(_ number: Double) -> String { JSONValue.number(number).text }
}
