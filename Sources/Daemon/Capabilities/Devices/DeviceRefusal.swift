import HTTPListener
import JSON
import Receivers
import Text

/// Why a request about the list of devices is refused.
package struct DeviceRefusal: Error, Sendable, Hashable {
    /// As over HTTP.
    package let status: Int
    package let code: String
    package let message: String
    /// The member at fault, if it is a single one: `heard_as[2]`.
    package var field: String?

    init(_ status: Int, _ code: String, _ message: String, field: String? = nil) {
        (self.status, self.code, self.message, self.field) = (status, code, message, field)
    }

    static func notAllowed(_ message: String) -> DeviceRefusal { DeviceRefusal(403, "not_allowed", message) }

    static func invalid(_ message: String, field: String? = nil) -> DeviceRefusal {
        DeviceRefusal(400, "invalid_value", message, field: field)
    }

    /// A device of the configuration file, which no verb changes.
    static func fixed(_ node: String) -> DeviceRefusal {
        DeviceRefusal(409, "conflict", DeviceList.fixed(node), field: "node")
    }

    /// - Parameter nodes: Those that who asks may see.
    static func unknown(_ node: String, among nodes: [String]) -> DeviceRefusal {
        let hint = NearestName.hint(for: node, among: nodes)
        let message = "there is no device \(QuotedValue.of(node))"
        return DeviceRefusal(404, "unknown", message + hint, field: "node")
    }

    /// - Parameter isFixed: Whether the device is in the configuration file.
    init(_ error: DeviceListError, of node: String, isFixed: Bool) {
        if isFixed {
            self = .fixed(node)
            return
        }
        // Names the device already: the list says of which entry it speaks.
        let prefix = "\(QuotedValue.list([node])): "
        let texts = error.issues.map { issue in
            let message =
                issue.message.hasPrefix(prefix)
                ? String(issue.message.dropFirst(prefix.count)) : issue.message
            return issue.field.isEmpty ? message : "\(issue.field): \(message)"
        }
        let shown = texts.prefix(8).joined(separator: "; ")
        let fields = Set(error.issues.map(\.field))
        self.init(
            400,
            "invalid_value",
            texts.count > 8 ? "\(shown); \(texts.count - 8) more" : shown,
            field: fields.count == 1 ? fields.first.flatMap { $0.isEmpty ? nil : $0 } : nil
        )
    }

    init(_ error: StateStoreError) {
        self.init(error.isAboutContents ? 500 : 503, "internal", "the list is not stored: \(error)")
    }

    var response: LocalResponse {
        var body: JSONObject = ["error": .string(code), "message": .string(message)]
        body["field"] = field.map { .string($0) }
        return .json(status, .object(body))
    }
}
