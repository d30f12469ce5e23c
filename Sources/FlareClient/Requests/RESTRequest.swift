package import Flare

/// One question to a Flare server by REST.
package struct RESTRequest: Sendable, Hashable {
    package enum Method: String, Sendable { case get = "GET", post = "POST", put = "PUT" }

    package var method = Method.get
    /// With the query; of characters that need no escape.
    package var path: String
    package var body: JSONValue?

    static func get(_ path: String) -> RESTRequest { RESTRequest(path: path) }

    /// One object.
    ///
    /// The server does not look at the ancestors in a path, which we may not know.
    /// - Source: flare-protocol 2.1.
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
    /// The JSON of an answer; `nil` for an empty body, by which the server says that there is nothing.
    /// - Throws: When it is none that a Flare server gives.
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
                "\(asked): the server redirects\(place); that is not followed, configure the true address"
            )
        default: throw .rejected("\(asked): status \(status)")
        }
        if body.isEmpty { return nil }
        do {
            return try JSONValue(parsing: body)
        } catch {
            throw .rejected("\(asked): the answer is no JSON (\(error))")
        }
    }
}

extension String {
    /// Safe and short enough for a message.
    var shortened: String {
        let clean = unicodeScalars.prefix(200).map { $0.value < 0x20 || $0.value == 0x7F ? " " : $0 }
        return String(String.UnicodeScalarView(clean))
    }
}
