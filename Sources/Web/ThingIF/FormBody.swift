import HTTPListener
import JSON
import Text
import Things

extension JSONObject {
    private static let mostFields = 20

    /// Reads a body of the type `application/x-www-form-urlencoded`; all values are texts.
    ///
    /// - Source: the URL standard, 5.1.
    init(form bytes: [UInt8]) throws(Refusal) {
        let malformed = Refusal(
            .invalidValue,
            "the body is no form in UTF-8 of at most \(Self.mostFields) fields"
        )
        guard let text = String(validating: bytes, as: UTF8.self) else { throw malformed }
        let fields = text[...].parts(between: "&").filter { !$0.isEmpty }
        guard fields.count <= Self.mostFields else { throw malformed }
        self.init()
        for field in fields {
            let parts = field.parts(between: "=", maxSplits: 1)
            guard let name = parts.first?.formDecoded, let value = (parts.dropFirst().first ?? "").formDecoded
            else { throw malformed }
            guard self[name] == nil else {
                let shown = QuotedValue.clipped(name, to: 200)
                throw Refusal(.invalidValue, "\(QuotedValue.of(name)) is there twice", field: shown)
            }
            self[name] = .string(value)
        }
    }
}

extension Substring {
    /// Without percent signs, and with spaces for plus signs; `nil` for an invalid text.
    fileprivate var formDecoded: String? {
        String(decoding: utf8.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }, as: UTF8.self)
            .percentDecoded
    }
}
