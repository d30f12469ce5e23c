package import Flare
package import JSON

/// A REST request to a Flare server.
package struct RESTRequest: Sendable, Hashable {
    package enum Method: String, Sendable { case get = "GET", post = "POST", put = "PUT", delete = "DELETE" }

    package var method = Method.get
    /// With the query, percent-encoded.
    package var path: String
    package var body: JSONValue?

    static func get(_ path: String) -> RESTRequest { RESTRequest(path: path) }

    /// Gets an object.
    ///
    /// The server ignores the ancestors in the path, which may be unknown here.
    /// - Source: contrib/contract/flare-protocol.md, "2.1 Requests and answers".
    static func get(_ object: ObjectReference) -> RESTRequest {
        switch object.kind {
        case .environment: .get("/environments/\(object.id)")
        case .zone: .get("/environments/-/zones/\(object.id)")
        case .thing: .get("/environments/-/zones/-/things/\(object.id)")
        case .device: .get("/environments/-/devices/\(object.id)")
        }
    }
}

extension JSONValue {
    /// Parses a REST response; `nil` for an empty body, which means that there is no value.
    /// - Throws: `rejected`, if it is not a valid response of a Flare server.
    package static func answer(
        status: Int,
        location: String?,
        body: [UInt8],
        to request: RESTRequest
    ) throws(FlareLinkError) -> JSONValue? {
        let asked = "\(request.method.rawValue) \(request.path)"
        switch status {
        case 200..<300: break
        case 300..<400:
            let place = location.map { " to \($0.shortened)" } ?? ""
            throw .rejected(
                "\(asked): the server redirects\(place); redirects are not followed, configure that address"
            )
        default:
            let reason = (try? JSONValue(parsing: body))?["message"]?.string.map { ": \($0.shortened)" } ?? ""
            let problem = "\(asked): status \(status)\(reason)"
            throw status == 403 ? .notAllowed(problem) : .rejected(problem)
        }
        if body.isEmpty { return nil }
        do {
            return try JSONValue(parsing: body)
        } catch {
            throw .rejected("\(asked): the response is not JSON (\(error))")
        }
    }
}

extension String {
    /// Shortened for a message, without control characters.
    var shortened: String {
        let clean = unicodeScalars.prefix(200).map { $0.value < 0x20 || $0.value == 0x7F ? " " : $0 }
        return String(String.UnicodeScalarView(clean))
    }
}
