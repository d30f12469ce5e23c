import HTTPListener
import JSON
import Messages
import Things

extension LocalResponse {
    /// The answer for a refusal: its code, message and field, with the status that HTTP has for it.
    init(_ refusal: Refusal) {
        var body: JSONObject = ["error": .string(refusal.code.rawValue), "message": .string(refusal.message)]
        body["field"] = refusal.field.map { .string($0) }
        let status = refusal.code.httpStatus
        self.init(status, JSONValue.object(body).bytes, retryAfter: status == 429 ? 5 : nil)
    }
}
