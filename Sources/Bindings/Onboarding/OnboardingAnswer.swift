package import JSON
package import People

/// The answer to an onboarding.
///
/// - Source: contrib/contract/bindings.md, "Answers to an onboarding".
package struct OnboardingAnswer: Sendable, Hashable {
    /// Where a thing finds the broker.
    package struct Endpoint: Sendable, Hashable {
        package let host: String
        package let port: Int
        package let isSecure: Bool
        /// The topics of the thing are below it.
        package let topic: String
        /// The broker's user; its password is not known here.
        package let user: String

        package init(host: String, port: Int, isSecure: Bool, topic: String, user: String) {
            (self.host, self.port, self.isSecure) = (host, port, isSecure)
            (self.topic, self.user) = (topic, user)
        }
    }

    package let thing: BindingID
    package let isOwned: Bool
    /// The thing's token, if this answer tells it; it cannot be asked for again.
    package let token: String?
    /// `nil` unless things may speak on the broker.
    package let endpoint: Endpoint?
    /// What was given, and changed nothing.
    package let ignored: [String]

    package init(
        _ thing: BindingID,
        isOwned: Bool,
        token: String?,
        endpoint: Endpoint?,
        ignored: [String]
    ) {
        (self.thing, self.isOwned, self.token) = (thing, isOwned, token)
        (self.endpoint, self.ignored) = (endpoint, ignored)
    }
}

extension OnboardingAnswer {
    /// The body of the answer to a request of a form.
    package func json(_ form: OnboardingForm) -> JSONObject {
        var json: JSONObject = [form == .endNode ? "endNodeThingID" : "thingID": .string("\(thing)")]
        json["accessToken"] = token.map { .string($0) }
        json["mqttEndpoint"] = endpoint.map { endpoint in
            [
                "host": .string(endpoint.host), "mqttTopic": .string(endpoint.topic),
                "userName": .string(endpoint.user),
                endpoint.isSecure ? "portSSL" : "portTCP": JSONValue(endpoint.port),
            ]
        }
        if !ignored.isEmpty { json["ignored"] = .array(ignored.map { .string($0) }) }
        return json
    }
}
