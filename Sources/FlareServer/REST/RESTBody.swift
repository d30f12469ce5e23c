import HTTPTypes
import JSON

/// Decodes the body of a request, JSON or a form.
/// - Source: contrib/contract/flare-protocol.md, "2.1 Requests and answers".
enum RESTBody {
    /// An object or a list; an empty body or one of another content type is an empty object.
    static func value(of bytes: [UInt8], _ fields: HTTPFields) throws(RESTRefusal) -> JSONValue {
        guard !bytes.isEmpty else { return [:] }
        if let coding = fields[.contentEncoding], coding.lowercased() != "identity" {
            throw RESTRefusal(
                .unsupportedMediaType,
                "unsupported content encoding \"\(coding)\"; send the body uncompressed"
            )
        }
        let parts = (fields[.contentType] ?? "").lowercased().split(separator: ";").map {
            $0.filter { $0 != " " && $0 != "\t" }
        }
        for part in parts.dropFirst() where part.hasPrefix("charset=") {
            let charset = part.dropFirst(8).filter { $0 != "\"" }
            guard charset == "utf-8" || charset == "utf8" else {
                throw RESTRefusal(.unsupportedMediaType, "unsupported charset \"\(charset)\"; use UTF-8")
            }
        }
        switch parts.first {
        case "application/json": return try json(bytes)
        case "application/x-www-form-urlencoded":
            do throws(RESTForm.TooManyParameters) {
                return .object(try RESTForm.object(String(decoding: bytes, as: UTF8.self)))
            } catch {
                throw RESTRefusal(
                    .contentTooLarge,
                    "more than \(RESTForm.maximumParameters) values in a form"
                )
            }
        default: return [:]
        }
    }

    private static func json(_ bytes: [UInt8]) throws(RESTRefusal) -> JSONValue {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue(parsing: bytes)
        } catch {
            throw RESTRefusal(.badRequest, "the body is not JSON: \(error)")
        }
        guard value.object != nil || value.array != nil else {
            throw RESTRefusal(.badRequest, "the body must be a JSON object or list")
        }
        return value
    }
}
