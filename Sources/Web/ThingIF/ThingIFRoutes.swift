import Bindings
import HTTPTypes
import JSON
import Things

/// Onboarding, tokens, installations, and the name of a thing, which nobody changes.
///
/// - Source: contrib/contract/bindings.md, "Routes".
extension WebRoute {
    /// The routes of onboarding, tokens, installations and names.
    package static func thingIF(_ service: any ThingIFIdentity) -> [WebRoute] {
        [
            thingIF("/thing-if/apps/{app}/onboardings", [.post], in: .thingIF, about: .thing) { call in
                let (caller, bytes) = try await call.callerAndBytes(service)
                let form = try OnboardingForm(contentType: call.contentType)
                let request = try OnboardingRequest(form, try ThingIFCall.json(bytes))
                let answer = try await service.onboard(request, by: caller, from: call.address).get()
                return .object(answer.json(form))
            },
            thingIF("/api/apps/{app}/oauth2/token", [.post], in: .apps, about: .app) { call in
                let received = try await call.credentials(service)
                let bytes = try await call.bytes()
                let request = try TokenRequest(try tokenBody(call, bytes), app: received.app)
                let token = try await service.token(
                    for: request,
                    bringing: received.ofApp,
                    to: call.app,
                    from: call.address
                ).get()
                return .object(token.json)
            },
            thingIF("/api/apps/{app}/installations", [.post], in: .apps, about: .installation) { call in
                let (caller, bytes) = try await call.callerAndBytes(service)
                try call.checkJSON()
                let request = try Installation.Request(try ThingIFCall.json(bytes))
                let installation = try await service.install(request, by: caller).get()
                return .object(installation.json, status: .created)
            },
            thingIF("/api/apps/{app}/installations/{id}", [.get], in: .apps, about: .installation) { call in
                let caller = try await call.caller(service)
                let id = call.values.first ?? ""
                return .object(try await service.installation(id, of: caller).get().details)
            },
            thingIF("/api/apps/{app}/installations/{id}", [.delete], in: .apps, about: .installation) {
                call in
                let caller = try await call.caller(service)
                try await service.uninstall(call.values.first ?? "", of: caller).get()
                return .nothing
            },
            // Programs know the path; the name is what a thing is recognised by.
            thingIF("/api/apps/{app}/things/{id}/vendor-thing-id", [.put], in: .apps, about: .thing) { call in
                _ = try await call.caller(service)
                throw Refusal(.notAllowed, "the vendorThingID of a thing never changes")
            },
        ]
    }

    /// The body of a request for a token, which may also be a form, as OAuth has it.
    private static func tokenBody(_ call: ThingIFCall, _ bytes: [UInt8]) throws(Refusal) -> JSONValue {
        guard call.mediaType != "application/x-www-form-urlencoded" else {
            return .object(try JSONObject(form: bytes))
        }
        try call.checkJSON()
        return try ThingIFCall.json(bytes)
    }
}
